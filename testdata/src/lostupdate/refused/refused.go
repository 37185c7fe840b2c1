package refused

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

type settings struct {
	Hooks []string
	N     int
}

func load(path string) (*settings, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s settings
	return &s, json.Unmarshal(data, &s)
}

func save(path string, s *settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(path, data)
}

func settingsFile(dir string) string { return filepath.Join(dir, "settings.json") }

// countAll would hold the lock of each until the last is done.
func countAll(dirs []string) error {
	for _, dir := range dirs {
		s, err := load(settingsFile(dir))
		if err != nil {
			return err
		}
		s.N++
		if err := save(settingsFile(dir), s); err != nil { // want `countAll loads .*no fix: the file is loaded in a loop`
			return err
		}
	}
	return nil
}

var mu sync.Mutex

// manual would keep the mutex.
func manual(dir string) error {
	mu.Lock()
	path := settingsFile(dir)
	s, err := load(path)
	if err != nil {
		mu.Unlock()
		return err
	}
	s.N++
	err = save(path, s) // want `manual loads .*no fix: the function releases something later`
	mu.Unlock()
	return err
}

// Edit does not know what its caller does under the lock.
func Edit(dir string, change func(*settings)) error {
	s, err := load(settingsFile(dir))
	if err != nil {
		return err
	}
	change(s)
	return save(settingsFile(dir), s) // want `Edit loads .*no fix: it calls a function that it is given, which may want the same lock`
}

// run starts a program that may edit the settings.
func run(dir string) error {
	s, err := load(settingsFile(dir))
	if err != nil {
		return err
	}
	for _, hook := range s.Hooks {
		if err := exec.Command(hook).Run(); err != nil {
			return err
		}
	}
	s.N++
	return save(settingsFile(dir), s) // want `run loads .*no fix: it starts a program, which may want the same lock`
}

// inner would have a lock of its own, which outer would wait for.
func inner(dir string) error {
	s, err := load(settingsFile(dir))
	if err != nil {
		return err
	}
	s.N++
	return save(settingsFile(dir), s) // want `inner loads dir/settings.json.*no fix: Edit saves the file, too, at refused.go:77, and would not have the lock: it calls a function that it is given, which may want the same lock`
}

func outer(dir string) error {
	s, err := load(settingsFile(dir))
	if err != nil {
		return err
	}
	if err := inner(dir); err != nil {
		return err
	}
	s.Hooks = nil
	return save(settingsFile(dir), s) // want `outer loads .*no fix: a function that it calls does the same, and waits for the same lock`
}

// again calls itself.
func again(dir string, n int) error {
	s, err := load(settingsFile(dir))
	if err != nil || n == 0 {
		return err
	}
	s.N++
	if err := again(dir, n-1); err != nil {
		return err
	}
	return save(settingsFile(dir), s) // want `again loads .*no fix: the function calls itself, and would wait for itself`
}

// chosen finds its directory after it has looked around.
func chosen(names []string) error {
	var s *settings
	var path string
	for _, name := range names {
		path = settingsFile(name)
		if found, err := load(path); err == nil {
			s = found
			break
		}
	}
	if s == nil {
		return os.ErrNotExist
	}
	s.N++
	return save(path, s) // want `chosen loads .*no fix: the file is loaded in a loop`
}

// command counts, too, and has no name.
var command = struct{ run func(dir string) }{func(dir string) {
	s, err := load(dir + "/command.json")
	if err != nil {
		return
	}
	s.N++
	save(dir+"/command.json", s) // want `the function literal in command loads dir/command.json.*no fix: the function returns no error`
}}

// rehearse changes nothing if it is told so.
func rehearse(dir string, dryRun bool) error {
	s, err := load(settingsFile(dir))
	if err != nil {
		return err
	}
	if dryRun {
		return nil
	}
	s.N++
	return save(settingsFile(dir), s) // want `rehearse loads .*no fix: it can be asked to change nothing, and taking a lock makes its file`
}

// serve would have the lock as long as it runs.
func serve(dir string, work func() error) error {
	s, err := load(settingsFile(dir))
	if err != nil {
		return err
	}
	s.N++
	if err := save(settingsFile(dir), s); err != nil { // want `serve loads .*no fix: it may go on for ever with the lock`
		return err
	}
	for {
		time.Sleep(time.Second)
	}
}

// confirm waits for an answer.
func confirm(dir string) error {
	s, err := load(settingsFile(dir))
	if err != nil {
		return err
	}
	if ok, err := consent(); !ok {
		return err
	}
	s.N++
	return save(settingsFile(dir), s) // want `confirm loads .*no fix: it waits for the user, and others would wait for the lock`
}

// consent asks by a helper.
func consent() (bool, error) { return agreed() }

func agreed() (bool, error) {
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	return line == "yes\n", err
}

// identify starts a program in a helper that touches no file.
func identify(dir string) error {
	s, err := load(settingsFile(dir))
	if err != nil {
		return err
	}
	s.Hooks = append(s.Hooks, hooked())
	return save(settingsFile(dir), s) // want `identify loads .*no fix: it starts a program, which may want the same lock`
}

func hooked() string {
	out, _ := exec.Command("make", "hooks").Output()
	return string(out)
}

// asks has its answer before it loads, and starts what has no hooks.
func asks(dir string) error {
	if ok, err := agreed(); !ok {
		return err
	}
	s, err := load(dir + "/asked.json")
	if err != nil {
		return err
	}
	s.Hooks = append(s.Hooks, owner())
	return save(dir+"/asked.json", s) // want `asks loads `
}

func owner() string {
	out, _ := exec.Command("git", "config", "user.name").Output()
	return string(out)
}

// A lane is named by a part of what it is given.
func lane(name string) string { return strings.TrimSuffix(name, "/") }

func loadLane(dir, name string) (*settings, error) {
	return load(filepath.Join(dir, lane(name), "settings.json"))
}

func saveLane(dir, name string, s *settings) error {
	return save(filepath.Join(dir, lane(name), "settings.json"), s)
}

func bump(dir, name string) error {
	s, err := loadLane(dir, name)
	if err != nil {
		return err
	}
	s.N++
	return saveLane(dir, name, s) // want `bump loads .*no fix: the function has no name for the path of the file`
}

// wipe would have the lock when it waits for the mutex, which manual would have
// when it waits for the lock.
func wipe(dir string) error {
	s, err := load(settingsFile(dir))
	if err != nil {
		return err
	}
	s.N = next()
	return save(settingsFile(dir), s) // want `wipe loads .*no fix: it takes a mutex under the lock that others have when they wait for the lock`
}

func next() int {
	mu.Lock()
	defer mu.Unlock()
	return 0
}

// format is told by the user which file, and if no one tells, takes the one that is
// there.
func format(args []string) error {
	path := ".settings.json"
	if len(args) > 0 {
		path = args[0]
	}
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Hooks = nil
	return save(path, s) // want `format loads .*no fix: which file it is comes out as it runs, and a lock would leave its own beside it`
}

// note changes what people write, too.
func note(dir string) error {
	s, err := load(filepath.Join(dir, "TODO.md"))
	if err != nil {
		return err
	}
	s.N++
	return save(filepath.Join(dir, "TODO.md"), s) // want `note loads .*no fix: people write such a file, too`
}
