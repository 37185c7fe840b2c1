// Command mkindex is a command for those who make the program.
package main

import (
	"encoding/json"
	"os"
)

func main() {
	if err := put(len(os.Args)); err != nil {
		panic(err)
	}
}

func put(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile("/var/lib/agentd/session.json", b, 0o600) // ok: by its package
}
