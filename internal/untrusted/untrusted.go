// Package untrusted reads files that come with a repository. Lockvet reads them unasked, in CI on a
// pull request and in an editor, so the cost of reading one is bounded whatever it holds. What
// a file means is for the caller to know.
package untrusted

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The largest files that are read. Decoding MaxYAML bytes takes less than a second: the library
// refuses values that are nested more than 10,000 deep and aliases that stand for too much, and
// compares each key of a mapping with all others.
const (
	MaxYAML   = 128 << 10
	MaxSource = 64 << 20
)

// ReadFile reads a regular file of at most max bytes. Of another kind of file, such as a link to a
// device, reading might never end.
func ReadFile(name string, max int64) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file; replace it by one", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, max+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(content)) > max:
		return nil, fmt.Errorf("%s is larger than %d KB, and is not read; make it smaller", name, max>>10)
	}
	return content, nil
}

// DecodeYAML decodes the only document of a text, and leaves the value as it is where there is none.
func DecodeYAML(text []byte, into any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("decoding the YAML failed: %v; write it without tags and in block style", p)
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(text))
	switch err := d.Decode(into); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return plain(err)
	}
	switch err := d.Decode(new(yaml.Node)); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return plain(err)
	}
	return errors.New("there is more than one YAML document; keep one")
}

// plain is an error of the library without its name, on one line.
func plain(err error) error {
	var all *yaml.TypeError
	if errors.As(err, &all) {
		return errors.New(strings.Join(all.Errors, "; "))
	}
	return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
}

// ParseFile parses a source file as package parser does. The go command compiles no file that is
// not regular, but a folder may have one.
func ParseFile(fset *token.FileSet, name string, mode parser.Mode) (*ast.File, error) {
	src, err := ReadFile(name, MaxSource)
	if err != nil {
		return nil, err
	}
	return parser.ParseFile(fset, name, src, mode)
}
