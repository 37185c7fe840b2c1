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

// A Set is facts by what they are about. The zero value has none.
type Set struct {
	own map[key]analysis.Fact
	// later decodes them, once, when somebody asks for one; nil where own has them. A large package
	// has a hundred megabytes of facts, and most are imported by few.
	later func() map[key]analysis.Fact
}

// all are the facts of the set.
func (s Set) all() map[key]analysis.Fact {
	if s.later != nil {
		return s.later()
	}
	return s.own
}

// Empty reports whether the set has no fact.
func (s Set) Empty() bool { return len(s.all()) == 0 }

// A key names an object, or the package where Object is empty, and the type of a
// fact.
type key struct{ Package, Object, Type string }

func (k key) compare(l key) int {
	return cmp.Or(cmp.Compare(k.Package, l.Package), cmp.Compare(k.Object, l.Object), cmp.Compare(k.Type, l.Type))
}

func keyOf(path, object string, fact analysis.Fact) key {
	return key{path, object, reflect.TypeOf(fact).String()}
}

// get copies a fact of the set to where fact points.
func (s Set) get(k key, fact analysis.Fact) bool {
	known, ok := s.all()[k]
	if ok {
		reflect.ValueOf(fact).Elem().Set(reflect.ValueOf(known).Elem())
	}
	return ok
}

// Connect gives a pass the facts that known has of each package, by its import
// path, and returns the set into which the pass puts its own.
func Connect(pass *analysis.Pass, known func(path string) Set) Set {
	own, paths := Set{own: make(map[key]analysis.Fact)}, new(objectpath.Encoder)
	about := func(path string) Set {
		if path == pass.Pkg.Path() {
			return own
		}
		return known(path)
	}
	pass.ImportPackageFact = func(pkg *types.Package, fact analysis.Fact) bool {
		return about(pkg.Path()).get(keyOf(pkg.Path(), "", fact), fact)
	}
	pass.ExportPackageFact = func(fact analysis.Fact) { own.own[keyOf(pass.Pkg.Path(), "", fact)] = fact }
	pass.ImportObjectFact = func(obj types.Object, fact analysis.Fact) bool {
		if obj.Pkg() == nil {
			return false
		}
		of := about(obj.Pkg().Path())
		if of.Empty() {
			return false
		}
		path, err := paths.For(obj)
		return err == nil && of.get(keyOf(obj.Pkg().Path(), string(path), fact), fact)
	}
	pass.ExportObjectFact = func(obj types.Object, fact analysis.Fact) {
		// What has no path cannot be named by another package.
		if path, err := paths.For(obj); err == nil {
			own.own[keyOf(pass.Pkg.Path(), string(path), fact)] = fact
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
	list := make([]stored, 0, len(s.all()))
	for k, fact := range s.all() {
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
	return Set{later: sync.OnceValue(func() map[key]analysis.Fact {
		var list []stored
		if err := gob.NewDecoder(bytes.NewReader(encoded)).Decode(&list); err != nil {
			panic(fmt.Errorf("decoding facts: %w", err))
		}
		facts := make(map[key]analysis.Fact, len(list))
		for _, f := range list {
			facts[f.Key] = f.Fact
		}
		return facts
	})}
}
