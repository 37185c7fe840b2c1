package state

import (
	"go/token"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A Verdict says whether a file holds state, and why.
type Verdict struct {
	State bool
	// Proven says that the program itself shows what the file is to it: it decodes it,
	// makes the new content of the old, or takes its existence for its content. It may have a
	// loader, too, which reads the file, is a method of the same type, or is one of settings,
	// sessions or secrets.
	// What names, an encoder or a rename say is less.
	Proven bool
	// Reasons are the rules that spoke: against state the deciding one first, and the
	// others only where the log keeps them.
	Reasons []verdict.Reason
	// Evidence is what speaks for state, with its places.
	Evidence []finding.Evidence
}

// Against is what speaks against state, empty where nothing does: that what speaks for it
// is not enough is nothing against it.
func (v Verdict) Against() string { return against(v.Reasons) }

func against(reasons []verdict.Reason) string {
	for _, r := range reasons {
		if r.Rule.Effect != verdict.For && r.Rule != tooLittle {
			return r.Text
		}
	}
	return ""
}

// Is reports whether a rule spoke.
func (v Verdict) Is(r *verdict.Rule) bool {
	return slices.ContainsFunc(v.Reasons, func(o verdict.Reason) bool { return o.Rule == r })
}

// judge weighs what speaks for state and against it. One kind of evidence alone is never enough, except that the program
// decodes the same path again: names lie, encoders also feed reports, and files are read for many reasons.
func (s *features) judge() (v Verdict) {
	v.Proven = s.stuck || s.edited || s.has(marked, decoded, derivedOf, trusted, grown) ||
		s.has(loader) && (s.own || s.has(readBack) || s.precious())
	if s.has(marked) {
		return Verdict{State: true, Proven: true, Reasons: s.reasons, Evidence: s.evidence}
	}
	named, by, byPath := s.nameOf()
	if by != nil {
		s.because(by, named)
		s.shows(s.pos, named)
		v.Proven = v.Proven || s.has(loader) && slices.ContainsFunc(precious, func(l *lexicon.List) bool { return l.Rule == by })
	}
	if !s.refused(byPath) {
		if v.State = s.enough(by != nil); !v.State {
			s.says(tooLittle, "what speaks for state is not enough")
		}
	}
	v.Reasons, v.Evidence = s.reasons, s.evidence
	return v
}

// refused reports whether a rule speaks against state. byPath says that the name of the file itself speaks for it.
func (s *features) refused(byPath bool) bool {
	if s.speaks(never) || s.path == nil {
		return true
	}
	if s.has(decoded) {
		return false
	}
	if s.speaks(placed) && !s.log.Keeps() {
		return true
	}
	if l, word := s.wasted(byPath); l != nil {
		s.because(l.Rule, word)
	}
	return against(s.reasons) != ""
}

// speaks asks rules against state, all of them where the log keeps what they say, and reports whether any spoke.
func (s *features) speaks(rules []rule) bool {
	for _, r := range rules {
		by := r.Rule
		if by == nil {
			by = s.serves.Rule
		}
		if text := r.holds(s); text != "" && s.says(by, text) && !s.log.Keeps() {
			break
		}
	}
	return against(s.reasons) != ""
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

// enough reports whether what speaks for state is enough. named says that a name does.
func (s *features) enough(named bool) bool {
	encoded := s.has(encoded)
	switch {
	case s.has(anyContent), s.derived, s.isEditedByPair():
		return true
	case s.has(decoded):
		return named || encoded || s.has(published) || s.edited
	case s.has(Promised) && s.has(published):
		return true
	case s.has(readBack, loader, published, Promised):
		return named || encoded || s.has(readBack) && s.has(published)
	case s.has(trusted) && s.copied:
		return named
	}
	return named && encoded && !keyMaterial[s.encoder] && !rootless(s.path)
}

// isEditedByPair reports whether a loader and its counterpart change the file between them: whoever exports a pair that reads
// and writes any file knows of none what it holds.
func (s *features) isEditedByPair() bool {
	return s.edited && s.has(loader) && !token.IsExported(s.fn)
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
	holds         func(s *features) string
}

func speaksAgainst(effect verdict.Effect, id, fixture, why, source string, holds func(s *features) string) rule {
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
	{NoPath, func(s *features) string { return when(s.path == nil, "the path is not known") }},
	speaksAgainst(verdict.Forbids, "kernel-file", "tornwrite/quiet", "the file stands in /proc, /sys or /dev: it has no "+
		"content to lose", "proc(5), sysfs(5); opencontainers/runc",
		func(s *features) string { return when(s.path != nil && inKernel(s.path), "it is a kernel file") }),
	{lexicon.Pid.Rule, func(s *features) string {
		if s.path == nil {
			return ""
		}
		w, _ := lexicon.Pid.Words.In(append(append(pathexpr.Constants(s.path.Last()), pathexpr.Names(s.path.Last())...), s.ident, s.fn)...)
		return when(w != "" && !s.stuck, "it is a pid file")
	}},
	speaksAgainst(verdict.Forbids, "constant", "tornwrite/quiet", "the content is a constant of the program, which can "+
		"write it again", "markers and default files in the sample of write sites",
		func(s *features) string {
			return when(s.constant, "its content is a text of the program")
		}),
	{nil, func(s *features) string { return when(s.serves.Sure, s.serves.Why) }},
	{excludes.FreshPlace, func(s *features) string {
		return when(s.path.Expanded().Has(pathexpr.Fresh), "it stands in a fresh temporary place")
	}},
	{lexicon.Staging.Rule, func(s *features) string {
		w := Staged(s.path)
		return when(w != "", "its directory says "+w+", and has a name of its own")
	}},
	{excludes.OwnName, func(s *features) string {
		return when(s.path != nil && s.path.Last().Has(pathexpr.Random), "its name is unique")
	}},
}

// placed are the rules that only a decoder on the same path outweighs: what the names of
// packages and directories say, where the file stands, and what it is made of.
var placed = []rule{
	{lexicon.Kernel.Rule, func(s *features) string { return when(OfKernel(s.path), "it is a kernel file") }},
	{nil, func(s *features) string { return s.serves.Why }},
	{excludes.Chosen, func(s *features) string { return when(Chosen(s.path), "the user chose the path") }},
	speaksAgainst(verdict.Against, "template", "tornwrite/rules", "the content is rendered from a template, and so are all "+
		"later versions of it", "generators and scaffolds in the sample of write sites",
		func(s *features) string {
			return when(s.data.Has(pathexpr.Made) && !s.derived, "it is rendered from a template")
		}),
}

// wasted is the list of words against state that a name of the file has, or of the function
// that writes a file without a name, and what that says.
func (s *features) wasted(byPath bool) (*lexicon.List, string) {
	if s.has(loader) && s.has(trusted) {
		return nil, "" // its loader goes by its being there: no word outweighs both
	}
	last := s.path.Last()
	if ext := extension(last, lexicon.Code.Words); ext != "" && s.log.Asks(lexicon.Code.Rule) {
		return lexicon.Code, "its name ends in " + ext
	}
	names := s.heard(append(append(pathexpr.Names(last), pathexpr.Constants(last)...), s.ident), last)
	notes := s.has(grown) || byPath && (s.has(readBack) || s.has(published))
	if l, w, _ := lexicon.First(lexicon.Waste, s.log.Asks, names...); l != nil && !(notes && lexicon.Notes[w]) {
		return l, "its name says " + w
	}
	if l, w, _ := lexicon.First(lexicon.Waste, s.log.Asks, lexicon.WithoutVerb(s.fn), s.recv, lexicon.WithoutVerb(s.caller)); l != nil &&
		!s.has(published) &&
		!byPath &&
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
func (s *features) shown() bool {
	return s.derived || s.has(readBack) && (s.has(loader) || s.edited || s.has(trusted))
}

// heard are the names that count against state: all of them, or those that are written out in
// the path.
func (s *features) heard(names []string, path *pathexpr.Term) []string {
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
func (s *features) nameOf() (sentence string, by *verdict.Rule, byPath bool) {
	if s.path == nil {
		return "", nil, false
	}
	if s.log.Asks(lexicon.Extensions.Rule) {
		for _, c := range pathexpr.Constants(s.path.Last()) {
			if lexicon.Extensions.Words[strings.TrimPrefix(path.Ext(c), ".")] {
				return "the file is named " + quote(around(c, s.path)), lexicon.Extensions.Rule, true
			}
		}
	}
	own := append(pathexpr.Names(s.path.Last()), s.ident)
	for _, c := range []struct {
		names []string
		lists []*lexicon.List
		says  string
		path  bool
	}{
		{own, lexicon.State, "the path is named ", true},
		{own, []*lexicon.List{lexicon.Format}, "the path is named ", true},
		{[]string{s.fn}, lexicon.State, "the writer is named ", false},
		{[]string{s.caller}, lexicon.State, "the writer is called by ", false},
		{[]string{s.recv}, lexicon.State, "the writer is a method of ", false},
		{[]string{s.value}, lexicon.State, "the content is a ", false},
		{pathexpr.Directories(s.path), lexicon.State, "the directory is named ", false},
		{[]string{path.Base(s.pkg)}, lexicon.State, "the writer stands in package ", false},
	} {
		if l, _, n := lexicon.First(c.lists, s.log.Asks, c.names...); l != nil {
			if c.path {
				n = around(n, s.path)
			}
			return c.says + quote(n), l.Rule, c.path
		}
	}
	return "", nil, false
}

// precious reports whether a name of the file, of its content or of the functions that write it
// says that it holds settings, what was done in a session, or a secret.
func (s *features) precious() bool {
	return s.path != nil && anyOf(precious, append(s.ofFile(), s.fn, s.caller))
}

// ofFile are the names of the file, of its content and of the type that writes it.
func (s *features) ofFile() []string {
	if s.path == nil {
		return nil
	}
	return slices.Concat(pathexpr.Names(s.path.Last()), pathexpr.Constants(s.path.Last()), []string{s.ident, s.recv, s.value})
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

func quote(s string) string { return "\"" + s + "\"" }
