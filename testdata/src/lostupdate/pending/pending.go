// Command pending loads its tags in place, and saves them by a commit, where the path has as
// many parts as can be followed.
package main

import (
	"bufio"
	"cmp"
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
