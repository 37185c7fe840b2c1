// Command single is a program that stays open, and of which one runs for a user.
package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"

	"github.com/rivo/tview"
)

// A desk is loaded when the program starts.
type desk struct{ Papers []string }

var papers = &desk{}

func deskPath() string {
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".desk", "papers.json")
}

func loadDesk() error {
	b, err := os.ReadFile(deskPath())
	if err != nil {
		return err
	}
	return json.Unmarshal(b, papers)
}

func (d *desk) add(paper string) { d.Papers = append(d.Papers, paper) }

// saveDesk is called with the lock that main has taken.
func saveDesk() error {
	b, err := json.Marshal(papers)
	if err != nil {
		return err
	}
	return replace(deskPath(), b)
}

func main() {
	lock, err := os.OpenFile(filepath.Join(filepath.Dir(deskPath()), "instance.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		panic(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		panic(err)
	}
	if err := loadDesk(); err != nil {
		panic(err)
	}
	app := tview.NewApplication()
	app.SetInputCapture(func(r rune) {
		papers.add(string(r))
		if err := saveDesk(); err != nil {
			panic(err)
		}
	})
	if err := app.Run(); err != nil {
		panic(err)
	}
}
