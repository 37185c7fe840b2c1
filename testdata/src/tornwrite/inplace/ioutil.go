package inplace

import (
	"encoding/json"
	"io/ioutil"
)

// An agent is what the registry knows of one worker.
type agent struct {
	Name string
	Pid  int
}

func writeRegistry(path string, agents []agent) error {
	data, err := json.Marshal(agents)
	if err != nil {
		return err
	}
	return ioutil.WriteFile(path, data, 0o644) // want `writeRegistry truncates path before it is written`
}
