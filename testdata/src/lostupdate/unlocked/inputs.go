package unlocked

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A server is described by so much that the old settings are a small part of what is
// saved.
func describe(dir, name, host, user, shell, proxy string, port int, tags []string) error {
	path := filepath.Join(dir, "servers.json")
	servers := map[string]any{}
	if data, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(data, &servers); err != nil {
			return err
		}
	}
	entry := map[string]any{"host": host, "user": user, "port": port}
	if shell != "" {
		entry["shell"] = shell
	}
	if proxy != "" {
		entry["proxy"] = strings.ToLower(proxy)
	}
	if len(tags) > 0 {
		entry["tags"] = tags
	}
	entry["label"] = fmt.Sprintf("%s@%s", user, host)
	servers[name] = entry
	out, err := json.MarshalIndent(servers, "", "  ")
	if err != nil {
		return err
	}
	return replace(path, append(out, '\n')) // want `describe loads dir/servers.json, changes it and saves it with no lock`
}

// setKey has a helper that goes through much memory of its own, and what it is given
// last, the old lines.
func setKey(dir, key, value string) error {
	path := filepath.Join(dir, "server-settings.yaml")
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return replace(path, []byte(withKey(key, value, string(old)))) // want `setKey loads dir/server-settings.yaml, changes it and saves it with no lock`
}

func withKey(key, value, old string) string {
	var lines, head, tail, marks, notes, empty, kept, moved []string
	found := false
	for _, line := range strings.Split(old, "\n") {
		switch {
		case strings.HasPrefix(line, key+":"):
			lines, found = append(lines, fmt.Sprintf("%s: %s", key, value)), true
		case strings.HasPrefix(line, "---"):
			head = append(head, line)
		case strings.HasPrefix(line, "..."):
			tail = append(tail, line)
		case strings.HasPrefix(line, "&"):
			marks = append(marks, line)
		case strings.HasPrefix(line, "#"):
			notes = append(notes, line)
		case line == "":
			empty = append(empty, line)
		case strings.HasPrefix(line, " "):
			kept = append(kept, line)
		default:
			moved = append(moved, line)
		}
	}
	if !found {
		lines = append(lines, fmt.Sprintf("%s: %s", key, value))
	}
	var all []string
	for _, part := range [][]string{head, marks, lines, notes, kept, moved, empty, tail} {
		all = append(all, part...)
	}
	return strings.Join(all, "\n")
}

// listed is all lines of a file.
func listed(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, "known-sessions"))
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(data))
}

// list adds a line to them.
func list(dir, name string) error {
	lines := append(strings.Split(listed(dir), "\n"), name)
	return replace(filepath.Join(dir, "known-sessions"), []byte(strings.Join(lines, "\n"))) // want `list loads dir/known-sessions, changes it and saves it with no lock`
}
