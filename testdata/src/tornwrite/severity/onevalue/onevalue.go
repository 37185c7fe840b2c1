// Package onevalue keeps single values in files.
package onevalue

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
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

type board struct{ Notes []string }

// saveBoard writes what is decoded where its loader is called.
func (s *store) saveBoard(b *board) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "state", "board"), data, 0o600) /* error */ // want `saveBoard truncates`
}

func (s *store) boardText() string {
	data, err := os.ReadFile(filepath.Join(s.dir, "state", "board"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

func (s *store) loadBoard() (*board, error) {
	b := new(board)
	return b, json.Unmarshal([]byte(s.boardText()), b)
}

// saveLines writes a list that is taken apart where its loader is called.
func (s *store) saveLines(lines []string) error {
	return os.WriteFile(filepath.Join(s.dir, "state", "lines"), []byte(strings.Join(lines, "\n")), 0o600) /* error */ // want `saveLines truncates`
}

func (s *store) loadLines() string {
	data, err := os.ReadFile(filepath.Join(s.dir, "state", "lines"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

func (s *store) lines() []string { return strings.Split(s.loadLines(), "\n") }

func (s *store) banner() string {
	data, err := os.ReadFile(filepath.Join(s.dir, "state", "rules"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// saveRules writes what one function shows as it is, and another decodes.
func (s *store) saveRules(b *board) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "state", "rules"), data, 0o600) /* error */ // want `saveRules truncates`
}

func (s *store) loadRules() (*board, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, "state", "rules"))
	if err != nil {
		return nil, err
	}
	b := new(board)
	return b, json.Unmarshal(data, b)
}

// saveModified writes a time, which is looked for elsewhere where it cannot be read.
func (s *store) saveModified(t time.Time) error {
	return os.WriteFile(filepath.Join(s.dir, "state", "modified"), []byte(t.Format(time.RFC3339)), 0o600) /* warning */ // want `saveModified truncates`
}

func (s *store) modified() (time.Time, error) {
	f, err := os.Open(filepath.Join(s.dir, "state", "modified"))
	if err != nil {
		return time.Time{}, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan()
	return time.Parse(time.RFC3339, lines.Text())
}

// saveTurn writes more than a time.
func (s *store) saveTurn(t time.Time, who string) error {
	return os.WriteFile(filepath.Join(s.dir, "state", "turn"), []byte(t.Format(time.RFC3339)+"\n"+who), 0o600) /* error */ // want `saveTurn truncates`
}

func (s *store) turn() (at time.Time, who string, err error) {
	f, err := os.Open(filepath.Join(s.dir, "state", "turn"))
	if err != nil {
		return at, "", err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan()
	at, err = time.Parse(time.RFC3339, lines.Text())
	lines.Scan()
	return at, lines.Text(), err
}
