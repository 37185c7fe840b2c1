// Package rooted names its files in a directory that is open.
package rooted

import (
	"encoding/json"
	"os"
)

type state struct {
	Names []string
}

func add(root *os.Root, name string) error {
	data, err := root.ReadFile("state.json")
	if err != nil {
		return err
	}
	var st state
	if err := json.Unmarshal(data, &st); err != nil {
		return err
	}
	st.Names = append(st.Names, name)
	if data, err = json.Marshal(st); err != nil {
		return err
	}
	return root.WriteFile("state.json", data, 0o600) // want `add loads root/state.json, changes it and saves it with no lock` `add rewrites root/state.json in place`
}
