package separator

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type message struct{ Role, Text string }

type chat struct{ file string }

func openChat(dir, id string) *chat {
	return &chat{file: filepath.Join(dir, "chats", id+".jsonl")}
}

// Save appends one message. The error of Marshal cannot occur.
func (c *chat) Save(m *message) error {
	text, _ := json.Marshal(m)

	f, err := os.OpenFile(c.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Write(text); err != nil { // want `\(\*chat\)\.Save appends a record to c\.file`
		return err
	}
	if _, err := f.Write([]byte{'\n'}); err != nil {
		return err
	}
	return nil
}

// Mark is called for its id as well.
func (c *chat) Mark(m *message) (id string, err error) {
	f, err := os.OpenFile(c.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	defer func() {
		if cerr := f.Close(); cerr != nil && err == nil {
			err = cerr
		}
	}()
	data, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(string(data)) // want `\(\*chat\)\.Mark appends a record to c\.file`
	if err != nil {
		return "", err
	}
	_, err = f.WriteString("\n")
	if err != nil {
		return "", err
	}
	if err := f.Sync(); err != nil {
		return "", err
	}
	return m.Role, nil
}

// Last returns what Close says.
func (c *chat) Last(m message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(c.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err != nil { // want `\(\*chat\)\.Last appends a record to c\.file`
		f.Close()
		return err
	}
	if _, err = f.Write([]byte("\n")); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// Note opens a file that must be there: no call of safeio insists on that.
func (c *chat) Note(m message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(c.file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(data) // want `\(\*chat\)\.Note appends a record to c\.file`
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("\n"))
	return err
}
