package imports

import "encoding/json"

// A store has a method of the name; it is no package.
type memory map[string][]byte

func (m memory) WriteFile(name string, b []byte, mode uint32) error {
	m[name] = b
	return nil
}

func saveElsewhere(v any) error {
	os := memory{}
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile("/var/lib/agentd/session.json", b, 0o600) // ok: this os is a variable
}
