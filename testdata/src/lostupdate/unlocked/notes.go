package unlocked

import (
	"os"
	"path/filepath"
	"time"
)

// A memoryStore has a page of notes for each day, which its owner reads again.
type memoryStore struct{ memoryDir string }

func (m *memoryStore) today() string {
	return filepath.Join(m.memoryDir, time.Now().Format("20060102")+".md")
}

func (m *memoryStore) recall() string {
	data, err := os.ReadFile(m.today())
	if err != nil {
		return ""
	}
	return string(data)
}

func (m *memoryStore) note(text string) error {
	var old string
	if data, err := os.ReadFile(m.today()); err == nil {
		old = string(data)
	}
	page := "# Notes\n\n" + text
	if old != "" {
		page = old + "\n" + text
	}
	return replace(m.today(), []byte(page)) // want `\(\*memoryStore\).note loads m.memoryDir/.*.md`
}

// A pinboard needs no place of its own.
type pinboard struct{}

func (pinboard) today() string {
	return filepath.Join("/var/lib/agent/memory", time.Now().Format("20060102")+".md")
}

func (b pinboard) recall() ([]byte, error) { return os.ReadFile(b.today()) }

// pin has the file from the variable that it declares.
func pin(text string) error {
	var b pinboard
	old, err := os.ReadFile(b.today())
	if err != nil {
		return err
	}
	return replace(b.today(), append(old, text...)) // want `pin loads /var/lib/agent/memory/.*.md`
}

// A changelogStore is for people: nothing of the program reads it.
type changelogStore struct{ memoryDir string }

func (c *changelogStore) add(text string) error {
	path := filepath.Join(c.memoryDir, "changes.md")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return replace(path, append(data, text...))
}
