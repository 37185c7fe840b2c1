// Package registry keeps what is known of clusters in a directory that only it knows.
package registry

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

// A Registry has its directory for itself.
type Registry struct{ dir string }

// In is the registry of a directory.
func In(dir string) *Registry { return &Registry{dir: dir} }

// File is what the clusters are kept in.
func (r *Registry) File() string { return filepath.Join(r.dir, "clusters.json") }

// Load reads the clusters.
func (r *Registry) Load() (map[string]string, error) {
	clusters := map[string]string{}
	data, err := os.ReadFile(r.File())
	if os.IsNotExist(err) {
		return clusters, nil
	}
	if err != nil {
		return nil, err
	}
	return clusters, json.Unmarshal(data, &clusters)
}

// Save writes the clusters.
func (r *Registry) Save(clusters map[string]string) error {
	data, err := json.Marshal(clusters)
	if err != nil {
		return err
	}
	return safeio.WriteFile(r.File(), data, 0o600)
}

// TokensFile is where the tokens are kept.
func TokensFile(user string) string { return filepath.Join("/var/lib/registry", user, "tokens.json") }

// Tokens reads the tokens of a user.
func Tokens(user string) (map[string]string, error) {
	list := map[string]string{}
	data, err := os.ReadFile(TokensFile(user))
	if err != nil {
		return nil, err
	}
	return list, json.Unmarshal(data, &list)
}

// SaveTokens writes the tokens of a user.
func SaveTokens(user string, list map[string]string) error {
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return safeio.WriteFile(TokensFile(user), data, 0o600)
}

// DefaultFile is where the clusters are kept that the user uses unless told otherwise.
func DefaultFile() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".registry", "default.json"), nil
}

// Default reads these clusters.
func Default() (map[string]string, error) {
	path, err := DefaultFile()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list := map[string]string{}
	return list, json.Unmarshal(data, &list)
}

// SaveDefault writes them.
func SaveDefault(list map[string]string) error {
	path, err := DefaultFile()
	if err != nil {
		return err
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600)
}

// A Book says where it is kept.
type Book struct{ Path string }

// Load reads the book.
func (b *Book) Load() ([]string, error) {
	data, err := os.ReadFile(b.Path)
	if err != nil {
		return nil, err
	}
	var list []string
	return list, json.Unmarshal(data, &list)
}

// Save writes the book.
func (b *Book) Save(list []string) error {
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return safeio.WriteFile(b.Path, data, 0o600)
}

// Open is the book of a directory.
func Open(dir string) *Book {
	return &Book{Path: filepath.Join(dir, os.Getenv("BOOK"), "book.json")}
}
