// Package storage stands in for a store of images.
package storage

type Image struct {
	ID    string
	Names []string
}

type Store interface {
	CreateImage(id string) (*Image, error)
	Image(id string) (*Image, error)
	SetNames(id string, names []string) error
	AddNames(id string, names []string) error
}
