package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/internal/config"
)

// initialize writes a configuration that says nothing yet, unless there is one.
func (c command) initialize(args []string) (int, error) {
	o, err := c.parse(append([]string{"-config=" + noConfig}, args...))
	switch {
	case err != nil:
		return 0, err
	case len(o.patterns) != 1 || o.patterns[0] != ".":
		return 0, errors.New("usage: lockvet init, or lockvet init -C dir")
	}
	for _, name := range config.Names {
		if _, err := os.Lstat(filepath.Join(o.dir, name)); err == nil {
			return 0, fmt.Errorf("%s is there already; it is left as it is", filepath.Join(o.dir, name))
		}
	}
	name := filepath.Join(o.dir, config.Names[0])
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return 0, err
	}
	_, err = f.WriteString(config.Template())
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, errors.Join(err, os.Remove(name))
	}
	fmt.Fprintln(c.stdout, name)
	return exitClean, nil
}
