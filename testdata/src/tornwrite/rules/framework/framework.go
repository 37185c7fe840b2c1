// Package framework has what tests call.
package framework

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/onsi/gomega"
)

// Prepare writes what a test is to find.
func Prepare(dir string, settings any) {
	data, err := json.Marshal(settings)
	gomega.Expect(err)
	gomega.Expect(os.WriteFile(filepath.Join(dir, "settings.json"), data, 0o600)) // ok: a test's
}
