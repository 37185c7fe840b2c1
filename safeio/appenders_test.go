package safeio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Many processes append to one log and many read it, while some are killed.

const (
	appenderCallers = 4
	appenderRecords = 40 // of each caller
)

func init() {
	errands["appender"] = func(args []string) error { return appendOften(args[0], args[1], args[2] == "half") }
	errands["records-reader"] = func(args []string) error { return readUntil(args[0], args[1], recordsRound) }
	errands["lines-reader"] = func(args []string) error { return readUntil(args[0], args[1], linesRound) }
}

// numbered is the i-th record of a caller. Its length and its letter tell, too,
// whether it is whole and nothing else.
func numbered(process, caller, i int) []byte {
	letter := string(rune('a' + process))
	return fmt.Appendf(nil, "%d %d %d %s.", process, caller, i, strings.Repeat(letter, (process*7919+caller*104729+i*31)%9000))
}

// appendOften appends as several callers, and says on standard output
// what was acknowledged. If half, it ends in the middle of a record.
func appendOften(name, process string, half bool) error {
	p, err := strconv.Atoi(process)
	if err != nil {
		return err
	}
	errs := make(chan error, appenderCallers)
	for caller := range appenderCallers {
		go func() {
			mortal := half && caller == 0
			for i := 0; i < appenderRecords || mortal; i++ {
				record, err := numbered(p, caller, i), error(nil)
				if mortal && i >= appenderRecords/2 {
					err = halfAppend(name, record) // dies if it leads
				} else {
					err = Append(name, record, 0o644)
				}
				if err != nil {
					errs <- err
					return
				}
				os.Stdout.Write(fmt.Appendf(nil, "%d %d\n", caller, i))
			}
			errs <- nil
		}()
	}
	var all []error
	for range appenderCallers {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}

// A census counts the records of each caller, which must be there in order.
type census map[[2]int]int

// add knows a whole record.
func (c census) add(record []byte) error {
	var process, caller, i int
	if _, err := fmt.Sscan(string(record), &process, &caller, &i); err != nil {
		return fmt.Errorf("no record: %s", brief(string(record)))
	}
	if !bytes.Equal(record, numbered(process, caller, i)) {
		return fmt.Errorf("not whole, or not alone: %s", brief(string(record)))
	}
	who := [2]int{process, caller}
	if c[who] != i {
		return fmt.Errorf("caller %v: record %d where %d is due", who, i, c[who])
	}
	c[who]++
	return nil
}

// recordsRound reads with Records.
func recordsRound(name string) (census, error) {
	c := census{}
	for record, err := range Records(name) {
		if errors.Is(err, ErrTorn) {
			continue
		}
		if err == nil {
			err = c.add(record)
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// linesRound reads as a program that has never heard of this package.
func linesRound(name string) (census, error) {
	c := census{}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	in := bufio.NewScanner(bytes.NewReader(whole))
	for in.Scan() {
		if bytes.HasSuffix(in.Bytes(), []byte{0x18}) {
			continue // known as torn
		}
		if err := c.add(in.Bytes()); err != nil {
			return nil, err
		}
	}
	return c, in.Err()
}

// readUntil reads round after round until the file until is there. What has been
// read once must be there the next time.
func readUntil(name, until string, round func(string) (census, error)) error {
	before := census{}
	for {
		_, missing := os.Stat(until)
		now, err := round(name)
		if err != nil {
			return err
		}
		for who, n := range before {
			if now[who] < n {
				return fmt.Errorf("caller %v had %d records, now %d", who, n, now[who])
			}
		}
		before = now
		if missing == nil {
			return nil
		}
	}
}

// acknowledged reads the output of an appender, which it kills after kill
// lines. It returns how many records of each caller are acknowledged, and the report.
func acknowledged(t *testing.T, name string, process, kill int, half string) (acked [appenderCallers]int, report string) {
	cmd := child(t, "appender", name, strconv.Itoa(process), half)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return acked, ""
	}
	in := bufio.NewScanner(out)
	for lines := 0; in.Scan(); lines++ {
		var caller, i int
		if n, _ := fmt.Sscan(in.Text(), &caller, &i); n != 2 {
			report = in.Text()
			break
		}
		acked[caller] = i + 1
		if lines == kill {
			cmd.Process.Kill()
		}
	}
	cmd.Wait()
	return acked, report
}

func TestManyAppenders(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	name, until := filepath.Join(dir, "log"), filepath.Join(elsewhere, "until")
	mustWrite(t, name, "", 0o644)

	readers := make(chan string)
	for _, errand := range []string{"records-reader", "lines-reader"} {
		cmd := child(t, errand, name, until)
		go func() {
			out, err := cmd.Output()
			readers <- fmt.Sprint(errand, " says ", string(out), err)
		}()
	}

	const processes = 12 // a third lives, a third is killed, a third dies in the middle of a record
	var running waitGroup
	var acked [processes][appenderCallers]int
	for p := range processes {
		running.Go(func() {
			kill, half, want := -1, "whole", "nil" // one that is killed may be done by then
			switch p % 3 {
			case 1:
				kill, want = rand.IntN(appenderCallers*appenderRecords*3/4), ""
			case 2:
				half, want = "half", ""
			}
			got := ""
			if acked[p], got = acknowledged(t, name, p, kill, half); got != want && !(got == "nil" && kill >= 0) {
				t.Errorf("process %d reports %q, want %q", p, got, want)
			}
		})
	}
	running.Wait()
	mustWrite(t, until, "", 0o644)
	for range 2 {
		if got := <-readers; !strings.HasSuffix(got, "says nil<nil>") {
			t.Error(got)
		}
	}

	there, err := recordsRound(name)
	if err != nil {
		t.Fatal(err)
	}
	torn, total := 0, 0
	for _, record := range recordsOf(t, name) {
		if strings.HasPrefix(record, "torn") {
			torn++
		}
	}
	for p := range acked {
		for caller, n := range acked[p] {
			total += n
			if there[[2]int{p, caller}] < n {
				t.Errorf("caller %d of process %d: %d records, %d acknowledged", caller, p, there[[2]int{p, caller}], n)
			}
		}
	}
	if torn < processes/3 {
		t.Errorf("%d torn records", torn)
	}
	t.Logf("%d records acknowledged, %d torn", total, torn)
	wantOnly(t, dir, "log", ".safeio-log.lock")
}
