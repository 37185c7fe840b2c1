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
