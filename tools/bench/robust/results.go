package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/lockvet/lockvet/internal/flow"
)

// A record is what is known of the analysis of a package, or that of a module is
// finished.
type record struct {
	Root     string // the module in whose closure the package was met
	Finished bool   `json:",omitempty"`
	Package  string `json:",omitempty"` // import path@version
	// Broken is why the package does not compile, which is no fault of lockvet: there
	// is nothing else then.
	Broken    string        `json:",omitempty"`
	TypeCheck time.Duration `json:",omitempty"`
	Analysis  time.Duration `json:",omitempty"`
	Alone     bool          `json:",omitempty"` // the times are those of a second measurement
	Steps     int           `json:",omitempty"`
	Findings  int           `json:",omitempty"`
	GaveUp    []flow.GaveUp `json:",omitempty"`
	Error     string        `json:",omitempty"` // of the pass; a panic is one, too
	Died      string        `json:",omitempty"` // the last words of the process
	Hung      bool          `json:",omitempty"`
}

// ratio compares the analysis with the type-checking.
func (r record) ratio() float64 { return float64(r.Analysis) / float64(max(r.TypeCheck, 1)) }

// results are the records of all runs so far.
type results struct {
	file     *os.File
	packages map[string]record // by package
	order    []string          // of the packages
	finished map[string]bool   // by module
}

// openResults reads the records in a directory, to which more can be added. A last line
// that was not written to its end is cut off.
func openResults(dir string) (*results, error) {
	f, err := os.OpenFile(filepath.Join(dir, "results.jsonl"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	r, size, err := readResults(f)
	if err == nil {
		err = f.Truncate(size)
	}
	if err == nil {
		_, err = f.Seek(size, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	r.file = f
	return r, nil
}

// loadResults reads the records in a directory.
func loadResults(dir string) (*results, error) {
	f, err := os.Open(filepath.Join(dir, "results.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, _, err := readResults(f)
	return r, err
}

// readResults reads records, and returns the size of those that are complete.
func readResults(from io.Reader) (r *results, size int64, err error) {
	r = &results{packages: map[string]record{}, finished: map[string]bool{}}
	for in := bufio.NewReader(from); ; {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return r, size, nil
		}
		var next record
		if err == nil {
			err = json.Unmarshal(line, &next)
		}
		if err != nil {
			return nil, size, fmt.Errorf("at byte %d: %w; without this line, its package is analysed again", size, err)
		}
		size += int64(len(line))
		r.keep(next)
	}
}

func (r *results) close() error { return r.file.Close() }

// keep enters a record. A second one of a package counts.
func (r *results) keep(next record) {
	if next.Finished {
		r.finished[next.Root] = true
		return
	}
	if old, ok := r.packages[next.Package]; ok {
		next.Root = old.Root
	} else {
		r.order = append(r.order, next.Package)
	}
	r.packages[next.Package] = next
}

// add keeps a record and writes it to the file.
func (r *results) add(next record) error {
	r.keep(next)
	line, err := json.Marshal(next)
	if err != nil {
		return err
	}
	_, err = r.file.Write(append(line, '\n'))
	return err
}

// of lists the records of a module's closure in the order in which they were made.
func (r *results) of(root string) []record {
	var list []record
	for _, p := range r.order {
		if r.packages[p].Root == root {
			list = append(list, r.packages[p])
		}
	}
	return list
}

// roots lists the modules.
func (r *results) roots() []string {
	var list []string
	for _, p := range r.order {
		if root := r.packages[p].Root; !slices.Contains(list, root) {
			list = append(list, root)
		}
	}
	return list
}

// suspects lists the packages of a closure that may be slow, not being measured alone.
func (r *results) suspects(m module, o options) []string {
	var list []string
	for _, p := range r.of(m.String()) {
		if !p.Alone && p.Analysis >= o.min && p.ratio() > o.ratio/2 {
			list = append(list, p.Package)
		}
	}
	return list
}
