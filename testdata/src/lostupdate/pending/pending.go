// Command pending loads its tags in place, and saves them by a commit, where the path has as
// many parts as can be followed.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/lockvet/lockvet/safeio"
	"github.com/rivo/tview"
)

var (
	current  *user.User
	tagsPath string
)

func init() {
	u, err := user.Current()
	if err != nil {
		u = &user.User{Username: os.Getenv("USER"), HomeDir: os.Getenv("HOME")}
	}
	current = u
	data := cmp.Or(
		os.Getenv("PENDING_HOME"),
		os.Getenv("XDG_DATA_HOME"),
		filepath.Join(current.HomeDir, ".local", "share"),
	)
	tagsPath = filepath.Join(data, "pending", "tags")
}

type navigator struct{ tags map[string]string }

func (n *navigator) readTags() error {
	clear(n.tags)
	f, err := os.Open(tagsPath)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		file, tag, _ := strings.Cut(lines.Text(), ":")
		n.tags[file] = tag
	}
	return lines.Err()
}

func (n *navigator) writeTags() error {
	f, err := safeio.CreatePerm(tagsPath, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for file, tag := range n.tags {
		if _, err := fmt.Fprintf(f, "%s:%s\n", file, tag); err != nil { // want `\(\*navigator\).writeTags saves pending.navigator.tags as \(\*navigator\).readTags has loaded it`
			return err
		}
	}
	return f.Commit()
}

func (n *navigator) key(r rune, file string) error {
	if r == 't' {
		n.tags[file] = string(r)
		return n.writeTags()
	}
	return nil
}

var nav = &navigator{tags: map[string]string{}}

func begin() *tview.Application {
	if err := nav.readTags(); err != nil {
		panic(err)
	}
	return tview.NewApplication()
}

func onKey(r rune) {
	if err := nav.key(r, "."); err != nil {
		panic(err)
	}
}

func main() {
	app := begin()
	app.SetInputCapture(onKey)
	if err := app.Run(); err != nil {
		panic(err)
	}
}

// labels are written by the method of what takes the place of the file.
type labels struct {
	names []string
	path  string
}

func (l *labels) add(name string) error {
	data, err := os.ReadFile(l.path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &l.names); err != nil {
		return err
	}
	l.names = append(l.names, name)
	return l.write() // want `add loads l.path, changes it and saves it with no lock`
}

func (l *labels) write() error {
	f, err := safeio.CreatePerm(l.path, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := json.Marshal(l.names)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}
