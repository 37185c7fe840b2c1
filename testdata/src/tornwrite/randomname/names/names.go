// Package names makes names of files.
package names

import (
	"crypto/rand"
	"encoding/hex"
	"io"
	"math/big"
	"strings"
)

// Random returns n random bytes in hexadecimal.
func Random(n int) string {
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		panic(err)
	}
	return hex.EncodeToString(b)
}

// Read returns n random bytes in hexadecimal, from the system's source.
func Read(n int) string {
	b := make([]byte, n)
	if _, err := io.ReadFull(rand.Reader, b); err != nil {
		panic(err)
	}
	return hex.EncodeToString(b)
}

// Number returns a random number.
func Number(below int64) string {
	n, err := rand.Int(rand.Reader, big.NewInt(below))
	if err != nil {
		panic(err)
	}
	return n.String()
}

// Plain returns a name without its slashes.
func Plain(name string) string { return strings.ReplaceAll(name, "/", "_") }
