package quiet

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/lockvet/lockvet/safeio"
)

// recent is the name of what was looked at before.
func recent(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, "recent-session"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// resume goes on with what was looked at before, and notes under which name that is
// known now.
func resume(dir string, rename func(string) string) error {
	name := rename(recent(dir))
	return safeio.WriteFile(filepath.Join(dir, "recent-session"), []byte(name+"\n"), 0o600)
}
