// Package derived edits texts that people write, too: neither their names nor an
// encoder speak for them, but what is lost with them does not come back.
package derived

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const begin, end = "# >>> tools >>>", "# <<< tools <<<"

// enable puts a block into the start-up file of a shell.
func enable(home string) error {
	path := filepath.Join(home, ".zshrc")
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	text := string(data)
	if strings.Contains(text, begin) {
		return nil
	}
	text += fmt.Sprintf("\n%s\nsource %s\n%s\n", begin, filepath.Join(home, ".tools", "env"), end)
	return os.WriteFile(path, []byte(text), 0o644) // want `enable truncates home/.zshrc before it is written`
}

// disable takes it out again, by a helper that cuts.
func disable(home string) error {
	path := filepath.Join(home, ".zshrc")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, without(data), 0o644) // want `disable truncates home/.zshrc before it is written`
}

func without(text []byte) []byte {
	head, rest, ok := bytes.Cut(text, []byte(begin))
	if !ok {
		return text
	}
	_, tail, _ := bytes.Cut(rest, []byte(end))
	return append(head, tail...)
}

// enableSafely keeps what was there under another name.
func enableSafely(home string) error {
	path := filepath.Join(home, ".bashrc")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(data) > 0 {
		if err := os.WriteFile(path+".before-tools", data, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(path, append(data, "\n. ~/.tools/env\n"...), 0o644)
}

// retire notes under another name what it takes out of a list, which is no copy.
func retire(dir, name string) error {
	path := filepath.Join(dir, "ALLOWED")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var left, gone []string
	for _, line := range strings.SplitAfter(string(data), "\n") {
		if strings.TrimSpace(line) == name {
			gone = append(gone, line)
		} else {
			left = append(left, line)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "RETIRED"), []byte(strings.Join(gone, "")), 0o644); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.Join(left, "")), 0o644) // want `retire truncates dir/ALLOWED before it is written`
}

// welcome puts a text in front of what is there, unless there is nothing.
func welcome(dir string) error {
	path := filepath.Join(dir, "MOTD")
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte("Welcome.\n\nPlease tidy up\nbehind you.\n\n"+string(data)), 0o644) // want `welcome truncates dir/MOTD before it is written`
}

// render makes one text of another, which stays.
func render(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "greeting.in"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "greeting"), bytes.ToUpper(data), 0o644)
}

// tidy rewrites what stands on the command line, as formatters do.
func tidy() error {
	path := os.Args[1]
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, bytes.TrimRight(data, "\n"), 0o644)
}

// Sign puts a line behind what its caller's caller names, wherever that is.
func Sign(args []string) error {
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], append(data, "\nSigned-off-by: nobody\n"...), 0o644)
}

// stamp puts a number into a kernel file that it has read before.
func stamp() error {
	data, err := os.ReadFile("/proc/sys/vm/swappiness")
	if err != nil {
		return err
	}
	return os.WriteFile("/proc/sys/vm/swappiness", bytes.TrimSpace(data), 0o644)
}

// export is named for output, and so is its variable; it edits what the file holds.
func export(home, line string) error {
	out := filepath.Join(home, ".zprofile")
	data, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(data, line...), 0o644) // want `export truncates home/.zprofile before it is written`
}

var rcFiles = []string{".zshrc", ".bashrc"}

// strip removes a line from each of its files, whose names are written out in a list.
func strip(home, line string) error {
	for _, name := range rcFiles {
		path := filepath.Join(home, name)
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte(line), nil), 0o644); err != nil { // want `strip truncates a file in home before it is written`
			return err
		}
	}
	return nil
}
