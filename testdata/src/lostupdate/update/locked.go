package update

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// strict has an error for a file that is not there: a lock is the smaller patch.
func (l *ledger) strict(ctx context.Context, key, value string) error {
	data, err := os.ReadFile(l.path + ".strict")
	if err != nil {
		return err
	}
	m := map[string]string{}
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	m[key] = value
	out, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return os.WriteFile(l.path+".strict", out, 0o600) // want `\(\*ledger\).strict loads l.path` `\(\*ledger\).strict truncates`
}

// wrapped says of each error where it comes from, which one call would not; its context, at which
// it does not look, may be nil.
func (l *ledger) wrapped(ctx context.Context, key, value string) error {
	data, err := os.ReadFile(l.path + ".wrapped")
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("reading the ledger: %w", err)
	}
	m := map[string]string{}
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("parsing the ledger: %w", err)
	}
	m[key] = value
	out, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(l.path+".wrapped", out, 0o600) // want `\(\*ledger\).wrapped loads l.path` `\(\*ledger\).wrapped truncates`
}

// told says so after the save, where it has changed something.
func (l *ledger) told(key string) error {
	if err := os.MkdirAll(filepath.Dir(l.path+".told"), 0o755); err != nil {
		return err
	}
	data, err := os.ReadFile(l.path + ".told")
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if bytes.Contains(data, []byte(key)) {
		return nil
	}
	text := string(data) + key + "\n"
	if err := os.WriteFile(l.path+".told", []byte(text), 0o600); err != nil { // want `\(\*ledger\).told loads l.path` `\(\*ledger\).told truncates`
		return err
	}
	fmt.Println("told", key)
	return nil
}

// trimmed has not what was loaded any more where there is nothing to save.
func (l *ledger) trimmed(key string) error {
	if err := os.MkdirAll(filepath.Dir(l.path+".trimmed"), 0o755); err != nil {
		return err
	}
	data, err := os.ReadFile(l.path + ".trimmed")
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	data = bytes.TrimSpace(data)
	if bytes.HasSuffix(data, []byte(key)) {
		return nil
	}
	return os.WriteFile(l.path+".trimmed", append(data, "\n"+key+"\n"...), 0o600) // want `\(\*ledger\).trimmed loads l.path` `\(\*ledger\).trimmed truncates`
}

// tried has a default for what cannot be decoded, which may be a success.
func (l *ledger) tried(key string, fallback func() error) error {
	data, err := os.ReadFile(l.path + ".tried")
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	m := map[string]string{}
	if err := json.Unmarshal(data, &m); err != nil {
		return fallbackFor(key)
	}
	m[key] = ""
	out, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(l.path+".tried", out, 0o600) // want `\(\*ledger\).tried loads l.path` `\(\*ledger\).tried truncates`
}

func fallbackFor(string) error { return nil }

// silent would make no file of nothing where it made an empty one.
func (l *ledger) silent(prefix string) error {
	data, err := os.ReadFile(l.path + ".silent")
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	var kept [][]byte
	for _, line := range bytes.Split(data, []byte("\n")) {
		if !bytes.HasPrefix(line, []byte(prefix)) {
			kept = append(kept, line)
		}
	}
	out := bytes.Join(kept, []byte("\n"))
	return os.WriteFile(l.path+".silent", out, 0o600) // want `\(\*ledger\).silent loads l.path` `\(\*ledger\).silent truncates`
}

// mode keeps of the file what it has, which is known only once it is loaded.
func (l *ledger) mode(key string) error {
	data, err := os.ReadFile(l.path + ".mode")
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	perm := os.FileMode(0o600)
	if len(data) == 0 {
		perm = 0o644
	}
	return os.WriteFile(l.path+".mode", append(data, []byte(key+"\n")...), perm) // want `\(\*ledger\).mode loads l.path` `\(\*ledger\).mode truncates`
}

// counted uses behind the save what it has loaded.
func (l *ledger) counted(key string) (int, error) {
	data, err := os.ReadFile(l.path + ".counted")
	if err != nil && !os.IsNotExist(err) {
		return 0, err
	}
	data = append(data, []byte(key+"\n")...)
	if err := os.WriteFile(l.path+".counted", data, 0o600); err != nil { // want `\(\*ledger\).counted loads l.path` `\(\*ledger\).counted truncates`
		return 0, err
	}
	return len(data), nil
}

// ends unlocks what it has taken in between, which a function literal would do sooner.
func (l *ledger) ends(key string) error {
	data, err := os.ReadFile(l.path + ".ends")
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	log, err := os.Open(filepath.Join(filepath.Dir(l.path+".ends"), "seen"))
	if err != nil {
		return err
	}
	defer log.Close()
	return os.WriteFile(l.path+".ends", append(data, []byte(key+"\n")...), 0o600) // want `\(\*ledger\).ends loads l.path` `\(\*ledger\).ends truncates`
}

// long would be a function literal of a screen.
func (l *ledger) long(key, value, author, why string, seen bool) error {
	data, err := os.ReadFile(l.path + ".long")
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	m := map[string]string{}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &m); err != nil {
			return err
		}
	}
	m[key] = value
	if author != "" {
		m[key+".author"] = author
	}
	if why != "" {
		m[key+".why"] = why
	}
	if seen {
		m[key+".seen"] = "yes"
	}
	out, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(l.path+".long", out, 0o600) // want `\(\*ledger\).long loads l.path` `\(\*ledger\).long truncates`
}
