// Package config reads .lockvet.yaml, in which a team writes down what lockvet is to look
// at: once for the command, the golangci-lint plugin and the Action. It knows the form of
// the file; which checks and rules there are, those know who run them.
//
// Under go vet there is no such file: the go command keeps results by flags and sources,
// and would not see that it has changed.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/lockvet/lockvet/internal/nearest"
)

// Names are the names of the file, the first that there is.
var Names = []string{".lockvet.yaml", ".lockvet.yml"}

// A File is what a configuration says. Its zero value says nothing.
type File struct {
	// Enable are the checks and variants that alone are run, Disable those that are not.
	Enable  []string `yaml:"enable"`
	Disable []string `yaml:"disable"`
	// Severity is error, warning or note, by check or variant.
	Severity map[string]string `yaml:"severity"`
	// Without are the IDs of rules that are left out.
	Without []string `yaml:"without"`
	// State are regular expressions: paths with a name that one of them matches hold state.
	State []string `yaml:"state"`
	// Tests says that findings in _test.go files are reported, too.
	Tests bool `yaml:"tests"`
	// Exclude are the places at which nothing is reported.
	Exclude []Exclusion `yaml:"exclude"`
	// Safeio is the import path of package safeio in fixed code, or "bundle".
	Safeio string `yaml:"safeio"`

	// Name is the file that it was read from, empty for none.
	Name string `yaml:"-"`
}

// An Exclusion is why nothing is reported at a place.
type Exclusion struct {
	// Path is a pattern of names of files, or of directories, relative to the directory of
	// the configuration, in which ** stands for any number of directories.
	Path string `yaml:"path"`
	// Checks are the checks and variants that it is about; empty for all.
	Checks []string `yaml:"checks"`
	// Reason says why.
	Reason string `yaml:"reason"`
}

// Find is the configuration for a directory: in it, or in the nearest one above it up to
// the root of the repository or, where there is none, of the file system. It says nothing
// where there is no such file.
func Find(dir string) (*File, error) {
	for {
		for _, name := range Names {
			f, err := Read(filepath.Join(dir, name))
			if !errors.Is(err, fs.ErrNotExist) {
				return f, err
			}
		}
		above := filepath.Dir(dir)
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil || above == dir {
			return &File{}, nil
		}
		dir = above
	}
}

// Read reads a file. The error names the file and, where that is what is wrong, the line
// and the key.
func Read(name string) (*File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f.Name, err = filepath.Abs(name)
	return f, err
}

// parse understands the text of a file.
func parse(text []byte) (*File, error) {
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, errors.New(yaml.FormatError(err, false, false))
	}
	for _, doc := range tree.Docs {
		if err := keys(doc.Body, reflect.TypeFor[File]()); err != nil {
			return nil, err
		}
	}
	f := &File{}
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(f); err != nil && len(bytes.TrimSpace(text)) > 0 && len(tree.Docs) > 0 && tree.Docs[0].Body != nil {
		return nil, errors.New(yaml.FormatError(err, false, false))
	}
	return f, f.check()
}

// keys is an error if a mapping, or one in it, has a key that the type does not have.
func keys(n ast.Node, t reflect.Type) error {
	switch n := n.(type) {
	case *ast.SequenceNode:
		if t.Kind() != reflect.Slice {
			return nil // the decoder says so
		}
		for _, v := range n.Values {
			if err := keys(v, t.Elem()); err != nil {
				return err
			}
		}
	case *ast.MappingNode:
		for _, v := range n.Values {
			if err := keys(v, t); err != nil {
				return err
			}
		}
	case *ast.MappingValueNode:
		if t.Kind() != reflect.Struct {
			return nil
		}
		key := n.Key.String()
		if _, err := nearest.Of("key", key, Keys(t)); err != nil {
			return fmt.Errorf("line %d: %w", n.Key.GetToken().Position.Line, err)
		}
		for i := range t.NumField() {
			if t.Field(i).Tag.Get("yaml") != key {
				continue
			}
			if form := wanted(n.Value, t.Field(i).Type); form != "" {
				return fmt.Errorf("line %d: %s: %s is wanted, not %s", n.Key.GetToken().Position.Line, key, form, strings.TrimSpace(n.Value.String()))
			}
			return keys(n.Value, t.Field(i).Type)
		}
	}
	return nil
}

// wanted says what a value has to be, if it is something else: for a user, who does not
// know the types of this package. Empty values are none, and aliases are for the decoder.
func wanted(n ast.Node, t reflect.Type) string {
	var right bool
	var form string
	switch t.Kind() {
	case reflect.Bool:
		form, right = "true or false", n.Type() == ast.BoolType
	case reflect.Slice:
		form, right = "a list", n.Type() == ast.SequenceType
	case reflect.Map:
		form, right = "one line for each name", n.Type() == ast.MappingType || n.Type() == ast.MappingValueType
	case reflect.String:
		form, right = "one word or text", n.Type() != ast.SequenceType && n.Type() != ast.MappingType && n.Type() != ast.MappingValueType
	}
	switch n.Type() {
	case ast.NullType, ast.AliasType, ast.AnchorType, ast.TagType:
		right = true
	}
	if right {
		return ""
	}
	return form
}

// Keys are the keys that a mapping of a type has.
func Keys(t reflect.Type) []string {
	var all []string
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("yaml"); key != "-" {
			all = append(all, key)
		}
	}
	return all
}

// check is an error if a value cannot be right, whatever checks there are.
func (f *File) check() error {
	for _, text := range f.State {
		if _, err := regexp.Compile(text); err != nil {
			return fmt.Errorf("state: %w", err)
		}
	}
	for _, name := range f.Enable {
		check, _, _ := strings.Cut(name, "/")
		for _, off := range []string{name, check} {
			if slices.Contains(f.Disable, off) {
				return fmt.Errorf("enable has %s, and disable has %s: nothing is left of it", name, off)
			}
		}
	}
	for i, e := range f.Exclude {
		switch {
		case e.Path == "":
			return fmt.Errorf("exclude: entry %d has no path", i+1)
		case strings.TrimSpace(e.Reason) == "":
			return fmt.Errorf("exclude: %s has no reason: say why nothing is reported there", e.Path)
		case !doublestar.ValidatePattern(e.Path):
			return fmt.Errorf("exclude: %s is no pattern of names", e.Path)
		case filepath.IsAbs(e.Path), strings.HasPrefix(e.Path, "/"), slices.Contains(strings.Split(e.Path, "/"), ".."):
			return fmt.Errorf("exclude: %s can match nothing: paths are relative to the directory of the configuration, and below it", e.Path)
		}
	}
	return nil
}

// A Setting is a flag of the analyzer and its value.
type Setting struct{ Name, Value string }

// Settings are what the file says as flags of the analyzer.
func (f *File) Settings() []Setting {
	var all []Setting
	add := func(name, value string) {
		if value != "" {
			all = append(all, Setting{name, value})
		}
	}
	add("enable", strings.Join(f.Enable, ","))
	add("disable", strings.Join(f.Disable, ","))
	add("without", strings.Join(f.Without, ","))
	switch len(f.State) {
	case 0:
	case 1:
		add("state", f.State[0])
	default:
		// Groups that capture: a ? would stand for any letter in a shell.
		add("state", "("+strings.Join(f.State, ")|(")+")")
	}
	return all
}

// Excludes returns the exclusion that is about a category of findings in a file, nil for none.
func (f *File) Excludes(file, category string) *Exclusion {
	if len(f.Exclude) == 0 {
		return nil
	}
	rel, err := filepath.Rel(filepath.Dir(f.Name), file)
	if err != nil {
		return nil
	}
	rel = filepath.ToSlash(rel)
	check, _, _ := strings.Cut(category, "/")
	for i := range f.Exclude {
		e := &f.Exclude[i]
		if len(e.Checks) > 0 && !slices.Contains(e.Checks, check) && !slices.Contains(e.Checks, category) {
			continue
		}
		path := e.pattern()
		for _, pattern := range []string{path, path + "/**"} {
			if ok, err := doublestar.Match(pattern, rel); ok && err == nil {
				return e
			}
		}
	}
	return nil
}

// pattern is the path of an exclusion in its shortest form.
func (e *Exclusion) pattern() string {
	return strings.TrimSuffix(strings.TrimPrefix(e.Path, "./"), "/")
}

// Idle are the paths of exclusions at which there is neither a file nor a directory.
func (f *File) Idle() []string {
	var idle []string
	for i := range f.Exclude {
		found := errors.New("found")
		err := doublestar.GlobWalk(os.DirFS(filepath.Dir(f.Name)), f.Exclude[i].pattern(), func(string, fs.DirEntry) error { return found })
		if err == nil {
			idle = append(idle, f.Exclude[i].Path)
		}
	}
	return idle
}
