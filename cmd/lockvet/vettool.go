package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/supply"
)

// spokenToByVet reports whether the arguments are those of the protocol that
// go vet -vettool speaks.
func spokenToByVet(args []string) bool {
	if len(args) == 0 {
		return false
	}
	return strings.HasSuffix(args[len(args)-1], ".cfg") ||
		slices.Contains(args, "-V=full") || slices.Contains(args, "-flags")
}

// vettool does what go vet asks for. The go command knows which flags there are, and not
// which values they take: it starts the tool for each package all the same. What is wrong
// with a value is said once in a build, for one of the packages that the user has named, and
// that one fails. The others end without facts, so that the go command keeps nothing of
// them; of those that these import nothing is told.
func (c command) vettool(args []string) int {
	unit, err := readUnit(args[len(args)-1])
	if err == nil {
		err = c.wrongVetFlag(args, unit)
	}
	switch {
	case err == nil:
		unitchecker.Main(c.analyzer(nil)) // exits
	case unit != nil && unit.VetxOnly:
		if err = os.WriteFile(unit.VetxOutput, nil, 0o666); err == nil {
			return exitClean
		}
	case !firstToSay(args[len(args)-1], err):
		return exitClean
	}
	c.complain("%v", err)
	return exitFailed
}

// firstToSay reports whether no other process of a build has said what is wrong: that would
// have left a file in the directory of the build, which holds the one of each package and
// is gone after it.
func firstToSay(config string, wrong error) bool {
	build := filepath.Dir(filepath.Dir(config))
	if !strings.HasPrefix(filepath.Base(build), "go-build") {
		return true
	}
	name := fmt.Sprintf("lockvet-%x", sha256.Sum256([]byte(wrong.Error())))
	f, err := os.OpenFile(filepath.Join(build, name), os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		f.Close() // it is empty
	}
	return !errors.Is(err, fs.ErrExist)
}

// readUnit is what go vet says of a package, nil where it asks for something else.
func readUnit(name string) (*unitchecker.Config, error) {
	if !strings.HasSuffix(name, ".cfg") {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	unit := &unitchecker.Config{}
	if err := json.Unmarshal(data, unit); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return unit, nil
}

// wrongVetFlag is the error for a flag of the analyzer with a value that it does not take:
// the protocol's own parser would print the whole usage behind it. With -fix, nothing is
// compiled before files are written, so that the package that fixed code imports has to be
// there.
func (c command) wrongVetFlag(args []string, unit *unitchecker.Config) error {
	a := c.analyzer(nil)
	fix, safeio := false, a.Flags.Lookup("safeio").DefValue
	for _, arg := range args {
		name, value, ok := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") {
			continue
		}
		if name == "fix" {
			on, err := strconv.ParseBool(value)
			fix = !ok || on && err == nil
		}
		own, ofLockvet := strings.CutPrefix(name, a.Name+".")
		if !ok || !ofLockvet {
			continue
		}
		if f := a.Flags.Lookup(own); f != nil {
			if err := f.Value.Set(value); err != nil {
				return fmt.Errorf("-%s: %w", name, err)
			}
		}
		if own == "safeio" {
			safeio = value
		}
	}
	switch {
	case safeio == supply.Bundle:
		return fmt.Errorf("-%s.safeio=%s: go vet writes no copy: name an import path, or fix with lockvet -fix", a.Name, safeio)
	case fix && unit != nil && !unit.VetxOnly:
		if _, err := supply.Importable(load.Config{Dir: unit.Dir}, safeio); err != nil {
			return fmt.Errorf("-fix: fixed code imports %s: %w; nothing was changed", safeio, err)
		}
	}
	return nil
}
