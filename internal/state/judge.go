package state

import (
	"go/token"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A Features is what is known of one write, and of who reads the file back.
type Features struct {
	// Path is the file; Data what is written to it, nil where unknown.
	Path, Data *pathexpr.Term
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
	// Derived says that what is written was made of what the file held; Edited that it
	// was, and that nothing of the file's name is written out.
	Derived, Edited bool
	// Loader says that a function which is named as the counterpart of Func
	// reads such a file.
	Loader bool
	// Published says that the file is moved over its target by a rename in this package: a
	// helper of another one does that for every file, and says nothing of this one;
	// Fails that this is done in a way that fails whatever the file holds.
	Published, Fails bool
	// Own says that the loader is a method, as the function that writes is: an object keeps the file.
	Own bool
	// Promised says that the writing function is named for atomic or durable writes.
	Promised bool
	// Stuck says that a crash makes each later write fail.
	Stuck bool
	// Grown says that the program adds to what the file holds, and reads that
	// elsewhere.
	Grown bool
	// ExistenceChecked says that the program takes the existence of the file as proof of
	// its content.
	ExistenceChecked bool
	// Marked says that a directive or flag declares the file to be state.
	Marked bool
	// Copied says that the bytes come unchanged from another file or stream.
	Copied bool
	// Constant says that the bytes are a constant of the program.
	Constant bool

	byPath bool // the name of the file itself speaks for state
}

// A Verdict says whether a file holds state, and why.
type Verdict struct {
	State bool
	// Named is the sentence about the name that speaks for state, empty where
	// no name does.
	Named string
	// Proven says that the program itself shows what the file is to it: it decodes it,
	// makes the new content of the old, or takes its existence for its content. It may have a
	// loader, too, which reads the file, is a method of the same type, or is one of settings,
	// sessions or secrets.
	// What names, an encoder or a rename say is less.
	Proven bool
	// Reasons are the rules that spoke: against state the deciding one first, and the
	// others only where the log keeps them.
	Reasons []Reason
}

// A Reason is a rule that spoke of a subject, and what it says of it.
type Reason struct {
	Rule *verdict.Rule
	Text string
}

// Against is what speaks against state, empty where nothing does: that what speaks for it
// is not enough is nothing against it.
func (v Verdict) Against() string {
	for _, r := range v.Reasons {
		if r.Rule.Effect != verdict.For && r.Rule != tooLittle {
			return r.Text
		}
	}
	return ""
}

// Is reports whether a rule spoke.
func (v Verdict) Is(r *verdict.Rule) bool {
	return slices.ContainsFunc(v.Reasons, func(o Reason) bool { return o.Rule == r })
}

// Judge weighs the subject. One kind of evidence alone is never enough, except
// that the program decodes the same path again: names lie, encoders also feed
// reports, and files are read for many reasons. It asks the rules that the log allows.
func Judge(s *Features, log *verdict.Log) Verdict {
	known := *s
	s = &known
	v := Verdict{Reasons: s.proof(log)}
	v.Proven = s.Marked || s.Decoded || s.Derived || s.Edited || s.ExistenceChecked || s.Grown ||
		s.Loader && (s.ReadBack || s.Own || s.precious()) ||
		s.Stuck
	if s.Marked {
		v.State = true
		return v
	}
	spoke := func(rules []rule) bool {
		for _, r := range rules {
			by := r.Rule
			if by == nil {
				by = s.Serves.Rule
			}
			if text := r.holds(s); text != "" && log.Asks(by) {
				v.Reasons = append(v.Reasons, Reason{by, text})
				if !log.Keeps() {
					break
				}
			}
		}
		return v.Against() != ""
	}
	named, by, byPath := nameOf(s, log)
	v.Proven = v.Proven || s.Loader && slices.ContainsFunc(precious, func(l *lexicon.List) bool { return l.Rule == by })
	if v.Named = named; by != nil {
		v.Reasons = append(v.Reasons, Reason{by, named})
	}
	if spoke(never) || s.Path == nil {
		return v
	}
	s.byPath = byPath
	if !s.Decoded {
		if spoke(placed) && !log.Keeps() {
			return v
		}
		if l, word := wasted(s, log); l != nil {
			v.Reasons = append(v.Reasons, Reason{l.Rule, word})
		}
		if v.Against() != "" {
			return v
		}
	}
	if v.State = enough(s, named != ""); !v.State && log.Asks(tooLittle) {
		v.Reasons = append(v.Reasons, Reason{tooLittle, "what speaks for state is not enough"})
	}
	return v
}

// What the program itself proves of a file.
var (
	marked = verdict.Declare(
		verdict.Rule{
			ID:      "state/declared",
			Effect:  verdict.For,
			Fixture: "tornwrite/directive",
			Why:     "a directive or -state says that the file is state",
			Source:  "the user's word",
		},
	)
	decoded = verdict.Declare(
		verdict.Rule{
			ID:      "state/decoded",
			Effect:  verdict.For,
			Fixture: "tornwrite/arguments",
			Why:     "the program decodes the same path again",
			Source:  "principle: what is decoded again is what is missed",
		},
	)
	readBack = verdict.Declare(
		verdict.Rule{
			ID:      "state/read-back",
			Effect:  verdict.For,
			Fixture: "tornappend/separator",
			Why:     "the program reads the same path",
			Source: "principle: " +
				"a program that reads a file again finds what a crash has left of it",
		},
	)
	loader = verdict.Declare(
		verdict.Rule{
			ID:      "state/loader",
			Effect:  verdict.For,
			Fixture: "tornwrite/sibling",
			Why:     "a function that is named as the counterpart of the writer reads such a file",
			Source:  "79 % of the paths in labelled bugs are a bare variable: the pair of names says which file it is",
		},
	)
	trusted = verdict.Declare(
		verdict.Rule{
			ID:      "state/trusted",
			Effect:  verdict.For,
			Fixture: "tornwrite/anew",
			Why:     "the program takes the file for complete if it exists",
			Source: "downloads " +
				"and caches that were torn and never made again: golang/dep, buildkit",
		},
	)
	encoded = verdict.Declare(
		verdict.Rule{
			ID:      "state/encoded",
			Effect:  verdict.For,
			Fixture: "tornwrite/inplace",
			Why:     "the output of an encoder reaches the file",
			Source:  "principle: what is encoded is meant for a decoder",
		},
	)
	derivedOf = verdict.Declare(
		verdict.Rule{
			ID:      "state/derived",
			Effect:  verdict.For,
			Fixture: "tornwrite/derived",
			Why:     "the new content is made of the old content of the file: after a crash there is no other copy",
			Source:  "principle; another program's file that is edited: jesseduffield/lazygit, git-lfs/git-lfs",
		},
	)
	published = verdict.Declare(verdict.Rule{ID: "state/published", Effect: verdict.For, Fixture: "tornwrite/nosync", Why: "a " +
		"rename publishes the file: the author wanted readers to see it whole", Source: "principle"})
	anyContent = verdict.Declare(
		verdict.Rule{
			ID:      "state/any-content",
			Effect:  verdict.For,
			Fixture: "tornwrite/crossdir",
			Why:     "the way the file is replaced fails whatever it contains: a temporary name that others use, a target removed first, a rename to another file system",
			Source:  "two writers of one .tmp: containers/storage, steveyegge/gastown; rename(2), EXDEV: devbuddy/devbuddy, gruntwork-io/terragrunt, ethereum-optimism/superchain-registry",
		},
	)
	// Promised is the rule that a function is named for atomic writes.
	Promised = verdict.Declare(
		verdict.Rule{
			ID:      "state/promised",
			Effect:  verdict.For,
			Fixture: "tornwrite/promised",
			Why:     "the function is named for atomic or durable writes: its callers rely on that for any file",
			Source:  "hashicorp/terraform, chenhg5/cc-connect, tendermint/tendermint, tailscale/tailscale",
		},
	)
	grown = verdict.Declare(verdict.Rule{ID: "state/grown", Effect: verdict.For, Fixture: "lostupdate/unlocked", Why: "the " +
		"program adds to the content of the file, and reads it elsewhere", Source: "notes and histories of agents"})
	tooLittle = verdict.Declare(verdict.Rule{ID: "state/too-little", Effect: verdict.Against, Fixture: "tornwrite/quiet", Why: "one " +
		"kind of evidence is not enough: names lie, encoders also feed reports, and files are read for many reasons", Source: "83 % of the write sites in a sample need no report"})
)

// proof takes from the subject what is not to be asked for, and returns what is left.
func (s *Features) proof(log *verdict.Log) (spoke []Reason) {
	for _, f := range []struct {
		rule *verdict.Rule
		is   *bool
		text string
	}{
		{marked, &s.Marked, "it is declared to be state"},
		{decoded, &s.Decoded, "the program decodes it again"},
		{derivedOf, &s.Derived, "its new content is made of what it held"},
		{readBack, &s.ReadBack, "the program reads it back"},
		{derivedOf, &s.Edited, "its new content is made of what it held"},
		{loader, &s.Loader, "a function that is named as its loader reads such a file"},
		{published, &s.Published, "it is published by a rename"},
		{Promised, &s.Promised, "the function that writes it is named for atomic writes"},
		{anyContent, &s.Fails, "how it is replaced fails whatever it holds"},
		{grown, &s.Grown, "the program adds to it, and reads it elsewhere"},
		{trusted, &s.ExistenceChecked, "its existence is taken for its content"},
	} {
		if *f.is = *f.is && log.Asks(f.rule); *f.is {
			spoke = append(spoke, Reason{f.rule, f.text})
		}
	}
	switch {
	case s.Encoded == "":
	case !log.Asks(encoded):
		s.Encoded = ""
	default:
		spoke = append(spoke, Reason{encoded, "its content comes from an encoder"})
	}
	return spoke
}

func enough(s *Features, named bool) bool {
	encoded := s.Encoded != ""
	switch {
	case s.Fails, s.Derived, s.Edited && s.Loader && !token.IsExported(s.Func):
		return true // whoever exports a pair that reads and writes any file knows of none what it holds
	case s.Decoded:
		return named || encoded || s.Published || s.Edited
	case s.Promised && s.Published:
		return true
	case s.ReadBack, s.Loader, s.Published, s.Promised:
		return named || encoded || s.ReadBack && s.Published
	case s.ExistenceChecked && s.Copied:
		return named
	}
	return named && encoded && !keyMaterial[s.Encoded] && !rootless(s.Path)
}

// rootless reports whether the path is a constant relative to wherever the
// program is started: a tool that is run by hand in a source tree, unless the
// program reads the file back.
func rootless(t *pathexpr.Term) bool {
	return t.Kind == pathexpr.Const && !path.IsAbs(t.Text)
}

// keyMaterial lists the encoders of keys and certificates. A program that makes
// them for others writes them as often as one that keeps them; only who reads
// them back tells.
var keyMaterial = map[string]bool{"pem": true, "ssh": true, "x509": true}

// A rule is one that speaks against state in a subject: holds is what it says, empty
// for nothing.
type rule struct {
	*verdict.Rule // nil where it is that of what says whom the package serves
	holds         func(s *Features) string
}

func against(effect verdict.Effect, id, fixture, why, source string, holds func(s *Features) string) rule {
	return rule{verdict.Declare(verdict.Rule{ID: "state/" + id, Effect: effect, Why: why, Source: source, Fixture: fixture}), holds}
}

// when is the text if a condition holds.
func when(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// IsPid is the rule that speaks of a file which only says who runs.
var IsPid = lexicon.Pid.Rule

// NoPath is the rule that a file whose path is not known is never reported.
var NoPath = verdict.Declare(verdict.Rule{ID: "state/no-path", Effect: verdict.Forbids, Fixture: "tornwrite/quiet",
	Why: "the path is not known", Source: "principle: an effect that cannot be resolved ends the reasoning"})

// never are the rules that nothing outweighs.
var never = []rule{
	{NoPath, func(s *Features) string { return when(s.Path == nil, "the path is not known") }},
	against(verdict.Forbids, "kernel-file", "tornwrite/quiet", "the file stands in /proc, /sys or /dev: it has no "+
		"content to lose", "proc(5), sysfs(5); opencontainers/runc",
		func(s *Features) string { return when(s.Path != nil && inKernel(s.Path), "it is a kernel file") }),
	{lexicon.Pid.Rule, func(s *Features) string {
		if s.Path == nil {
			return ""
		}
		w, _ := lexicon.Pid.Words.In(append(append(pathexpr.Constants(s.Path.Last()), pathexpr.Names(s.Path.Last())...), s.Ident, s.Func)...)
		return when(w != "" && !s.Stuck, "it is a pid file")
	}},
	against(verdict.Forbids, "constant", "tornwrite/quiet", "the content is a constant of the program, which can "+
		"write it again", "markers and default files in the sample of write sites",
		func(s *Features) string {
			return when(s.Constant, "its content is a text of the program")
		}),
	{nil, func(s *Features) string { return when(s.Serves.Sure, s.Serves.Why) }},
	{excludes.FreshPlace, func(s *Features) string {
		return when(s.Path.Expanded().Has(pathexpr.Fresh), "it stands in a fresh temporary place")
	}},
	{lexicon.Staging.Rule, func(s *Features) string {
		w := Staged(s.Path)
		return when(w != "", "its directory says "+w+", and has a name of its own")
	}},
	{excludes.OwnName, func(s *Features) string {
		return when(s.Path != nil && s.Path.Last().Has(pathexpr.Random), "its name is unique")
	}},
}

// placed are the rules that only a decoder on the same path outweighs: what the names of
// packages and directories say, where the file stands, and what it is made of.
var placed = []rule{
	{lexicon.Kernel.Rule, func(s *Features) string { return when(OfKernel(s.Path), "it is a kernel file") }},
	{nil, func(s *Features) string { return s.Serves.Why }},
	{excludes.Chosen, func(s *Features) string { return when(Chosen(s.Path), "the user chose the path") }},
	against(verdict.Against, "template", "tornwrite/rules", "the content is rendered from a template, and so are all "+
		"later versions of it", "generators and scaffolds in the sample of write sites",
		func(s *Features) string {
			return when(s.Data.Has(pathexpr.Made) && !s.Derived, "it is rendered from a template")
		}),
}

// wasted is the list of words against state that a name of the file has, or of the function
// that writes a file without a name, and what that says.
func wasted(s *Features, log *verdict.Log) (*lexicon.List, string) {
	if s.Loader && s.ExistenceChecked {
		return nil, "" // its loader goes by its being there: no word outweighs both
	}
	last := s.Path.Last()
	if ext := extension(last, lexicon.Code.Words); ext != "" && log.Asks(lexicon.Code.Rule) {
		return lexicon.Code, "its name ends in " + ext
	}
	names := s.heard(append(append(pathexpr.Names(last), pathexpr.Constants(last)...), s.Ident), last)
	notes := s.Grown || s.byPath && (s.ReadBack || s.Published)
	if l, w, _ := lexicon.First(lexicon.Waste, log.Asks, names...); l != nil && !(notes && lexicon.Notes[w]) {
		return l, "its name says " + w
	}
	if l, w, _ := lexicon.First(lexicon.Waste, log.Asks, lexicon.WithoutVerb(s.Func), s.Recv, lexicon.WithoutVerb(s.Caller)); l != nil &&
		!s.Published &&
		!s.byPath &&
		!s.shown() {
		return l, "the function's name says " + w
	}
	return nil, ""
}

// extension is that of the names which a path may have, where it is one of some words, empty
// for none.
func extension(last *pathexpr.Term, of lexicon.Set) string {
	for _, c := range pathexpr.Constants(last) {
		if ext := path.Ext(c); of[strings.TrimPrefix(ext, ".")] {
			return ext
		}
	}
	return ""
}

// shown reports whether the program itself shows that it misses the content of the file: what
// functions and variables are called does not count against that.
func (s *Features) shown() bool {
	return s.Derived || s.ReadBack && (s.Loader || s.Edited || s.ExistenceChecked)
}

// heard are the names that count against state: all of them, or those that are written out in
// the path.
func (s *Features) heard(names []string, path *pathexpr.Term) []string {
	if !s.shown() {
		return names
	}
	constants := pathexpr.Constants(path)
	return slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(constants, n) })
}

// OfKernel reports whether a path is named for a file system of the kernel.
func OfKernel(p *pathexpr.Term) bool {
	w, _ := lexicon.Kernel.Words.In(pathexpr.Names(p)...)
	return w != "" || slices.ContainsFunc(pathexpr.Constants(p), func(c string) bool {
		elems := strings.Split(c, "/")
		return slices.Contains(elems, "proc") || slices.Contains(elems, "sys")
	})
}

// inKernel reports whether a path begins with a directory of the kernel.
func inKernel(p *pathexpr.Term) bool {
	return slices.ContainsFunc(pathexpr.Leading(p), func(c string) bool {
		rest, abs := strings.CutPrefix(c, "/")
		top, _, _ := strings.Cut(rest, "/")
		return abs && (top == "proc" || top == "sys" || top == "dev")
	})
}

// InHome reports whether a file stands in the home directory of the user itself.
// Staged is the word by which a directory above a file, or the one around that, says that something is
// put together there, if the name of the directory is also one that nothing else has. It is empty for
// any other file: a session has a name of its own, too, and whoever is told that finds it again.
func Staged(t *pathexpr.Term) string {
	if t == nil || t.Kind != pathexpr.Join {
		return ""
	}
	around := ""
	for _, dir := range t.Args[:len(t.Args)-1] {
		word, _ := lexicon.Staging.Words.In(append(pathexpr.Names(dir), pathexpr.Constants(dir)...)...)
		if dir.Kind == pathexpr.Const {
			word, _ = lexicon.Staging.Words.In(path.Base(dir.Text))
		}
		if dir.Has(pathexpr.Random, pathexpr.Pid) && word+around != "" {
			return word + around
		}
		around = word
	}
	return ""
}

// Chosen reports whether the user says where the file stands, not only what a file
// of the program's own is named for. A path of what is looked up by an argument is
// the program's.
func Chosen(p *pathexpr.Term) bool {
	switch p.Kind {
	case pathexpr.Field:
		return p.Has(pathexpr.Input) && !lookedUp(p.Args[0])
	case pathexpr.Join, pathexpr.Concat:
		return Chosen(p.Args[0])
	case pathexpr.Alt:
		return slices.ContainsFunc(p.Args, Chosen)
	}
	return p.Has(pathexpr.Input)
}

// lookedUp reports whether something comes out of a list by a name of the user's, or
// of a call that gets single arguments of the user, and not all of them as what
// parses them does.
func lookedUp(t *pathexpr.Term) bool {
	switch t.Kind {
	case pathexpr.Elem:
		return !t.Args[0].Has(pathexpr.Input)
	case pathexpr.Call:
		return !slices.ContainsFunc(t.Args, func(a *pathexpr.Term) bool {
			return a.Kind == pathexpr.Input || a.Kind == pathexpr.Rest && a.Args[0].Kind == pathexpr.Input
		})
	}
	return false
}

// nameOf is the sentence about the strongest name that speaks for state with the rule that
// it speaks by, and whether it is the name of the file itself.
func nameOf(s *Features, log *verdict.Log) (sentence string, by *verdict.Rule, byPath bool) {
	if s.Path == nil {
		return "", nil, false
	}
	if log.Asks(lexicon.Extensions.Rule) {
		for _, c := range pathexpr.Constants(s.Path.Last()) {
			if lexicon.Extensions.Words[strings.TrimPrefix(path.Ext(c), ".")] {
				return "the file is named " + quote(around(c, s.Path)), lexicon.Extensions.Rule, true
			}
		}
	}
	own := append(pathexpr.Names(s.Path.Last()), s.Ident)
	for _, c := range []struct {
		names []string
		lists []*lexicon.List
		says  string
		path  bool
	}{
		{own, lexicon.State, "the path is named ", true},
		{own, []*lexicon.List{lexicon.Format}, "the path is named ", true},
		{[]string{s.Func}, lexicon.State, "the writer is named ", false},
		{[]string{s.Caller}, lexicon.State, "the writer is called by ", false},
		{[]string{s.Recv}, lexicon.State, "the writer is a method of ", false},
		{[]string{s.Value}, lexicon.State, "the content is a ", false},
		{pathexpr.Directories(s.Path), lexicon.State, "the directory is named ", false},
		{[]string{path.Base(s.Package)}, lexicon.State, "the writer stands in package ", false},
	} {
		if l, _, n := lexicon.First(c.lists, log.Asks, c.names...); l != nil {
			if c.path {
				n = around(n, s.Path)
			}
			return c.says + quote(n), l.Rule, c.path
		}
	}
	return "", nil, false
}

// precious reports whether a name of the file, of its content or of the functions that write it
// says that it holds settings, what was done in a session, or a secret.
func (s *Features) precious() bool {
	return s.Path != nil && anyOf(precious, append(s.ofFile(), s.Func, s.Caller))
}

// ofFile are the names of the file, of its content and of the type that writes it.
func (s *Features) ofFile() []string {
	if s.Path == nil {
		return nil
	}
	return slices.Concat(pathexpr.Names(s.Path.Last()), pathexpr.Constants(s.Path.Last()), []string{s.Ident, s.Recv, s.Value})
}

// anyOf reports whether one of the names has a word of one of the lists.
func anyOf(lists []*lexicon.List, names []string) bool {
	return slices.ContainsFunc(lists, func(l *lexicon.List) bool {
		word, _ := l.Words.In(names...)
		return word != ""
	})
}

// precious are the lists of words for what cannot be had again.
var precious = []*lexicon.List{lexicon.Sessions, lexicon.Preferences, lexicon.Secrets}

// around is the whole last part of a path for a fragment of it ("_key"), and the
// name itself for any other.
func around(name string, path *pathexpr.Term) string {
	last := path.Last().String()
	fragment := name != "" && !unicode.IsLetter(rune(name[0])) && name[0] != '/'
	if fragment && strings.Contains(last, name) {
		return last
	}
	return name
}

// Matches reports whether a name or constant of the path matches re.
// directories lists the names of the directories above the file.
// Spelled reports whether the program itself says what the file is called: a part of its
// name is a constant, or it is one of a list of constants.
// Constants lists the constant texts in a path, also those of package
// variables with one value. What an accessor is asked for is no part of it.
// Replaceable reports whether the file is a cache by its name, its place or the
// type that has its path: what it holds can be had again.
// parts visits what a path is spelled with: everything but the arguments of
// accessors, the values that fields belong to and indices of lists. A field stands
// for the file that it is given, too.
// Names lists the names that a path is made of: constants, parameters, fields,
// package variables and accessors.
// Memo reports of a name whether it is one of a package variable that keeps a part of the path, once
// computed, in memory: repoRootCache. The files there are no cache.
// ofSystem reports whether what has a name is of package os, or of one below it: what that is called
// is no word of the program, as the Output of the git that it runs is none for its directory.
// leading lists the constants that the path can begin with.
func quote(s string) string { return "\"" + s + "\"" }
