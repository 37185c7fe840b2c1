package safeio

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func init() {
	errands["adder"] = addOften
}

// Each process adds this many entries from as many goroutines.
const (
	addingGoroutines = 4
	additions        = 12
)

// addOften adds entries named after id to a file, and says so on standard
// output as soon as each is acknowledged.
func addOften(args []string) error {
	name, id, add := args[0], args[1], adders[args[2]].add
	errs := make(chan error)
	for g := range addingGoroutines {
		go func() {
			for i := range additions {
				entry := fmt.Sprintf("%s-%d-%d", id, g, i)
				if err := add(name, entry); err != nil {
					errs <- err
					return
				}
				os.Stdout.WriteString("ack " + entry + "\n")
			}
			errs <- nil
		}()
	}
	var all []error
	for range addingGoroutines {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}

// adders are the ways to add an entry, and to parse what a plain reader gets.
var adders = map[string]struct {
	add   func(name, entry string) error
	parse func(content string) (map[string]int, error)
}{
	"Update": {
		func(name, entry string) error { return Update(name, 0o644, appending(entry+"\n")) },
		parseLines,
	},
	"UpdateJSON": {addEntry, parseMap},
	"State": {
		func(name, entry string) error {
			s := NewState[map[string]int](name, 0o644)
			err := s.Update(background, func(v *map[string]int) error {
				if *v == nil {
					*v = map[string]int{}
				}
				(*v)[entry]++
				return nil
			})
			if got, _ := s.Get(); err == nil && got[entry] != 1 {
				return fmt.Errorf("Get does not have %s after Update", entry)
			}
			return err
		},
		parseMap,
	},
}

func parseLines(content string) (map[string]int, error) {
	entries := map[string]int{}
	for _, line := range strings.SplitAfter(content, "\n") {
		if line == "" {
			continue
		}
		if strings.Count(line, "-") != 2 || !strings.HasSuffix(line, "\n") {
			return nil, fmt.Errorf("torn line %q", line)
		}
		entries[strings.TrimSuffix(line, "\n")]++
	}
	return entries, nil
}

func parseMap(content string) (entries map[string]int, err error) {
	err = json.Unmarshal([]byte(content), &entries)
	return entries, err
}

// A ledger is the entries that processes said were acknowledged.
type ledger struct {
	sync.Mutex
	acked []string
}

func (l *ledger) add(entry string) {
	l.Lock()
	defer l.Unlock()
	l.acked = append(l.acked, entry)
}

func (l *ledger) copy() []string {
	l.Lock()
	defer l.Unlock()
	return l.acked[:len(l.acked):len(l.acked)]
}

// TestNoAcknowledgedUpdateIsLost has processes add entries, kills some of them
// in the middle, and reads all the while as any program would: each read is
// whole and has every entry that was acknowledged before it.
func TestNoAcknowledgedUpdateIsLost(t *testing.T) {
	needLocks(t)
	for how := range adders {
		t.Run(how, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "state")
			var l ledger
			stop := make(chan struct{})
			var readers, writers sync.WaitGroup
			reads := 0
			readers.Add(1)
			go func() {
				defer readers.Done()
				for done := false; !done; reads++ {
					select {
					case <-stop:
						done = true // once more, after all is written
					default:
					}
					checkRead(t, how, name, &l)
				}
			}()
			for id := range 3 {
				writers.Add(1)
				go func() {
					defer writers.Done()
					for life, kill := range []int{1 + id*7, 5 + id*11, 0} {
						runAdder(t, how, name, fmt.Sprintf("p%dl%d", id, life), kill, &l)
					}
				}()
			}
			writers.Wait()
			close(stop)
			readers.Wait()
			t.Logf("%d acknowledged, %d reads", len(l.acked), reads)
			if len(l.acked) < 3*addingGoroutines*additions {
				t.Errorf("only %d are acknowledged", len(l.acked))
			}
		})
	}
}

// checkRead reads once.
func checkRead(t *testing.T, how, name string, l *ledger) {
	acked := l.copy()
	data, err := os.ReadFile(name)
	if runtime.GOOS == "windows" {
		time.Sleep(time.Millisecond) // without a pause no writer gets in
		if err != nil {
			return // refused while the file is being replaced
		}
	}
	if errors.Is(err, fs.ErrNotExist) && len(acked) == 0 {
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	entries, err := adders[how].parse(string(data))
	if err != nil {
		t.Errorf("torn: %v", err)
		return
	}
	for _, entry := range acked {
		if entries[entry] == 0 {
			t.Errorf("lost: %s", entry)
		}
	}
	for entry, n := range entries {
		if n != 1 {
			t.Errorf("%s is there %d times", entry, n)
		}
	}
}

// runAdder runs a process that adds entries. If kill is not 0, it is killed
// after it has acknowledged that many.
func runAdder(t *testing.T, how, name, id string, kill int, l *ledger) {
	cmd := child(t, "adder", name, id, how)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return
	}
	lines, last := bufio.NewReader(out), ""
	for n := 0; ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			last = line
			if err != io.EOF {
				t.Error(err)
			}
			break
		}
		entry, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "ack ")
		if !ok {
			t.Errorf("%s said %s", id, strconv.Quote(line))
			continue
		}
		l.add(entry)
		if n++; n == kill {
			cmd.Process.Kill()
		}
	}
	if err := cmd.Wait(); kill == 0 && (err != nil || last != "nil") {
		t.Errorf("%s ended with %v and said %q", id, err, last)
	}
}
