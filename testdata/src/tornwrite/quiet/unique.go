package quiet

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func saveStamped(dir string, s *session) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("session-%d.json", time.Now().UnixNano())), b, 0o644) // ok: a name of its own
}

func saveRandom(dir string, s *session) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "session-"+rand.Text()+".json"), b, 0o644) // ok: a name of its own
}

func saveNumbered(dir string, n int, s *session) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("session-%d.json", n)), b, 0o644) // want `saveNumbered truncates dir/session-{n}\.json`
}
