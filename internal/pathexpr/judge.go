package pathexpr

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A Subject is what is known of one write, and of who reads the file back.
type Subject struct {
	// Path is the file; Data what is written to it, nil where unknown.
	Path, Data *Term
	// Ident is the path argument as the source spells it.
	Ident string
	// Func and Recv are the names of the writing function and of its
	// receiver's type; Caller is the function that says which file it is.
	Func, Recv, Caller string
	// Value is the name of the type whose value is encoded.
	Value string
	// Package is the import path of the writer, Serves whom that serves.
	Package string
	Serves  Service
	// Encoded is the encoder whose output reaches the file; empty where none.
	Encoded string
	// ReadBack says that the same path is read in the package, Decoded that
	// what was read reaches a decoder.
	ReadBack, Decoded bool
	// Derived says that what is written was made of what the file held.
	Derived bool
	// Loader says that a function which is named as the counterpart of Func
	// reads such a file.
	Loader bool
	// Published says that the file is moved over its target by a rename;
	// Shared that the temporary name is one that other writers use too, which
	// is a mistake whatever the file holds.
	Published, Shared bool
	// Grown says that the program adds to what the file holds, and reads that
	// elsewhere.
	Grown bool
	// Trusted says that the program takes the existence of the file as proof of
	// its content.
	Trusted bool
	// Marked says that a directive or flag declares the file to be state.
	Marked bool
	// Copied says that the bytes come unchanged from another file or stream.
	Copied bool
	// Dropped says that nobody looks at the error of the write.
	Dropped bool
	// Constant says that the bytes are a constant of the program.
	Constant bool
}

// A Verdict says whether a file holds state, and why.
type Verdict struct {
	State bool
	// Named is the sentence about the name that speaks for state, empty where
	// no name does.
	Named string
	// Against is why the file was taken not to hold state.
	Against string
}

// PidFile is what speaks against state in a file that only says who runs: it is
// written anew at every start.
const PidFile = "it is a pid file"

// Judge weighs the subject. One kind of evidence alone is never enough, except
// that the program decodes the same path again: names lie, encoders also feed
// reports, and files are read for many reasons.
func (l *Lexicon) Judge(s *Subject) Verdict {
	if s.Marked {
		return Verdict{State: true}
	}
	if why := l.never(s); why != "" {
		return Verdict{Against: why}
	}
	named, byPath := l.named(s)
	if why := cmp.Or(l.placed(s), l.rather(s, byPath)); why != "" && !s.Decoded {
		return Verdict{Against: why, Named: named}
	}
	if s.Copied && !s.Decoded && !s.Shared && !s.Published && !s.Trusted && !l.telling(s.Path) {
		return Verdict{Against: "it is a copy that nothing but a variable's name speaks for", Named: named}
	}
	return Verdict{Named: named, State: enough(s, named != "")}
}

// telling reports whether the last part of a path is written out in the program
// and speaks for state.
func (l *Lexicon) telling(p *Term) bool {
	last := Constants(p.Last())
	word, _ := firstOf(last, l.state)
	format, _ := firstOf(last, l.format)
	return word != "" || format != "" || slices.ContainsFunc(last, func(c string) bool { return l.stateExt[strings.TrimPrefix(path.Ext(c), ".")] })
}

func enough(s *Subject, named bool) bool {
	encoded := s.Encoded != ""
	switch {
	case s.Shared, s.Derived:
		return true
	case s.Decoded:
		return named || encoded || s.Published
	case s.ReadBack, s.Loader, s.Published:
		return named || encoded
	case s.Trusted && s.Copied:
		return named
	}
	return named && encoded && !keyMaterial[s.Encoded] && !rootless(s.Path)
}

// rootless reports whether the path is a constant relative to wherever the
// program is started: a tool that is run by hand in a source tree, unless the
// program reads the file back.
func rootless(t *Term) bool {
	return t.Kind == Const && !path.IsAbs(t.Text)
}

// keyMaterial lists the encoders of keys and certificates. A program that makes
// them for others writes them as often as one that keeps them; only who reads
// them back tells.
var keyMaterial = map[string]bool{"pem": true, "ssh": true, "x509": true}

// never is the counter-evidence that nothing outweighs.
func (l *Lexicon) never(s *Subject) string {
	p := s.Path
	if p == nil {
		return "the path is not known"
	}
	for _, c := range leading(p) {
		rest, abs := strings.CutPrefix(c, "/")
		if top, _, _ := strings.Cut(rest, "/"); abs && (top == "proc" || top == "sys" || top == "dev") {
			return "it is a kernel file"
		}
	}
	if w, _ := firstOf(append(append(Constants(p.Last()), Names(p.Last())...), s.Ident, s.Func), l.pid); w != "" {
		return PidFile
	}
	if w, _ := firstOf([]string{s.Recv}, l.held); w != "" && s.Published && !s.Shared {
		return "a lock does not outlive a power cut"
	}
	if s.Constant || s.Trusted && prose(s.Data) && !s.Derived {
		return "its content is a text of the program"
	}
	if s.Serves.Sure {
		return s.Serves.Why
	}
	if p.Has(Fresh) {
		return "it stands in a fresh temporary place"
	}
	if p.Last().Has(Random) {
		return "its name is unique"
	}
	return ""
}

// placed is what the names of packages and directories say against state. They are
// words, so that a decoder on the same path outweighs them.
func (l *Lexicon) placed(s *Subject) string {
	if w, _ := firstOf(Names(s.Path), l.special); w != "" {
		return "it is a kernel file"
	}
	if w, _ := firstOf(directories(s.Path), l.chosen); w != "" {
		return "its directory says " + w
	}
	return s.Serves.Why
}

// rather is the counter-evidence that only a decoder on the same path
// outweighs.
func (l *Lexicon) rather(s *Subject, byPath bool) string {
	last := s.Path.Last()
	switch {
	case Chosen(s.Path):
		return "the user chose the path"
	case temporary(s.Path):
		return "it stands in the temporary directory"
	case s.Data.Has(Made):
		return "it is rendered from a template"
	case s.Copied && !s.ReadBack && !s.Published && !s.Trusted && !s.Shared:
		return "it is a copy"
	case s.Dropped && !s.Shared:
		return "its error is dropped: the program does without it"
	case prose(s.Data) && !s.Derived:
		return "it is rendered from a text of the program"
	}
	names := append(append(Names(last), Constants(last)...), s.Ident)
	notes := s.Grown || byPath && (s.ReadBack || s.Published)
	if w, _ := firstOf(names, l.throw); w != "" && !(notes && l.text[w]) {
		return "its name says " + w
	}
	if w, _ := firstOf([]string{s.Func, s.Recv, s.Caller}, l.throw); w != "" && !s.Published && !byPath {
		return "the function's name says " + w
	}
	return ""
}

// temporary reports whether a path stands in the temporary directory, and not only for
// a user who has no home.
func temporary(p *Term) bool {
	leads := func(dirs ...string) bool {
		return p.Any(func(t *Term) bool { return t.Kind == Call && slices.Contains(dirs, t.Text) })
	}
	return leads("os.TempDir") && !leads("os.UserHomeDir", "os.UserConfigDir")
}

// Chosen reports whether the user says where the file stands, not only what a file
// of the program's own is named for. A path of what is looked up by an argument is
// the program's.
func Chosen(p *Term) bool {
	switch p.Kind {
	case Field:
		return p.Has(Input) && !lookedUp(p.Args[0])
	case Join, Concat:
		return Chosen(p.Args[0])
	case Alt:
		return slices.ContainsFunc(p.Args, Chosen)
	}
	return p.Has(Input)
}

// lookedUp reports whether something comes out of a list by a name of the user's, or
// of a call that gets single arguments of the user, and not all of them as what
// parses them does.
func lookedUp(t *Term) bool {
	switch t.Kind {
	case Elem:
		return !t.Args[0].Has(Input)
	case Call:
		return !slices.ContainsFunc(t.Args, func(a *Term) bool { return a.Kind == Input })
	}
	return false
}

// prose reports whether the bytes are a text with a few values filled in, as a
// scaffold or an installed script is.
func prose(t *Term) bool {
	if t == nil || t.Kind != Concat && t.Kind != Join {
		return false
	}
	lines := 0
	for _, c := range Constants(t) {
		lines += strings.Count(c, "\n")
	}
	return lines >= 4
}

// named is the sentence about the strongest name that speaks for state, and
// whether it is the name of the file itself.
func (l *Lexicon) named(s *Subject) (sentence string, byPath bool) {
	for _, c := range Constants(s.Path.Last()) {
		ext := strings.TrimPrefix(path.Ext(c), ".")
		if l.stateExt[ext] {
			return "the file is named " + quote(around(c, s.Path)), true
		}
	}
	own := append(Names(s.Path.Last()), s.Ident)
	for _, c := range []struct {
		names []string
		words map[string]bool
		says  string
		path  bool
	}{
		{own, l.state, "the path is named ", true},
		{own, l.format, "the path is named ", true},
		{[]string{s.Func}, l.state, "the writer is named ", false},
		{[]string{s.Caller}, l.state, "the writer is called by ", false},
		{[]string{s.Recv}, l.state, "the writer is a method of ", false},
		{[]string{s.Value}, l.state, "the content is a ", false},
		{directories(s.Path), l.state, "the directory is named ", false},
		{[]string{path.Base(s.Package)}, l.state, "the writer stands in package ", false},
	} {
		if w, n := firstOf(c.names, c.words); w != "" {
			if c.path {
				n = around(n, s.Path)
			}
			return c.says + quote(n), c.path
		}
	}
	return "", false
}

// around is the whole last part of a path for a fragment of it ("_key"), and the
// name itself for any other.
func around(name string, path *Term) string {
	last := path.Last().String()
	fragment := name != "" && !unicode.IsLetter(rune(name[0])) && name[0] != '/'
	if fragment && strings.Contains(last, name) {
		return last
	}
	return name
}

// Matches reports whether a name or constant of the path matches re.
func Matches(t *Term, re *regexp.Regexp) bool {
	for _, n := range append(Names(t), Constants(t)...) {
		if re.MatchString(n) {
			return true
		}
	}
	return false
}

// directories lists the names of the directories above the file.
func directories(t *Term) []string {
	if t.Kind != Join {
		return nil
	}
	var list []string
	for _, a := range t.Args[:len(t.Args)-1] {
		list = append(list, Names(a)...)
	}
	return list
}

// Constants lists the constant texts in a path, also those of package
// variables with one value. What an accessor is asked for is no part of it.
func Constants(t *Term) []string {
	var list []string
	parts(t, func(x *Term) {
		if x.Kind == Const && x.Text != "" {
			list = append(list, x.Text)
		}
	})
	return list
}

// Replaceable reports whether the file is a cache by its name, its place or the
// type that has its path: what it holds can be had again.
func Replaceable(t *Term) bool {
	if t.Any(func(x *Term) bool {
		return x.Kind == Call && x.Text == "os.UserCacheDir" || strings.Contains(strings.ToLower(lastName(x.Type)), "cache")
	}) {
		return true
	}
	names := append(Names(t), Constants(t)...)
	return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(strings.ToLower(n), "cache") })
}

// parts visits what a path is spelled with: everything but the arguments of
// accessors, the values that fields belong to and indices of lists. A field stands
// for the file that it is given, too.
func parts(t *Term, f func(*Term)) {
	if t == nil {
		return
	}
	f(t)
	if t.Kind == Field {
		if len(t.Args) > 1 {
			parts(t.Args[1].Last(), f)
		}
		return
	}
	if t.Kind == Call && opOf(t.Text) == "" {
		return
	}
	args := t.Args
	if t.Kind == Elem {
		args = args[:1]
	}
	for _, a := range args {
		parts(a, f)
	}
}

// Names lists the names that a path is made of: constants, parameters, fields,
// package variables and accessors.
func Names(t *Term) []string {
	var list []string
	parts(t, func(x *Term) {
		switch x.Kind {
		case Const:
			list = append(list, strings.TrimSuffix(x.Text, path.Ext(x.Text)))
		case Param, Field:
			list = append(list, x.Text)
		case Global, Call:
			if !strings.HasPrefix(x.Text, "os.") {
				list = append(list, lastName(x.Text))
			}
		case Unknown:
			if name := variable(x.Text); name != "" {
				list = append(list, name)
			}
		}
	})
	return list
}

func lastName(full string) string {
	return full[strings.LastIndexAny(full, "./")+1:]
}

// leading lists the constants that the path can begin with.
func leading(t *Term) []string {
	switch t.Kind {
	case Const:
		return []string{t.Text}
	case Join, Concat, Global, Handle:
		if len(t.Args) > 0 {
			return leading(t.Args[0])
		}
	case Alt:
		var all []string
		for _, a := range t.Args {
			all = append(all, leading(a)...)
		}
		return all
	}
	return nil
}

func quote(s string) string { return "\"" + s + "\"" }
