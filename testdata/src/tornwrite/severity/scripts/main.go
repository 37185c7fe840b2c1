// Scripts of a developer: this one keeps signatures.
package main

import (
	"encoding/json"
	"log"
	"os"
)

const file = ".github/signatures.json"

type signatures struct{ Keys []string }

func main() {
	s, err := load()
	if err != nil {
		log.Fatal(err)
	}
	s.Keys = append(s.Keys, os.Args[1])
	if err := save(s); err != nil { /* note */ // want `main loads .github/signatures.json`
		log.Fatal(err)
	}
}

func load() (*signatures, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &signatures{}
	return s, json.Unmarshal(data, s)
}

func save(s *signatures) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644) /* warning */ // want `save truncates .github/signatures.json before it is written`
}
