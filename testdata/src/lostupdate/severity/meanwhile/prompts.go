package meanwhile

import (
	"errors"
	"os"
	"os/exec"

	"github.com/chzyer/readline"
)

// scan asks until there is an answer.
func scan(prompt string) (string, error) {
	l, err := readline.New(prompt)
	if err != nil {
		return "", err
	}
	defer l.Close()
	for {
		line, err := l.Readline()
		if err != nil {
			return "", err
		}
		if line != "" {
			return line, nil
		}
	}
}

// Describe has a library ask the user in between.
func Describe(name string) error {
	m, err := loadRuns()
	if err != nil {
		return err
	}
	if m[name], err = scan("Description> "); err != nil {
		return err
	}
	return saveRuns(m) /* error */ // want `Describe`
}

func run(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stdout = os.Stdout
	return cmd.Run()
}

// edit has the user's editor run, by a helper of a helper.
func edit(file string) error {
	editor := os.Getenv("EDITOR")
	if editor == "" {
		editor = "vi"
	}
	if err := run(editor, file); err != nil {
		return errors.New("no editor")
	}
	return nil
}

// Amend waits for an editor in between.
func Amend(name, file string) error {
	m, err := loadRuns()
	if err != nil {
		return err
	}
	if err := edit(file); err != nil {
		return err
	}
	m[name] = "amended"
	return saveRuns(m) /* error */ // want `Amend`
}
