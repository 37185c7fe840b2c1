// Package conf has a configuration, of which others know an interface alone.
package conf

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// A Config is loaded by the program when it starts.
type Config interface {
	Read() error
	Write() error
	Tokens() []string
	SetTokens([]string)
}

type config struct {
	path   string
	schema struct{ Tokens []string }
}

// New is one that has not been loaded.
func New() Config { return &config{} }

func (c *config) Read() error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	c.path = filepath.Join(home, ".config", "tool", "config.json")
	b, err := os.ReadFile(c.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, &c.schema)
}

func (c *config) Write() error {
	b, err := json.Marshal(c.schema)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(c.path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(b); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Sync(); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), c.path)
}

func (c *config) Tokens() []string { return c.schema.Tokens }

func (c *config) SetTokens(tokens []string) { c.schema.Tokens = tokens }
