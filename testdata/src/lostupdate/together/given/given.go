// Package given saves files that only those who call it know.
package given

import (
	"encoding/json"
	"os"

	"github.com/lockvet/lockvet/safeio"
)

type request struct{ File, Token string }

// Serve knows no file by its name.
func Serve(requests <-chan request) {
	for r := range requests {
		if r.Token == "" {
			go disable(r.File)
		} else {
			go enroll(r.File, r.Token)
		}
	}
}

// disable changes an account, and the file of it may be that of enroll: a lock of one of the two
// keeps nothing.
func disable(accountFile string) error {
	data, err := os.ReadFile(accountFile)
	if err != nil {
		return err
	}
	var account map[string]any
	if err := json.Unmarshal(data, &account); err != nil {
		return err
	}
	account["disabled"] = true
	if data, err = json.Marshal(account); err != nil {
		return err
	}
	return safeio.WriteFile(accountFile, data, 0o600) // want `disable loads accountFile, changes it and saves it with no lock`
}

// enroll makes an account, or makes it anew.
func enroll(accountFile, token string) error {
	data, err := json.Marshal(map[string]any{"token": token})
	if err != nil {
		return err
	}
	return safeio.WriteFile(accountFile, data, 0o600)
}
