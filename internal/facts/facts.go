// Package facts hands on what an analysis learns of a package to those that
// import it. It names objects as every process does, so that nothing keeps the
// syntax and the types of a package that was analysed; it knows nothing of what is
// learned.
package facts

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/objectpath"
)

// A Set is facts by what they are about.
type Set map[key]analysis.Fact

// A key names an object, or the package where Object is empty, and the type of a
// fact.
type key struct{ Package, Object, Type string }

func (k key) compare(l key) int {
	return cmp.Or(cmp.Compare(k.Package, l.Package), cmp.Compare(k.Object, l.Object), cmp.Compare(k.Type, l.Type))
}

func keyOf(path, object string, fact analysis.Fact) key {
	return key{path, object, reflect.TypeOf(fact).String()}
}

// A sealed fact stands for all those of an encoded set. They are decoded when somebody asks
// for one: a large package has a hundred megabytes of them, and most are imported by few.
type sealed struct{ facts func() Set }

// AFact marks sealed as a fact.
func (*sealed) AFact() {}

// opened is the set with its own facts.
func (s Set) opened() Set {
	if all, ok := s[key{}].(*sealed); ok {
		return all.facts()
	}
	return s
}

// get copies a fact of the set to where fact points.
func (s Set) get(k key, fact analysis.Fact) bool {
	known, ok := s.opened()[k]
	if ok {
		reflect.ValueOf(fact).Elem().Set(reflect.ValueOf(known).Elem())
	}
	return ok
}

// Connect gives a pass the facts that known has of each package, by its import
// path, and returns the set into which the pass puts its own.
func Connect(pass *analysis.Pass, known func(path string) Set) Set {
	own, paths := make(Set), new(objectpath.Encoder)
	about := func(path string) Set {
		if path == pass.Pkg.Path() {
			return own
		}
		return known(path)
	}
	pass.ImportPackageFact = func(pkg *types.Package, fact analysis.Fact) bool {
		return about(pkg.Path()).get(keyOf(pkg.Path(), "", fact), fact)
	}
	pass.ExportPackageFact = func(fact analysis.Fact) { own[keyOf(pass.Pkg.Path(), "", fact)] = fact }
	pass.ImportObjectFact = func(obj types.Object, fact analysis.Fact) bool {
		if obj.Pkg() == nil {
			return false
		}
		of := about(obj.Pkg().Path()).opened()
		if len(of) == 0 {
			return false
		}
		path, err := paths.For(obj)
		return err == nil && of.get(keyOf(obj.Pkg().Path(), string(path), fact), fact)
	}
	pass.ExportObjectFact = func(obj types.Object, fact analysis.Fact) {
		// What has no path cannot be named by another package.
		if path, err := paths.For(obj); err == nil {
			own[keyOf(pass.Pkg.Path(), string(path), fact)] = fact
		}
	}
	return own
}

// A stored fact is one of an encoded set.
type stored struct {
	Key  key
	Fact analysis.Fact
}

// Register makes types of facts known to [Decode].
func Register(types []analysis.Fact) {
	for _, fact := range types {
		gob.Register(fact)
	}
}

// Encode is the set in gob form, the same for equal sets.
func (s Set) Encode() ([]byte, error) {
	s = s.opened()
	list := make([]stored, 0, len(s))
	for k, fact := range s {
		gob.Register(fact)
		list = append(list, stored{k, fact})
	}
	slices.SortFunc(list, func(a, b stored) int { return a.Key.compare(b.Key) })
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(list); err != nil {
		return nil, fmt.Errorf("encoding facts: %w", err)
	}
	return out.Bytes(), nil
}

// Decode is the set that was encoded, in a process that has registered the types of
// its facts, or has encoded a set of the same types. What was not encoded by [Set.Encode]
// makes whoever asks for a fact panic.
func Decode(encoded []byte) Set {
	return Set{key{}: &sealed{sync.OnceValue(func() Set {
		s, err := decode(encoded)
		if err != nil {
			panic(err)
		}
		return s
	})}}
}

func decode(encoded []byte) (Set, error) {
	var list []stored
	if err := gob.NewDecoder(bytes.NewReader(encoded)).Decode(&list); err != nil {
		return nil, fmt.Errorf("decoding facts: %w", err)
	}
	s := make(Set, len(list))
	for _, f := range list {
		s[f.Key] = f.Fact
	}
	return s, nil
}
