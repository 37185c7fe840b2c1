// Package dirs hands the names on.
package dirs

import (
	"path/filepath"

	"lostupdate/homes/place"
)

// State is where the program has its files.
func State() string { return filepath.Join(place.Home(), ".homes") }
