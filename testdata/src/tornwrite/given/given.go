// Package given names its file in the constructor alone.
package given

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type basket struct {
	where string
	Items []string
}

func newBasket(dir string) *basket {
	return &basket{where: filepath.Join(dir, "basket.json")}
}

func (b *basket) put(item string) error {
	b.Items = append(b.Items, item)
	data, err := json.Marshal(b.Items)
	if err != nil {
		return err
	}
	return os.WriteFile(b.where, data, 0o644) // want `\(\*basket\)\.put truncates b\.where before it is written`
}
