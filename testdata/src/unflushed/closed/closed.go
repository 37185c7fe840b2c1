// Package closed flushes into files that are closed.
package closed

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"os"
)

// save defers the two in the wrong order.
func save(path string, rows [][]string) error {
	f, err := os.Create(path + ".csv")
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	defer w.Flush()
	defer f.Close() // want `save closes path\.csv before the csv writer is flushed: what is in the buffer never reaches the file`
	for _, r := range rows {
		if err := w.Write(r); err != nil {
			return err
		}
	}
	return nil
}

// pack ends the compressor when the file is closed.
func pack(path string, data []byte) error {
	f, err := os.Create(path + ".gz")
	if err != nil {
		return err
	}
	z := gzip.NewWriter(f)
	if _, err := z.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil { // want `pack closes path\.gz before the gzip writer is flushed`
		return err
	}
	return z.Close()
}

// saveWell defers them in the right one.
func saveWell(path string, rows [][]string) error {
	f, err := os.Create(path + ".csv")
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	defer w.Flush() // ok
	return w.WriteAll(rows)
}

// flushTwice has flushed when it closes.
func flushTwice(path string, lines []string) error {
	f, err := os.Create(path + ".txt")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	defer w.Flush()
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close() // ok
}

// either closes on one way, and flushes on the other.
func either(path, line string) error {
	f, err := os.Create(path + ".txt")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if _, err := io.WriteString(w, line); err != nil {
		f.Close() // ok
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
