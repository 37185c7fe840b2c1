package quiet

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// What was written under the lock is flushed under it, and once more.
func (l *log) twice(line string) error {
	l.mu.Lock()
	fmt.Fprintln(l.w, line)
	err := l.w.Flush()
	l.mu.Unlock()
	if err != nil {
		return err
	}
	return l.w.Flush()
}

// The writer is new when the file is synced: only its name has to be there.
func begin(path, line string) error {
	f, err := os.OpenFile(path+".txt", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err := f.Sync(); err != nil {
		return err
	}
	fmt.Fprintln(w, line)
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// A file that code elsewhere has may be synced there.
func handed(path, line string, to interface{ Commit(*os.File) error }) error {
	f, err := os.OpenFile(path+".txt", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, line)
	if err := f.Sync(); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := to.Commit(f); err != nil {
		return err
	}
	return f.Close()
}

// A file of this run alone.
func stageLines(lines []string) error {
	dir, err := os.MkdirTemp("", "stage")
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "lines"))
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	fmt.Fprintln(w, lines)
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_UN); err != nil {
		return err
	}
	return w.Flush()
}

type roster struct {
	mu    sync.Mutex
	path  string
	Names []string
}

func (r *roster) save() {
	r.mu.Lock()
	defer r.mu.Unlock()
	data, err := json.Marshal(r.Names)
	if err != nil {
		return
	}
	_ = os.WriteFile(r.path+"/roster.json", data, 0o600) //lockvet:ignore tornwrite the test is about the lock
}

func (r *roster) load() error {
	data, err := os.ReadFile(r.path + "/roster.json")
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &r.Names)
}

// The deferred save locks by itself.
func (r *roster) enter(name string) {
	defer r.save()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Names = append(r.Names, name)
}
