// Package onevalue keeps single values in files.
package onevalue

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

type store struct{ dir string }

func (s *store) saveVersion(version string) error {
	return os.WriteFile(filepath.Join(s.dir, "state", "version"), []byte(version+"\n"), 0o600) /* warning */ // want `saveVersion truncates`
}

func (s *store) loadVersion() string {
	data, err := os.ReadFile(filepath.Join(s.dir, "state", "version"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

func (s *store) saveFailures(n int) error {
	return os.WriteFile(filepath.Join(s.dir, "state", "failures"), []byte(strconv.Itoa(n)), 0o600) /* warning */ // want `saveFailures truncates`
}

func (s *store) loadFailures() int {
	data, err := os.ReadFile(filepath.Join(s.dir, "state", "failures"))
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return 0
	}
	return n
}

// saveMembers writes a list.
func (s *store) saveMembers(members []string) error {
	return os.WriteFile(filepath.Join(s.dir, "state", "members"), []byte(strings.Join(members, "\n")), 0o600) /* error */ // want `saveMembers truncates`
}

func (s *store) loadMembers() []string {
	data, err := os.ReadFile(filepath.Join(s.dir, "state", "members"))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// saveToken writes what cannot be had again.
func (s *store) saveToken(token string) error {
	return os.WriteFile(filepath.Join(s.dir, "state", "token"), []byte(token), 0o600) /* error */ // want `saveToken truncates`
}

func (s *store) loadToken() string {
	data, err := os.ReadFile(filepath.Join(s.dir, "state", "token"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
