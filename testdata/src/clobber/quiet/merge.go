package quiet

import (
	"encoding/json"
	"os"
)

// A ledger has been loaded when it was opened, and takes in what others have saved
// since where that can be had.
type ledger struct {
	path string
	sums map[string]int
	log  []string
}

func openLedger(path string) (*ledger, error) {
	l := &ledger{path: path, sums: map[string]int{}}
	return l, l.merge()
}

func (l *ledger) merge() error {
	data, err := os.ReadFile(l.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &l.sums)
}

func (l *ledger) save() error {
	unlock, err := lock(l.path)
	if err != nil {
		return err
	}
	defer unlock()
	l.merge()
	for _, name := range l.log {
		l.sums[name]++
	}
	data, err := json.Marshal(l.sums)
	if err != nil {
		return err
	}
	return replace(l.path, data)
}
