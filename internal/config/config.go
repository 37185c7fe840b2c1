// Package config reads .lockvet.yaml, in which a team writes down what lockvet is to look
// at: once for the command, the golangci-lint plugin and the Action. It knows the form of
// the file; which checks and rules there are, those know who run them.
//
// Under go vet there is no such file: the go command keeps results by flags and sources,
// and would not see that it has changed.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/lockvet/lockvet/internal/nearest"
	"github.com/lockvet/lockvet/internal/pattern"
	"github.com/lockvet/lockvet/internal/printable"
	"github.com/lockvet/lockvet/internal/untrusted"
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

	matches *regexp.Regexp // Path, in its shortest form
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
// and the key; it is one line, whatever the file holds.
func Read(name string) (*File, error) {
	text, err := untrusted.ReadFile(name, untrusted.MaxYAML)
	if err != nil {
		return nil, err
	}
	f, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, printable.Text(err.Error()))
	}
	f.Name, err = filepath.Abs(name)
	return f, err
}

// parse understands the text of a file.
func parse(text []byte) (*File, error) {
	f, doc := &File{}, yaml.Node{}
	if err := untrusted.DecodeYAML(text, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return f, nil
	}
	if err := check(doc.Content[0], reflect.TypeFor[File](), "the file"); err != nil {
		return nil, err
	}
	if err := untrusted.DecodeYAML(text, f); err != nil {
		return nil, err
	}
	return f, f.check()
}

// check is an error if a value, named for the user, does not have the form of a type, or a mapping in
// it has a key that the type does not have. A value that is left empty has any form.
func check(n *yaml.Node, t reflect.Type, name string) error {
	form, right := form(n, t)
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return fmt.Errorf("line %d: %s: anchors and aliases are not read; write the value out", n.Line, name)
	case n.ShortTag() == "!!null":
		return nil
	case !right && n.Kind == yaml.ScalarNode && t.Kind() != reflect.Struct: // a text that is no configuration may be a secret
		return fmt.Errorf("line %d: %s: %s is wanted, not %.40s", n.Line, name, form, n.Value)
	case !right:
		return fmt.Errorf("line %d: %s: %s is wanted", n.Line, name, form)
	case n.Kind == yaml.SequenceNode:
		for _, v := range n.Content {
			if err := check(v, t.Elem(), name); err != nil {
				return err
			}
		}
	case n.Kind == yaml.MappingNode:
		return checkKeys(n, t)
	}
	return nil
}

// checkKeys checks a mapping.
func checkKeys(n *yaml.Node, t reflect.Type) error {
	for i := 0; i < len(n.Content); i += 2 {
		key, of := n.Content[i], t
		switch {
		case key.Kind != yaml.ScalarNode:
			return fmt.Errorf("line %d: a key is one word", key.Line)
		case t.Kind() == reflect.Map:
			of = t.Elem()
		default:
			if _, err := nearest.Of("key", key.Value, Keys(t)); err != nil {
				return fmt.Errorf("line %d: %w", key.Line, err)
			}
			for i := range t.NumField() {
				if t.Field(i).Tag.Get("yaml") == key.Value {
					of = t.Field(i).Type
				}
			}
		}
		if err := check(n.Content[i+1], of, key.Value); err != nil {
			return err
		}
	}
	return nil
}

// form is what a value has to be, for a user, who does not know the types of this package, and
// whether it is that.
func form(n *yaml.Node, t reflect.Type) (string, bool) {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false", n.ShortTag() == "!!bool"
	case reflect.Slice:
		return "a list", n.Kind == yaml.SequenceNode
	case reflect.Map:
		return "one line for each name", n.Kind == yaml.MappingNode
	case reflect.String:
		return "one word or text", n.Kind == yaml.ScalarNode
	}
	return "a line for each key", n.Kind == yaml.MappingNode
}

// Keys are the keys that a mapping of a type has.
func Keys(t reflect.Type) []string {
	var all []string
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("yaml"); key != "" && key != "-" {
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
	for i := range f.Exclude {
		e := &f.Exclude[i]
		switch {
		case e.Path == "":
			return fmt.Errorf("exclude: entry %d has no path", i+1)
		case strings.TrimSpace(e.Reason) == "":
			return fmt.Errorf("exclude: %s has no reason: say why nothing is reported there", e.Path)
		case filepath.IsAbs(e.Path), strings.HasPrefix(e.Path, "/"), slices.Contains(strings.Split(e.Path, "/"), ".."):
			return fmt.Errorf("exclude: %s can match nothing: paths are relative to the directory of the configuration, and below it", e.Path)
		}
		var err error
		if e.matches, err = pattern.Path(e.shortest()); err != nil {
			return fmt.Errorf("exclude: %w", err)
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

// FlagText is a value from JSON or YAML as a flag takes it, a list with commas between its items. It is false for what no
// flag takes.
func FlagText(value any) (string, bool) {
	switch v := value.(type) {
	case string, bool:
		return fmt.Sprint(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case []any:
		var items []string
		for _, item := range v {
			text, ok := item.(string)
			if !ok {
				return "", false
			}
			items = append(items, text)
		}
		return strings.Join(items, ","), true
	}
	return "", false
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
		if e.matches.MatchString(rel) {
			return e
		}
	}
	return nil
}

// shortest is the path of an exclusion in its shortest form.
func (e *Exclusion) shortest() string {
	return strings.TrimSuffix(strings.TrimPrefix(e.Path, "./"), "/")
}

// maxIdle bounds the search for idle exclusions, in bytes of patterns that are compared with a name.
const maxIdle = 4 << 20

// Idle are the paths of exclusions at which there is neither a file nor a directory. It is empty
// where the tree is too large to be sure.
func (f *File) Idle() []string {
	idle, compared := make([]*Exclusion, 0, len(f.Exclude)), 0
	for i := range f.Exclude {
		idle = append(idle, &f.Exclude[i])
	}
	root := filepath.Dir(f.Name)
	// What cannot be read is not there for an exclusion either.
	_ = filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root, name)
		if len(idle) == 0 || compared > maxIdle {
			return fs.SkipAll
		}
		idle = slices.DeleteFunc(idle, func(e *Exclusion) bool {
			compared += len(e.Path)
			return err == nil && relErr == nil && e.matches.MatchString(filepath.ToSlash(rel))
		})
		return nil
	})
	if compared > maxIdle {
		return nil
	}
	var paths []string
	for _, e := range idle {
		paths = append(paths, e.Path)
	}
	return paths
}
