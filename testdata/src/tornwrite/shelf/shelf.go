// Package shelf keeps what its tests are made for.
package shelf

// Books are on a shelf.
var Books []string
