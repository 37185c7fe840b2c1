// Package mocked has a package for tests write a file.
package mocked

import (
	"path/filepath"

	"tornwrite/severity/test/mockstore"
)

type connector struct{ dir string }

func (c *connector) proposals() ([]string, error) {
	return mockstore.Load(filepath.Join(c.dir, "proposals.json"))
}

func (c *connector) create(keys []string) error {
	return mockstore.Save(filepath.Join(c.dir, "proposals.json"), keys) /* warning */ // want `create rewrites c.dir/proposals.json in place`
}
