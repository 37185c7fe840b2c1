package protocol

import (
	"net/url"
	"path/filepath"
	"strings"
)

// A URI names a document.
type URI string

// File is the URI of a file, whose name is absolute.
func File(name string) URI {
	path := filepath.ToSlash(name)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	return URI((&url.URL{Scheme: "file", Path: path}).String())
}

// File is the name of the file that a URI is of, if it is of one here.
func (u URI) File() (name string, ok bool) {
	parsed, err := url.Parse(string(u))
	if err != nil || parsed.Scheme != "file" || parsed.Host != "" && parsed.Host != "localhost" {
		return "", false
	}
	path := parsed.Path
	if len(path) >= 3 && path[0] == '/' && path[2] == ':' && filepath.VolumeName(path[1:]) != "" {
		path = strings.ToUpper(path[1:2]) + path[2:]
	}
	return filepath.Clean(filepath.FromSlash(path)), true
}
