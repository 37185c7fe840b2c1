package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type registry struct{ dir string }

func (r *registry) read(name string) (v any, err error) {
	b, err := os.ReadFile(filepath.Join(r.dir, name+".json"))
	if err != nil {
		return nil, err
	}
	return v, json.Unmarshal(b, &v)
}

// claim succeeds for one caller only.
func (r *registry) claim(name string, v any) error {
	f, err := os.OpenFile(filepath.Join(r.dir, name+".json"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // ok: there is no content to lose
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(v)
}

func (r *registry) touch(name string) error {
	f, err := os.Create(filepath.Join(r.dir, name+".json")) // ok: a marker, nothing is written
	if err != nil {
		return err
	}
	return f.Close()
}

func (r *registry) add(v any) error {
	f, err := os.OpenFile(filepath.Join(r.dir, "events.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) // ok: appended to
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(v)
}

// ask hands a file to a child process and takes it away again.
func (r *registry) ask(run func(path string) error, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	path := filepath.Join(r.dir, "question.json")
	defer os.Remove(path)
	if err := os.WriteFile(path, b, 0o600); err != nil { // ok: gone when the function returns
		return err
	}
	return run(path)
}

func (r *registry) tell(run func(path string) error, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	path := filepath.Join(r.dir, "answer.json")
	if err := os.WriteFile(path, b, 0o600); err != nil { // want `\(\*registry\)\.tell truncates r\.dir/answer\.json`
		return err
	}
	return run(path)
}

// retire moves what was there before.
func (r *registry) retire(name string) error {
	return os.Rename(filepath.Join(r.dir, name+".json"), filepath.Join(r.dir, name+".old.json")) // ok: no write before it
}
