package inplace

import (
	"encoding/json"
	"os"
)

type history struct {
	path string
	tail bool
}

// The flags take another way to the call than the word O_TRUNC.
func (h *history) write(lines []string) error {
	flags := os.O_WRONLY | os.O_CREATE
	if !h.tail {
		flags |= os.O_TRUNC
	}
	data, err := json.Marshal(lines)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(h.path, flags, 0o600) // want `\(\*history\)\.write truncates h\.path before it is written`
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(data)
	return err
}
