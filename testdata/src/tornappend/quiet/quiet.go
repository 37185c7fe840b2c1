// Package quiet appends records in ways that nobody can come between, or where
// nothing is lost if somebody does.
package quiet

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/gofrs/flock"

	"tornappend/quiet/foreign"
)

type event struct{ Kind string }

const appending = os.O_APPEND | os.O_CREATE | os.O_WRONLY

func events(dir string) string { return filepath.Join(dir, "events.jsonl") }

func read(dir string) ([]event, error) {
	f, err := os.Open(events(dir))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []event
	for in := bufio.NewScanner(f); in.Scan(); {
		var e event
		if json.Unmarshal(in.Bytes(), &e) == nil {
			list = append(list, e)
		}
	}
	return list, nil
}

// One write with the newline in it.
func whole(dir string, e event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(events(dir), appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(append(data, '\n'))
	return err
}

// An encoder writes each value by one write, with the newline. Many in one loop
// are many records.
func encoded(dir string, list []event) error {
	f, err := os.OpenFile(events(dir), appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	for _, e := range list {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

// Fprintf and Fprintln write once, and these are two lines.
func printed(dir, kind string) error {
	f, err := os.OpenFile(events(dir), appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "{\"Kind\":%q}\n", kind); err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, "{}")
	return err
}

// A logger writes each entry at once.
func logged(dir string) (*log.Logger, error) {
	f, err := os.OpenFile(events(dir), appending, 0o600)
	if err != nil {
		return nil, err
	}
	l := log.New(f, "", 0)
	l.Print("{}")
	l.Print("{}")
	return l, nil
}

// The newline comes first, to end what a crash has left.
func healed(dir string, e event) error {
	f, err := os.OpenFile(events(dir), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if n := info.Size(); n > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, n-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			if _, err := f.Write([]byte{'\n'}); err != nil {
				return err
			}
		}
	}
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	return err
}

// A lock between processes spans the record.
func locked(dir string, e event) error {
	l := flock.New(events(dir) + ".lock")
	if err := l.Lock(); err != nil {
		return err
	}
	defer l.Unlock()
	return pieces(events(dir), e)
}

// pieces is called under the lock only.
func pieces(path string, e event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	_, err = f.WriteString("\n")
	return err
}

// What one write puts into an empty buffer leaves it by one write.
func alone(dir, kind string) error {
	f, err := os.OpenFile(events(dir), appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, "{\"Kind\":%q}\n", kind)
	return w.Flush()
}

// A buffer for each record, in a loop.
func each(dir string, kinds []string) error {
	for _, kind := range kinds {
		if err := alone(dir, kind); err != nil {
			return err
		}
		f, err := os.OpenFile(events(dir), appending, 0o600)
		if err != nil {
			return err
		}
		w := bufio.NewWriter(f)
		fmt.Fprintf(w, "{\"Kind\":%q}\n", kind)
		w.Flush()
		f.Close()
	}
	return nil
}

// A file that is made anew has no other writer.
func anew(dir string, list []event) error {
	path := filepath.Join(dir, "state.jsonl")
	if err := os.Remove(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, e := range list {
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		f.Write(data)
		f.WriteString("\n")
	}
	return nil
}

// A name that tells the process.
func private(dir string, e event) error {
	return pairIn(filepath.Join(dir, "journal-"+strconv.Itoa(os.Getpid())+".jsonl"), e)
}

func pairIn(path string, e event) error {
	f, err := os.OpenFile(path, appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprintf(f, "{\"Kind\":%q}", e.Kind)
	_, err = f.WriteString("\n")
	return err
}

// The file must not have been there.
func exclusive(dir string, e event) error {
	f, err := os.OpenFile(events(dir), appending|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f.Write(data)
	_, err = f.WriteString("\n")
	return err
}

// Nobody says that this is state: a log for people.
func talk(dir, what string) {
	f, err := os.OpenFile(filepath.Join(dir, "debug.log"), appending, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	f.WriteString(what)
	f.WriteString("\n")
}

// The pieces are of other files.
func two(dir string, e event) error {
	a, err := os.OpenFile(events(dir), appending, 0o600)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := os.OpenFile(filepath.Join(dir, "index.json"), appending, 0o600)
	if err != nil {
		return err
	}
	defer b.Close()
	if err := json.NewEncoder(a).Encode(e); err != nil {
		return err
	}
	_, err = b.WriteString("\n")
	return err
}

// One or the other.
func either(dir string, e event, gap bool) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(events(dir), appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if gap {
		_, err = f.WriteString("\n")
	} else {
		_, err = f.Write(append(data, '\n'))
	}
	return err
}

// A header and its payload are no lines; who reads them counts bytes.
func framed(dir string, payload []byte) error {
	f, err := os.OpenFile(filepath.Join(dir, "queue.db"), appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := binary.Write(f, binary.LittleEndian, uint32(len(payload))); err != nil {
		return err
	}
	_, err = f.Write(payload)
	return err
}

// A copy of another file, and a newline behind it.
func joined(dir string, r io.Reader) error {
	f, err := os.OpenFile(events(dir), appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(f, r); err != nil {
		return err
	}
	_, err = f.WriteString("\n")
	return err
}

// A daemon is the only one that has its journal open: it keeps a lock.
type daemon struct {
	mu      sync.Mutex
	lock    *flock.Flock
	journal *os.File
	w       *bufio.Writer
}

func start(dir string) (*daemon, error) {
	d := &daemon{lock: flock.New(filepath.Join(dir, "daemon.lock"))}
	if err := d.lock.Lock(); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "journal.jsonl"), appending, 0o600)
	if err != nil {
		return nil, err
	}
	d.journal = f
	return d, nil
}

func (d *daemon) add(e event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.journal.Write(data); err != nil {
		return err
	}
	_, err = d.journal.WriteString("\n")
	return err
}

// A buffered writer in a field keeps bytes back on purpose.
type keeper struct {
	f *os.File
	w *bufio.Writer
}

func keep(dir string) (*keeper, error) {
	f, err := os.OpenFile(events(dir), appending, 0o600)
	if err != nil {
		return nil, err
	}
	k := &keeper{f: f, w: bufio.NewWriter(f)}
	fmt.Fprintln(k.w, "{}")
	fmt.Fprintln(k.w, "{}")
	return k, nil
}

func (k *keeper) add(e event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	k.w.Write(data)
	return k.w.WriteByte('\n')
}

// A file that comes from elsewhere may be any.
type sink struct{ f *os.File }

func to(f *os.File) *sink { return &sink{f} }

func own(dir string) (*sink, error) {
	f, err := os.OpenFile(events(dir), appending, 0o600)
	return &sink{f: f}, err
}

func (s *sink) add(e event) {
	data, _ := json.Marshal(e)
	s.f.Write(data)
	s.f.WriteString("\n")
}

// One or the other, chosen by a function of its own.
func chosen(dir string, e event, gap bool) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(events(dir), appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	return choose(f, data, !gap)
}

func choose(f *os.File, data []byte, filled bool) (err error) {
	if filled {
		_, err = f.Write(data)
	} else {
		_, err = f.WriteString("\n")
	}
	return err
}

// What another package does with the file, nobody can tell.
func given(dir string, e event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(events(dir), appending, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if !foreign.Claim(f) {
		return nil
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	_, err = f.WriteString("\n")
	return err
}
