package meanwhile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/lockvet/lockvet/safeio"
)

const runs = "/var/lib/agentd/runs.json"

func loadRuns() (map[string]string, error) {
	data, err := os.ReadFile(runs)
	if err != nil {
		return nil, err
	}
	var m map[string]string
	return m, json.Unmarshal(data, &m)
}

func saveRuns(m map[string]string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return safeio.WriteFile(runs, data, 0o600)
}

// probe runs another program.
func probe() error { return exec.Command("true").Run() }

// Check has a helper run another program in between.
func Check(name string) error {
	m, err := loadRuns()
	if err != nil {
		return err
	}
	if err := probe(); err != nil {
		return err
	}
	m[name] = "checked"
	return saveRuns(m) /* error */ // want `Check`
}

// Test runs another program in between.
func Test(name string) error {
	m, err := loadRuns()
	if err != nil {
		return err
	}
	out, err := exec.Command("true").Output()
	if err != nil {
		return err
	}
	m[name] = string(out)
	return saveRuns(m) /* error */ // want `Test`
}

// confirm asks the user.
func confirm(name string) (string, error) {
	fmt.Println("note for", name)
	return bufio.NewReader(os.Stdin).ReadString('\n')
}

// Sign asks the user in between.
func Sign(name string) error {
	m, err := loadRuns()
	if err != nil {
		return err
	}
	note, err := confirm(name)
	if err != nil {
		return err
	}
	m[name] = note
	return saveRuns(m) /* error */ // want `Sign`
}

// check asks the user where something is wrong.
func check(name string) error {
	if name != "" {
		return nil
	}
	_, err := confirm("nobody")
	return err
}

// Mark asks the user in between, but not as a rule.
func Mark(name string) error {
	m, err := loadRuns()
	if err != nil {
		return err
	}
	if err := check(name); err != nil {
		return err
	}
	m[name] = "marked"
	return saveRuns(m) /* note */ // want `Mark`
}
