package libraries

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
)

// A serializer has the shape of those of Kubernetes: what is decoded comes first, and what it
// goes into last; what is encoded comes first, and where it goes last.
type serializer interface {
	Decode(data []byte, defaults *string, into any) (any, error)
	Encode(obj any, w io.Writer) error
}

type servers struct {
	Known   []string
	Current string
}

func serversFile() string {
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".config", "tool", "servers.yaml")
}

func loadServers(s serializer) (*servers, error) {
	data, err := os.ReadFile(serversFile())
	if err != nil {
		return nil, err
	}
	var all servers
	if _, err := s.Decode(data, nil, &all); err != nil {
		return nil, err
	}
	return &all, nil
}

func storeServers(s serializer, all *servers) error {
	buf := new(bytes.Buffer)
	if err := s.Encode(all, buf); err != nil {
		return err
	}
	return replace(serversFile(), buf.Bytes())
}

// addServer loads, changes and stores.
func addServer(s serializer, name string) error {
	all, err := loadServers(s)
	if err != nil {
		return err
	}
	all.Known = append(all.Known, name)
	return storeServers(s, all) // want `addServer loads .*servers.yaml, changes it and saves it with no lock`
}
