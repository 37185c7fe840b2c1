package copied

import (
	"encoding/json"
	"maps"
	"os"
	"sync"
	"syscall"
)

// A Book has pages, and says of which version it is.
type Book struct {
	mu      sync.Mutex
	path    string
	pages   map[string]string
	version int
}

func (b *Book) load() error {
	data, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &b.pages)
}

func (b *Book) out(pages map[string]string) error {
	data, err := json.Marshal(pages)
	if err != nil {
		return err
	}
	return replace(b.path, data)
}

// Set asks whether there is a version at all, and of none whether it is older.
func (b *Book) Set(key, value string) error {
	if b.version == 0 {
		return os.ErrInvalid
	}
	b.mu.Lock()
	b.pages[key] = value
	snapshot := maps.Clone(b.pages)
	b.mu.Unlock()
	return b.out(snapshot) // want `\(\*Book\).Set copies b.pages`
}

// A Shelf has a mutex that others who save the book do not take.
type Shelf struct{ mu sync.Mutex }

// Swap holds the mutex of another object.
func (b *Book) Swap(shelf *Shelf, key, value string) error {
	shelf.mu.Lock()
	defer shelf.mu.Unlock()
	b.mu.Lock()
	b.pages[key] = value
	snapshot := maps.Clone(b.pages)
	b.mu.Unlock()
	return b.out(snapshot) // want `\(\*Book\).Swap copies b.pages`
}

// SetLate takes a lock only when it has its copy.
func (b *Book) SetLate(key, value string) error {
	b.mu.Lock()
	b.pages[key] = value
	snapshot := maps.Clone(b.pages)
	b.mu.Unlock()
	l, err := flock("/run/copied.lock")
	if err != nil {
		return err
	}
	defer l.Close()
	return b.out(snapshot) // want `\(\*Book\).SetLate copies b.pages`
}

// SetEarly has the lock before it takes its copy.
func (b *Book) SetEarly(key, value string) error {
	l, err := flock("/run/copied.lock")
	if err != nil {
		return err
	}
	defer l.Close()
	b.mu.Lock()
	b.pages[key] = value
	snapshot := maps.Clone(b.pages)
	b.mu.Unlock()
	return b.out(snapshot)
}

// SetPrinting has a lock of something else.
func (b *Book) SetPrinting(key, value string) error {
	l, err := flock("/run/lock/printer")
	if err != nil {
		return err
	}
	defer l.Close()
	b.mu.Lock()
	b.pages[key] = value
	snapshot := maps.Clone(b.pages)
	b.mu.Unlock()
	return b.out(snapshot) // want `\(\*Book\).SetPrinting copies b.pages`
}

// LoadPage is given what it puts in: others call it on a book that they have.
func (b *Book) LoadPage(key, value string) error {
	b.mu.Lock()
	b.pages[key] = value
	snapshot := maps.Clone(b.pages)
	b.mu.Unlock()
	return b.out(snapshot) // want `\(\*Book\).LoadPage copies b.pages`
}

func flock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
