package analyse

import (
	"bytes"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/cache"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/live"
	"github.com/lockvet/lockvet/internal/facts"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
)

// A Cache keeps what an analysis made of packages for later runs, as the go command
// keeps what a vettool made of them: under the content of all that the analysis saw,
// the program itself included. Processes may share one.
type Cache struct {
	files   *cache.Cache
	program [cache.HashSize]byte
	opened  time.Time
}

// OpenCache opens the cache in a directory, which is made where it is missing. It has
// to be opened before the packages are loaded: a file that changed since then is not
// what the go command compiled.
func OpenCache(dir string) (*Cache, error) {
	opened := time.Now()
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	program, err := cache.FileHash(exe)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	files, err := cache.Open(dir)
	if err != nil {
		return nil, err
	}
	return &Cache{files: files, program: program, opened: opened}, nil
}

// Keep keeps a value for later runs of this program, under a key that names what it is and what it was made of.
func (c *Cache) Keep(key string, value []byte) {
	if c != nil {
		_ = c.files.PutBytes(c.named(key), value)
	}
}

// Recall is the value that was kept under a key; nil where there is none.
func (c *Cache) Recall(key string) []byte {
	if c == nil {
		return nil
	}
	value, _, err := c.files.GetBytes(c.named(key))
	if err != nil {
		return nil
	}
	return value
}

func (c *Cache) named(key string) cache.ActionID {
	h := cache.NewHash("lockvet")
	fmt.Fprintf(h, "%x %q\n", c.program, key)
	return h.Sum()
}

// A digest stands for a package and all that an analysis sees of it and of what it
// imports. Where it is not known, the package is analysed each time.
type digest struct {
	sum   [cache.HashSize]byte
	known bool
}

// digest computes the digests of packages that are to be analysed, and of all that
// they import.
func (u *run) digest(pkgs []*packages.Package) map[string]digest {
	analysed := make(map[string]bool, len(pkgs))
	for _, p := range pkgs {
		analysed[p.ID] = true
	}
	digests := make(map[string]digest)
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		h := cache.NewHash("lockvet")
		fmt.Fprintf(h, "%x %q %q %q %q %v\n", u.Cache.program, p.ID, p.PkgPath, p.Name, p.ForTest, p.TypesSizes)
		known := true
		for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
			imported := digests[p.Imports[path].ID]
			known = known && imported.known
			fmt.Fprintf(h, "import %q %x\n", path, imported.sum)
		}
		if analysed[p.ID] {
			known = known && u.digestSources(h, p)
		} else {
			known = known && digestExport(h, p)
		}
		digests[p.ID] = digest{h.Sum(), known}
	})
	return digests
}

// digestSources adds what an analysis sees of a package that it works on. Lines that
// are counted in another file are not kept.
func (u *run) digestSources(h *cache.Hash, p *packages.Package) bool {
	fmt.Fprintf(h, "settings %q variant %q\n", u.Settings, u.variantFor(p))
	if m := p.Module; m != nil {
		fmt.Fprintf(h, "module %q %q %q %t %q\n", m.Path, m.Version, m.Dir, m.Main, m.GoVersion)
	}
	for _, name := range p.CompiledGoFiles {
		src, err := u.Load.ReadFile(name)
		if err != nil || bytes.Contains(src, []byte("//line ")) || bytes.Contains(src, []byte("/*line ")) {
			return false
		}
		fmt.Fprintf(h, "file %q %d\n", name, len(src))
		h.Write(src)
	}
	return u.Cache.unchanged(p)
}

// unchanged reports whether no file of a package has changed since the cache was opened.
func (c *Cache) unchanged(p *packages.Package) bool {
	return !slices.ContainsFunc(p.CompiledGoFiles, func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || !info.ModTime().Before(c.opened)
	})
}

// digestExport adds what an analysis sees of a package that others import: its export
// data, whose name in the build cache is a hash of the content.
func digestExport(h *cache.Hash, p *packages.Package) bool {
	if p.PkgPath == "unsafe" {
		return true
	}
	base := filepath.Base(p.ExportFile)
	if sum, isOutput := strings.CutSuffix(base, "-d"); isOutput && len(sum) == hex.EncodedLen(cache.HashSize) {
		fmt.Fprintf(h, "export %q\n", base)
		return true
	}
	sum, err := cache.FileHash(p.ExportFile)
	fmt.Fprintf(h, "export %x\n", sum)
	return err == nil
}

// key is the name under which the cache has a package. What is found in one that only
// is to tell of itself is not kept.
func (u *run) key(p *packages.Package) (cache.ActionID, bool) {
	d := u.digests[p.ID]
	return cache.Subkey(d.sum, fmt.Sprintf("named %t, uses %t", u.named[p.ID], u.Uses != nil)), d.known
}

// An entry is what the cache has of a package.
type entry struct {
	Facts         []byte
	Uses          *live.Package
	Files         []file // of the package, where anything is found in it
	Found, Offers []record
	GaveUp        []flow.GaveUp
	Replaces      []string
}

// A file is the lines of a source file.
type file struct {
	Name       string
	Base, Size int
	Lines      []int
}

// A record is a finding without its package.
type record struct {
	Finding     *finding.Finding
	Decl, Other live.Name
}

// recall takes from the cache what was made of a package: nil where it has nothing, or
// nothing that can be read.
func (u *run) recall(p *packages.Package) *made {
	key, ok := u.key(p)
	if !ok {
		return nil
	}
	encoded, _, err := u.Cache.files.GetBytes(key)
	if err != nil {
		return nil
	}
	var e entry
	if err := gob.NewDecoder(bytes.NewReader(encoded)).Decode(&e); err != nil {
		return nil
	}
	m := made{encoded: e.Facts, facts: facts.Decode(e.Facts), gaveUp: e.GaveUp, replaces: e.Replaces}
	if u.Uses != nil {
		u.Uses.Put(p.PkgPath, e.Uses)
	}
	of := *p
	of.Fset = fileSet(e.Files)
	m.found, m.offers = recalled(&of, e.Found), recalled(&of, e.Offers)
	return &m
}

// remember puts into the cache what was made of a package, unless a file has changed in this run or a package failed:
// what an earlier run kept is true either way. A run does as well without a cache that cannot be written.
func (u *run) remember(p *packages.Package, m *made) {
	key, ok := u.key(p)
	if !ok || u.unsettled.Load() {
		return
	}
	if !u.Cache.unchanged(p) {
		u.fail(p, nil)
		return
	}
	e := entry{Facts: m.encoded, Found: records(m.found), Offers: records(m.offers), GaveUp: m.gaveUp, Replaces: m.replaces}
	for _, list := range [][]*Found{m.found, m.offers} {
		if len(list) > 0 {
			e.Files = files(list[0].Pkg.Fset)
		}
	}
	if u.Uses != nil {
		e.Uses = u.Uses.Get(p.PkgPath)
	}
	var encoded bytes.Buffer
	if err := gob.NewEncoder(&encoded).Encode(e); err != nil {
		return
	}
	_ = u.Cache.files.PutBytes(key, encoded.Bytes())
}

func records(found []*Found) []record {
	list := make([]record, len(found))
	for i, f := range found {
		list[i] = record{f.Finding, f.Decl, f.Other}
	}
	return list
}

func recalled(p *packages.Package, list []record) []*Found {
	found := make([]*Found, len(list))
	for i, r := range list {
		found[i] = &Found{Finding: r.Finding, Pkg: p, FixedIn: p, Decl: r.Decl, Other: r.Other}
	}
	return found
}

// files are the files of a set, in order.
func files(fset *token.FileSet) []file {
	var list []file
	for f := range fset.Iterate {
		list = append(list, file{f.Name(), f.Base(), f.Size(), f.Lines()})
	}
	return list
}

// fileSet is a set of the files at the same places, so that a position in one is the
// same position in the other.
func fileSet(list []file) *token.FileSet {
	fset := token.NewFileSet()
	for _, f := range list {
		fset.AddFile(f.Name, f.Base, f.Size).SetLines(f.Lines)
	}
	return fset
}
