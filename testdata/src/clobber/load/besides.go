package load

import (
	"encoding/json"
	"os"
)

type router struct {
	Password string
	Hosts    []host
}

type host struct{ Name string }

const routerFile = "/etc/router/config.json"

var theRouter router

// loadRouter has the object, whole.
func loadRouter() (*router, error) {
	data, err := os.ReadFile(routerFile)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &theRouter); err != nil {
		return nil, err
	}
	return &theRouter, nil
}

// convert takes one host out of a file of an older version: what it cannot decode was loaded
// by another function, or is no such file.
func (r *router) convert() {
	if len(r.Hosts) > 0 {
		return
	}
	data, err := os.ReadFile(routerFile)
	if err != nil {
		return
	}
	var h host
	if err := json.Unmarshal(data, &h); err != nil { // ok
		return
	}
	if h.Name != "" {
		r.Hosts = append(r.Hosts, h)
	}
}

// Save replaces the file.
func (r *router) Save() error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return replace(routerFile, data)
}
