package together

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type turns struct{ Names []string }

func loadTurns(dir string) (*turns, error) {
	data, err := os.ReadFile(filepath.Join(dir, "turns.json"))
	if err != nil {
		return nil, err
	}
	var t turns
	return &t, json.Unmarshal(data, &t)
}

func saveTurns(dir string, t *turns) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, "turns.json"), data)
}

func addTurn(dir, name string) error {
	t, err := loadTurns(dir)
	if err != nil {
		return err
	}
	t.Names = append(t.Names, name)
	return saveTurns(dir, t) // want `addTurn loads dir/turns.json.*no fix: 3 places save the file, and the same lines would stand at each`
}

func cutTurns(dir string) error {
	t, err := loadTurns(dir)
	if err != nil {
		return err
	}
	t.Names = t.Names[:0]
	return saveTurns(dir, t) // want `cutTurns loads dir/turns.json.*no fix: 3 places`
}

func lastTurn(dir, name string) error {
	t, err := loadTurns(dir)
	if err != nil {
		return err
	}
	t.Names = []string{name, t.Names[0]}
	return saveTurns(dir, t) // want `lastTurn loads dir/turns.json.*no fix: 3 places`
}
