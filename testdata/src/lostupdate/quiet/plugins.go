package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// A plugin is told by the description that lies beside it where it comes from.
type plugin struct {
	path   string
	origin string
}

type description struct {
	Host, Name, Version string
}

func (p *plugin) describe() (description, error) {
	var d description
	dir, _ := filepath.Split(p.path)
	data, err := os.ReadFile(filepath.Join(dir, "plugin.json"))
	if err != nil {
		return d, err
	}
	return d, json.Unmarshal(data, &d)
}

func (p *plugin) from() string {
	if p.origin != "" {
		return p.origin
	}
	var origin string
	if d, err := p.describe(); err == nil {
		origin = d.Host + "/" + d.Name
	}
	p.origin = origin
	return p.origin
}

type pluginHome struct{ dir string }

// renew writes the description of another plugin, that of the new version: nothing
// that is in the file was there before.
func (h *pluginHome) renew(p *plugin) error {
	host, name, _ := strings.Cut(p.from(), "/")
	return h.install(host, name, "latest")
}

func (h *pluginHome) install(host, name, version string) error {
	data, err := json.Marshal(description{host, name, version})
	if err != nil {
		return err
	}
	return replace(filepath.Join(h.dir, "plugins", name, "plugin.json"), data)
}
