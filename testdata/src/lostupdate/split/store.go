package split

import (
	"log"

	"github.com/containers/storage"
)

type destination struct {
	store storage.Store
	name  string
}

// commit keeps the names of an image that is there already.
func (d *destination) commit(id string) error {
	old := []string{}
	img, err := d.store.CreateImage(id)
	if err != nil {
		if img, err = d.store.Image(id); err != nil {
			return err
		}
		old = append(old, img.Names...)
	}
	done := false
	defer func() {
		if !done {
			log.Printf("image %s (%v) is left", img.ID, old)
		}
	}()
	names := []string{d.name}
	names = append(names, old...)
	if err := d.store.SetNames(img.ID, names); err != nil { // want `\(\*destination\).commit sets names of the store to those that it has got from it before, changed: what another process sets in between is lost`
		return err
	}
	done = true
	return nil
}

// rename does away with all that was there.
func (d *destination) rename(id, name string) error {
	if _, err := d.store.Image(id); err != nil {
		return err
	}
	return d.store.SetNames(id, []string{name})
}

// adopt takes the names of another store.
func (d *destination) adopt(from storage.Store, id string) error {
	img, err := from.Image(id)
	if err != nil {
		return err
	}
	return d.store.SetNames(id, img.Names)
}

// relabel has a lock around both.
func (d *destination) relabel(path, id string) error {
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	img, err := d.store.Image(id)
	if err != nil {
		return err
	}
	return d.store.SetNames(id, append(img.Names, d.name))
}
