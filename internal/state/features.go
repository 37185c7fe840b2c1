package state

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/pattern"
	"github.com/lockvet/lockvet/internal/verdict"
)

// features are what is known of one write, and of who reads the file back.
type features struct {
	log *verdict.Log
	// pos is the place of the write.
	pos token.Pos
	// path is the file; data what is written to it, nil where unknown.
	path, data *pathexpr.Term
	// ident is the path argument as the source spells it.
	ident string
	// fn and recv are the names of the writing function and of its receiver's type; caller is the function that says
	// which file it is.
	fn, recv, caller string
	// encoder is the one whose output reaches the file, value the name of the type that it encodes; empty where none.
	encoder, value string
	// pkg is the import path of the writer, serves whom that serves.
	pkg    string
	serves Service
	// derived says that what is written was made of what the file held; edited that it was, and that nothing of the
	// file's name is written out.
	derived, edited bool
	// own says that the loader is a method, as the function that writes is: an object keeps the file.
	own bool
	// stuck says that a crash makes each later write fail.
	stuck bool
	// copied says that the bytes come unchanged from another file or stream, constant that they are in the program.
	copied, constant bool

	reasons  []verdict.Reason
	evidence []finding.Evidence
}

// says notes that a rule speaks of the file, and reports whether that counts: not where the rule is left out.
func (s *features) says(r *verdict.Rule, text string) bool {
	if !s.log.Asks(r) {
		return false
	}
	s.because(r, text)
	return true
}

// because notes what a rule says that is asked.
func (s *features) because(r *verdict.Rule, text string) {
	s.reasons = append(s.reasons, verdict.Reason{Rule: r, Pos: s.pos, Text: text})
}

// shows adds a piece of evidence for state.
func (s *features) shows(at token.Pos, text string) {
	s.evidence = append(s.evidence, finding.Evidence{Pos: at, Text: text})
}

// has reports whether one of the rules spoke.
func (s *features) has(rules ...*verdict.Rule) bool {
	return slices.ContainsFunc(s.reasons, func(o verdict.Reason) bool { return slices.Contains(rules, o.Rule) })
}

// loader is the counterpart of the function that writes.
func (x *Index) loader(fn *ssa.Function) *effects.Func {
	fn = memory.Outermost(fn)
	subj, ok := lexicon.ObjectOf(fn.Name(), lexicon.SaveVerbs)
	if !ok || isOfUnnamed(fn) {
		return nil
	}
	if f := x.loaders[memory.RecvName(fn)+"."+subj]; f != nil {
		return f
	}
	if subj == "" {
		return nil
	}
	return x.loaders["."+subj]
}

// speaksOf reports whether the name of root says something of the file that w writes, for which root
// calls another function: root names the file, or writes no other.
func (x *Index) speaksOf(root *effects.Func, w *effects.Effect) bool {
	f := x.p.Of(w.In)
	if f == nil || f == root {
		return true
	}
	byItself := slices.ContainsFunc(f.OfKind(w.Kind), func(e *effects.Effect) bool {
		return e.Pos == w.Pos && e.Path != nil && len(pathexpr.Constants(e.Path)) > 0
	})
	return !byItself || !writesOthers(root, w)
}

// writesOthers reports whether f writes another file than w does.
func writesOthers(f *effects.Func, w *effects.Effect) bool {
	return f != nil && slices.ContainsFunc(f.OfKind(effects.Truncate, effects.Replace), func(e *effects.Effect) bool {
		return e.Pos != w.Pos && e.Path != nil && w.Path != nil && !memory.SameFile(e.Path, w.Path)
	})
}

// isOfUnnamed reports whether a function is a method of a type that goes by no name here, such as
// a list: a plain function of the same name has nothing to do with it.
func isOfUnnamed(fn *ssa.Function) bool {
	return fn.Signature.Recv() != nil && memory.RecvName(fn) == ""
}

// A WriteContext is how a file is written, as far as it bears on what the file holds.
type WriteContext struct {
	// Published says that it is moved over its target by a rename.
	Published bool
	// Grown says that something is added to what it holds.
	Grown bool
	// Fails says that it is replaced in a way that fails whatever it holds.
	Fails bool
	// Stuck says that a crash makes each later write fail: what the file holds does not
	// matter then.
	Stuck bool
	// Emptied says that all that it holds can be lost, not only a part of that: then
	// it counts that its new content is made of the old.
	Emptied bool
	// Updated says that it is loaded, changed and saved.
	Updated bool
	// Target is the path that it is moved to, as the source spells it; nil where
	// the source is not at hand.
	Target ast.Expr
}

// Judge weighs whether the path that w writes holds state; w is one of root's
// effects. how says what the caller knows of the way the file is written.
// What speaks for the verdict is noted of the candidate k.
func (x *Index) Judge(k *verdict.Candidate, root *effects.Func, w *effects.Effect, path *pathexpr.Term, how WriteContext) Verdict {
	v := x.judge(root, w, path, how)
	x.note(k, root, w, path)
	k.Because(v.Reasons...)
	return v
}

func (x *Index) judge(root *effects.Func, w *effects.Effect, path *pathexpr.Term, how WriteContext) Verdict {
	if (x.helpsTests(w.In) || x.helpsTests(root.SSA)) && x.opts.Log.Asks(forTest) {
		return Verdict{Reasons: []verdict.Reason{{Rule: forTest, Pos: w.Pos, Text: "its function serves tests"}}}
	}
	v := x.features(root, w, path, how).judge()
	if how.Published {
		v.Evidence = append(v.Evidence, finding.Evidence{Pos: w.Pos, Text: "it is published by a rename, so that readers see it whole"})
	}
	if v.Is(Promised) {
		v.Evidence = append(v.Evidence, finding.Evidence{Pos: w.Pos, Text: "the function that writes it is named for atomic writes"})
	}
	return v
}

// features are what is known of a write and its readers.
func (x *Index) features(root *effects.Func, w *effects.Effect, path *pathexpr.Term, how WriteContext) *features {
	recv := memory.RecvName(w.In)
	s := &features{
		log: x.opts.Log, pos: w.Pos, path: path, data: w.Data, ident: ident(w, how), stuck: how.Stuck,
		fn: memory.Outermost(w.In).Name(), caller: memory.Outermost(root.SSA).Name(),
		recv: recv[strings.LastIndexByte(recv, '.')+1:], pkg: x.p.Pass.Pkg.Path(), serves: x.servesAt(w.In.Pos()),
	}
	x.content(root, w, s)
	x.addReaders(s, root, w, path)
	if s.encoder != "" && s.says(encoded, "its content comes from an encoder") {
		s.shows(w.Pos, EncodedAs(s.encoder))
	}
	made := how.Emptied && x.derived(root, w, path)
	if (made || how.Updated) && s.says(derivedOf, "its new content is made of what it held") {
		s.derived = made && pathexpr.Spelled(path)
		s.edited = how.Updated || !s.derived
		if s.derived || s.isEditedByPair() {
			s.shows(w.Pos, "its new content is made of what it held")
		}
	}
	if x.isMarked(path, w) && s.says(marked, "it is declared to be state") {
		s.shows(w.Pos, "it is declared to be state")
	}
	x.addManner(s, root, w, how)
	return s
}

// addManner adds what the way says in which the file is written.
func (x *Index) addManner(s *features, root *effects.Func, w *effects.Effect, how WriteContext) {
	moved := how.Published && w.Foreign == "" // a helper of another package does that for every file
	for _, f := range []struct {
		holds bool
		rule  *verdict.Rule
		text  string
	}{
		{moved, published, "it is published by a rename"},
		{lexicon.Promises(s.fn) || moved && lexicon.Promises(s.caller), Promised, "the function that writes it is named for atomic writes"},
		{how.Fails, anyContent, "how it is replaced fails whatever it holds"},
		{how.Grown && x.readElsewhere(root, s.path), grown, "the program adds to it, and reads it elsewhere"},
	} {
		if f.holds {
			s.says(f.rule, f.text)
		}
	}
}

// addReaders adds what is known of who reads the file back.
func (x *Index) addReaders(s *features, root *effects.Func, w *effects.Effect, path *pathexpr.Term) {
	decoder, reader := x.readers(root, w, path)
	if decoder != nil && s.says(decoded, "the program decodes it again") {
		s.shows(decoder.Pos, memory.FuncName(decoder.In)+" decodes it again")
	}
	// A copying helper looks at what it overwrites, and reads files that it copies elsewhere.
	copies := s.copied && (w.Foreign != "" || x.ownRead(w, reader))
	if reader != nil && (decoder != nil || !copies) && s.says(readBack, "the program reads it back") && decoder == nil {
		s.shows(reader.Pos, memory.FuncName(reader.In)+" reads it back")
	}
	l := x.loader(w.In)
	if l == nil && x.speaksOf(root, w) {
		l = x.loader(root.SSA)
	}
	if l != nil && w.Foreign == "" && s.says(loader, "a function that is named as its loader reads such a file") {
		s.own = memory.RecvName(l.SSA) != ""
		if reader == nil {
			s.shows(l.SSA.Pos(), l.Name()+" loads it again")
		}
	}
	if stat := x.trusted(root, w, path); stat != nil && s.says(trusted, "its existence is taken for its content") {
		s.shows(stat.Pos, memory.FuncName(stat.In)+" takes its existence for its content")
	}
}

var forTest = verdict.Declare(verdict.Rule{
	ID: "state/serves-test", Effect: verdict.Forbids, Fixture: "tornwrite/helper",
	Why:    "the function gets a *testing.T or the like, or its comment says that only tests call it",
	Source: "helpers of tests outside of _test.go in the sample of write sites",
})

var manyCallers = verdict.Declare(verdict.Rule{
	ID: "state/many-callers", Effect: verdict.For, Fixture: "clobber/decode",
	Why:    "three or more places call the function that writes: the file is written time and again",
	Source: "57 such errors in public programs: their readers wanted 60 % of them, and 38 % of the others",
})

// many is how many call sites show that a file is written time and again.
const many = 3

// note notes the features of a write of the file path that bear on the score alone: which words its names have, and how
// often it is written.
func (x *Index) note(k *verdict.Candidate, root *effects.Func, w *effects.Effect, path *pathexpr.Term) {
	if path == nil {
		return
	}
	names := append(pathexpr.Names(path.Last()), pathexpr.Constants(path.Last())...)
	for _, fn := range []*ssa.Function{memory.Outermost(w.In), memory.Outermost(root.SSA)} {
		if len(x.p.Callers().Sites(fn)) >= many {
			k.Says(manyCallers, w.Pos, "many places call the function that writes it")
		}
		names = append(names, fn.Name())
	}
	for _, l := range []*lexicon.List{lexicon.Sessions, lexicon.Preferences, lexicon.Secrets} {
		if word, name := l.Words.In(names...); word != "" {
			k.Says(l.Rule, w.Pos, "\""+name+"\" says "+word)
		}
	}
}

// derived reports whether what w puts into a file was made of what that held, of
// which no copy was made before.
func (x *Index) derived(f *effects.Func, w *effects.Effect, path *pathexpr.Term) bool {
	return slices.ContainsFunc(writesOf(f, w), func(e *effects.Effect) bool {
		return slices.ContainsFunc(e.From, func(s memory.Source) bool {
			return s.File() != nil && memory.SameFile(s.File(), path)
		})
	}) && !slices.ContainsFunc(f.OfKind(effects.Write), func(e *effects.Effect) bool {
		return e.Path != nil && !memory.SameFile(e.Path, path) && e.Data != nil && e.Data.Kind == pathexpr.Content &&
			effects.Reads(e.Data, path) &&
			effects.Reaches(e, w)
	})
}

// writesOf are the effects of a function that write what w does: through its handle, or w where that
// replaces the file.
func writesOf(f *effects.Func, w *effects.Effect) []*effects.Effect {
	if w.Kind == effects.Replace {
		return []*effects.Effect{w}
	}
	return f.OnHandle(w.Handle, effects.Write)
}

// helpsTests reports whether a function is given the test that it works for, or is
// said to serve tests alone.
func (x *Index) helpsTests(fn *ssa.Function) bool {
	fn = memory.Outermost(fn)
	helps, ok := x.helps[fn]
	if !ok {
		helps = helpsTests(fn)
		x.helps[fn] = helps
	}
	return helps
}

func helpsTests(fn *ssa.Function) bool {
	if decl, ok := fn.Syntax().(*ast.FuncDecl); ok && testsOnly.MatchString(strings.Join(strings.Fields(decl.Doc.Text()), " ")) {
		return true
	}
	for par := range fn.Signature.Params().Variables() {
		switch types.TypeString(par.Type(), nil) {
		case "*testing.T", "*testing.B", "*testing.F", "testing.TB":
			return true
		}
	}
	return false
}

// testsOnly are words of a comment on what nothing but a test calls.
var testsOnly = pattern.New(
	`(?i)\b(only|solely|exclusively) (used |called |meant |intended |exported )?(for|by|in|from|during|within) (the )?([\w-]+ )?test(s|ing)?\b|\bused (for|by|in) (the )?([\w-]+ )?test(s|ing)? only\b`,
)

// ownRead reports whether the function that makes the write has a helper read
// the file.
func (x *Index) ownRead(w, reader *effects.Effect) bool {
	own := x.p.Of(w.In)
	return reader != nil && own != nil && reader.In != w.In &&
		slices.ContainsFunc(own.Effects, func(e *effects.Effect) bool { return e.Pos == reader.Pos })
}
