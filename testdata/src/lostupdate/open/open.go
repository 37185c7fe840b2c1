// Command open has programs that load state, stay open, and save it later.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rivo/tview"
)

type connection struct{ Name, URL string }

// Settings are loaded when the program starts.
type Settings struct {
	file        string
	Connections []connection
	Keys        map[string]string
}

type application struct {
	*tview.Application
	settings *Settings
}

var app = &application{Application: tview.NewApplication(), settings: &Settings{}}

func loadSettings(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	app.settings.file = file
	return json.Unmarshal(b, app.settings)
}

func (s *Settings) saveConnections(list []connection) error {
	s.Connections = list
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return replace(s.file, b) // want `\(\*Settings\).saveConnections saves the open.Settings as loadSettings has loaded it, with the changes of this instance of the program alone: what another has saved since is lost`
}

// A navigator has marks, which are loaded line by line and changed by keys.
type navigator struct {
	marks map[string]string
	tags  map[string]string
	notes map[string]string
	pins  map[string]string
	last  map[string]string
}

var (
	marksPath = filepath.Join(data(), "finder", "marks")
	tagsPath  = filepath.Join(data(), "finder", "tags")
	notesPath = filepath.Join(data(), "finder", "notes")
	pinsPath  = filepath.Join(data(), "finder", "pins")
	lastPath  = filepath.Join(data(), "finder", "last.json")
)

func data() string { return filepath.Join(os.Getenv("HOME"), ".local", "share") }

func read(path string) (map[string]string, error) {
	m := map[string]string{}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), ":")
		if !ok {
			return nil, errors.New("no mark: " + lines.Text())
		}
		m[name] = value
	}
	return m, lines.Err()
}

func write(path string, m map[string]string) error {
	var text strings.Builder
	for name, value := range m {
		fmt.Fprintf(&text, "%s:%s\n", name, value)
	}
	return replace(path, []byte(text.String()))
}

func (n *navigator) readMarks() (err error) {
	n.marks, err = read(marksPath)
	return err
}

func (n *navigator) writeMarks() error {
	return write(marksPath, n.marks) // want `\(\*navigator\).writeMarks saves open.navigator.marks as \(\*navigator\).readMarks has loaded it`
}

func (n *navigator) key(r rune, dir string) error {
	switch r {
	case 'm':
		n.marks[string(r)] = dir
		return n.writeMarks()
	case 't':
		return n.tag(dir, string(r))
	case 'n':
		return n.writeNotes()
	case 'p':
		n.pins[dir] = "pinned"
		return n.writePins()
	}
	return nil
}

// Tags are loaded again before they are changed.
func (n *navigator) readTags() (err error) {
	n.tags, err = read(tagsPath)
	return err
}

func (n *navigator) writeTags() error { return write(tagsPath, n.tags) }

func (n *navigator) tag(file, tag string) error {
	if err := n.readTags(); err != nil {
		return err
	}
	n.tags[file] = tag
	return n.writeTags() // want `\(\*navigator\).tag loads open.tagsPath, changes it and saves it with no lock`
}

// Notes are saved as they were loaded: nothing changes them.
func (n *navigator) readNotes() (err error) {
	n.notes, err = read(notesPath)
	return err
}

func (n *navigator) writeNotes() error { return write(notesPath, n.notes) }

// Pins have a lock, which the program holds as long as it runs.
func (n *navigator) readPins() (err error) {
	n.pins, err = read(pinsPath)
	return err
}

func (n *navigator) writePins() error {
	lock, err := os.OpenFile(pinsPath+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return write(pinsPath, n.pins)
}

// The last places are read again at the end, and those of this session are added.
func (n *navigator) readLast() error {
	last, err := read(lastPath)
	if err != nil {
		return err
	}
	for name, dir := range last {
		n.last[name] = dir
	}
	return nil
}

func (n *navigator) writeLast(session map[string]string) error {
	if err := n.readLast(); err != nil {
		return err
	}
	for name, dir := range session {
		n.last[name] = dir
	}
	return write(lastPath, n.last) // want `\(\*navigator\).writeLast loads open.lastPath, changes it and saves it with no lock`
}

func (n *navigator) quit() {
	if err := n.writeLast(map[string]string{"here": "."}); err != nil {
		panic(err)
	}
}

func main() {
	n := &navigator{}
	if err := errors.Join(loadSettings(filepath.Join(data(), "finder", "settings.json")), n.readMarks(), n.readNotes(), n.readPins()); err != nil {
		panic(err)
	}
	app.SetInputCapture(func(r rune) {
		if r == '+' {
			_ = app.settings.saveConnections(append(app.settings.Connections, connection{Name: "new"}))
			return
		}
		_ = n.key(r, ".")
	})
	defer n.quit()
	if err := app.Run(); err != nil {
		panic(err)
	}
}
