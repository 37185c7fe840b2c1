// Package pathexpr says which file an expression names and whether that file
// holds state. Terms are canonical: two values with the same Key name the same
// file (or are the same handle, or carry the same bytes) wherever they stand in
// a program. It knows nothing of Go syntax or SSA; package effects makes terms
// out of values, and Judge weighs what effects found.
package pathexpr

import (
	"hash/fnv"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
)

// Kind is the form of a Term.
type Kind uint8

// The forms of terms. Args and Text mean what each line says.
const (
	Unknown    Kind = iota // a value that cannot be resolved; Text identifies it
	Const                  // a constant; Text is its value
	Param                  // parameter Index (receivers come first); Text is its name, Type its named type
	Global                 // package variable Text (import path and name); Args[0], if any, is its only value
	Field                  // Args[0].Text; Type is the struct that declares the field
	Elem                   // an element of Args[0], that at Args[1] where this is known
	Join                   // Args joined by the path separator
	Concat                 // Args one after the other
	Call                   // the result of Text(Args...), taken to be the same for the same arguments
	Alt                    // one of Args
	Fresh                  // a name that nobody else has: a temporary file or directory in Args[0]
	Pid                    // the process id
	Random                 // random or time-dependent text
	Input                  // a value that the user gives at the command line; Text is the flag's name
	Handle                 // a file opened by call Text on path Args[0]
	Wrap                   // a writer, reader or encoder Text around Args[0]
	Encoded                // bytes made by encoder Text from Args
	Content                // bytes read from path or handle Args[0]
	Made                   // bytes rendered from a template
	LockHandle             // a lock between processes, made by call Text, whose lock file is path Args[0]
	List                   // a list of texts: Args, a list among them standing for its elements
	Rest                   // the list Args[0] without as many of its first elements as Args[1] says
	Choice                 // Args[1] where Args[0] is true, and else Args[2]
)

// A Term is one canonical value. Terms are immutable once made. All fields are
// exported so that gob can carry them in facts.
type Term struct {
	Kind Kind
	// Loose says of a text that it was trimmed, cut or replaced in on the way: it
	// has the key of what it was made from, and need not be equal.
	Loose bool
	Text  string
	Type  string
	Index int
	Args  []*Term

	size  int32 // how many terms it is made of, each counted as often as it occurs; 0 of what came out of a fact
	depth int32
	has   kinds // of the term and its parts
	maps  kinds // of these, and of what fields are given

	// What is asked for of few terms is made when it is: see Key and Abstract.
	key, abstracted, spelled atomic.Pointer[string]
	family                   atomic.Pointer[Term] // see abstract
}

// New makes a term; it normalises joins and concatenations, so that equal
// values have equal keys.
func New(kind Kind, text string, args ...*Term) *Term {
	switch kind {
	case Join:
		return newJoin(args)
	case Concat:
		return newConcat(args)
	case Alt:
		return newAlt(args)
	case List:
		args = flatten(List, args)
	case Elem:
		args = unlisted(ofWhole(args))
	case Rest:
		args = folded(args)
	case Choice:
		if args[0].Kind == Const && args[0].Text == "true" {
			return args[1]
		} else if args[0].Kind == Const && args[0].Text == "false" {
			return args[2]
		}
	}
	return measured(&Term{Kind: kind, Text: text, Args: args})
}

// measured gives a new term its measures. Terms are shared between packages that are
// analysed at the same time, so that nothing may be written to them later but by atomics.
func measured(t *Term) *Term {
	t.size, t.depth = 1, 1
	t.has, t.maps = kindsOf(t.Kind), kindsOf(t.Kind)
	for i, a := range t.Args {
		t.size += int32(a.Size())
		t.depth = max(t.depth, int32(a.Depth())+1)
		has, maps := a.kinds()
		if t.maps |= maps; i == 0 || t.Kind != Field {
			t.has |= has
		}
	}
	if t.size > maxSize {
		return t.digest()
	}
	return t
}

// maxSize bounds the terms that a term is made of. The path of a file has few; a text
// that is put together in a loop, or doubled, has as many as there are steps.
const maxSize = 400

// digest is an unknown value in the place of a term that is too large: the same for
// terms with the same key.
func (t *Term) digest() *Term {
	h := fnv.New64a()
	h.Write([]byte(t.makeKey()))
	name := "large " + strconv.FormatUint(h.Sum64(), 36)
	d := &Term{Kind: Unknown, Text: name, size: 1, depth: 1, has: kindsOf(Unknown), maps: kindsOf(Unknown)}
	d.key.Store(&name)
	return d
}

// A set of kinds: most questions about a term are whether it has any of a few, and most
// terms have none.
type kinds uint32

func kindsOf(list ...Kind) (set kinds) {
	for _, k := range list {
		set |= 1 << k
	}
	return set
}

// kinds are those of a term and its parts, without and with what fields are given.
func (t *Term) kinds() (has, maps kinds) {
	switch {
	case t == nil:
		return 0, 0
	case t.maps != 0:
		return t.has, t.maps
	}
	has, maps = kindsOf(t.Kind), kindsOf(t.Kind) // it came out of a fact
	for i, a := range t.Args {
		h, m := a.kinds()
		if maps |= m; i == 0 || t.Kind != Field {
			has |= h
		}
	}
	return has, maps
}

// Size is the number of terms that a term is made of, itself included.
func (t *Term) Size() int {
	if t == nil {
		return 0
	}
	if t.size > 0 {
		return int(t.size)
	}
	n := 1 // it came out of a fact
	for _, a := range t.Args {
		n += a.Size()
	}
	return n
}

// newJoin flattens nested joins and lists and cleans constant parts, as filepath.Join
// does. Nothing joined is the empty text.
func newJoin(args []*Term) *Term {
	var flat []*Term
	for _, a := range flatten(Join, flatten(List, args)) {
		whole := (*Term)(nil)
		if len(flat) > 0 {
			whole = partsOf(flat[len(flat)-1], a)
		}
		switch {
		case whole != nil && len(flat) == 1:
			flat = flatten(Join, []*Term{whole})
		case a.Kind == Const && a.Text == "":
		case a.Kind == Const && len(flat) > 0 && flat[len(flat)-1].Kind == Const:
			prev := flat[len(flat)-1]
			flat[len(flat)-1] = New(Const, path.Join(prev.Text, a.Text))
		case a.Kind == Const && len(flat) > 0:
			flat = append(flat, New(Const, strings.TrimPrefix(path.Clean("/"+a.Text), "/")))
		case a.Kind == Const:
			flat = append(flat, New(Const, path.Clean(a.Text)))
		default:
			flat = append(flat, a)
		}
	}
	switch len(flat) {
	case 0:
		return New(Const, "")
	case 1:
		return flat[0]
	}
	return measured(&Term{Kind: Join, Args: flat})
}

// partsOf is the path of which dir is the directory and base the last element; nil for none.
func partsOf(dir, base *Term) *Term {
	if dir.Kind == Call && dir.Text == "dir" && base.Kind == Call && base.Text == "base" && dir.Args[0].Equal(base.Args[0]) &&
		dir.Loosenings()+base.Loosenings() == 0 {
		return dir.Args[0]
	}
	return nil
}

func flatten(kind Kind, args []*Term) []*Term {
	var flat []*Term
	for _, a := range args {
		if a.Kind == kind {
			flat = append(flat, a.Args...)
		} else {
			flat = append(flat, a)
		}
	}
	return flat
}

// Behind is the list without its first n elements.
func Behind(list *Term, n int) *Term { return New(Rest, "", list, New(Const, strconv.Itoa(n))) }

// folded has the rest of a rest be one of the whole list.
func folded(args []*Term) []*Term {
	if len(args) == 2 && args[0].Kind == Rest {
		n, bad := strconv.Atoi(args[1].Text)
		if m, err := strconv.Atoi(args[0].Args[1].Text); err == nil && bad == nil {
			return []*Term{args[0].Args[0], New(Const, strconv.Itoa(n+m))}
		}
	}
	return args
}

// ofWhole has an element of a list without its first elements be one of the whole list: that at
// the place that it has there, or any.
func ofWhole(args []*Term) []*Term {
	if len(args) == 0 || args[0].Kind != Rest {
		return args
	}
	whole, first := args[0].Args[0], args[0].Args[1]
	if len(args) == 1 {
		return []*Term{whole}
	}
	n, err := strconv.Atoi(first.Text)
	if i, bad := strconv.Atoi(args[1].Text); args[1].Kind == Const && err == nil && bad == nil {
		return []*Term{whole, New(Const, strconv.Itoa(n+i))}
	}
	return args
}

// unlisted is the list of an element without what is in it: which one is meant is
// not told, and the names of the others say nothing of it.
func unlisted(args []*Term) []*Term {
	if len(args) == 0 {
		return args
	}
	var list *Term
	switch of := args[0]; {
	case of.Kind == List && !slices.ContainsFunc(of.Args, func(a *Term) bool { return a.Kind != Const }):
		list = New(Unknown, listed+of.Key())
	case of.Kind == List:
		list = New(Unknown, of.Key())
	case of.Kind == Global && len(of.Args) > 0 && of.Args[0].Kind == List:
		list = New(Global, of.Text, unlisted(of.Args)...)
	default:
		return args
	}
	return append([]*Term{list}, args[1:]...)
}

// listed begins the name of a list of constants that is written out.
const listed = "list "

// newConcat flattens nested concatenations and merges neighbouring constants. A
// concatenation that spells a join (dir + "/" + name) becomes one.
func newConcat(args []*Term) *Term {
	var flat []*Term
	for _, a := range flatten(Concat, args) {
		switch {
		case a.Kind == Const && a.Text == "":
		case a.Kind == Const && len(flat) > 0 && flat[len(flat)-1].Kind == Const:
			flat[len(flat)-1] = New(Const, flat[len(flat)-1].Text+a.Text)
		default:
			flat = append(flat, a)
		}
	}
	switch len(flat) {
	case 0:
		return New(Const, "")
	case 1:
		return flat[0]
	}
	if join := splitAtSeparator(flat); join != nil {
		return join
	}
	return measured(&Term{Kind: Concat, Args: flat})
}

// splitAtSeparator finds the first separator in a concatenation, written out or
// in a join, and makes the whole a join. A separator at either end splits
// nothing.
func splitAtSeparator(parts []*Term) *Term {
	for i, p := range parts {
		left, right := parts[:i:i], parts[i+1:]
		switch {
		case p.Kind == Join && len(p.Args) > 1:
			n := len(p.Args) - 1
			ends := append([]*Term{newConcat(append(left, p.Args[0]))}, p.Args[1:n]...)
			return newJoin(append(ends, newConcat(append([]*Term{p.Args[n]}, right...))))
		case p.Kind == Const:
			before, after, ok := cutPath(p.Text, i == 0, len(right) == 0)
			if !ok {
				continue
			}
			return newJoin([]*Term{
				newConcat(append(left, New(Const, before))),
				newConcat(append([]*Term{New(Const, after)}, right...)),
			})
		}
	}
	return nil
}

// cutPath cuts a constant of a concatenation at a separator: the first of the
// concatenation at its last one, so that a constant directory stays whole, any
// other at its first.
func cutPath(s string, first, last bool) (before, after string, ok bool) {
	i := strings.IndexByte(s, '/')
	if first {
		i = strings.LastIndexByte(s, '/')
	}
	if i < 0 || first && i == 0 || last && i == len(s)-1 {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}

// maxAlternatives bounds an Alt; the bound keeps terms small. In which order the
// program has them makes no difference.
const maxAlternatives = 4

func newAlt(args []*Term) *Term {
	flat := distinct(flatten(Alt, args))
	if len(flat) == 1 {
		return flat[0]
	}
	if len(flat) > maxAlternatives {
		flat = byKey(flat)[:maxAlternatives]
	}
	return measured(&Term{Kind: Alt, Args: flat})
}

// distinct are terms without those that have the key of one before them.
func distinct(terms []*Term) []*Term {
	list := terms[:0]
	if len(terms) <= 2*maxAlternatives {
		for _, t := range terms {
			if !slices.ContainsFunc(list, t.Equal) {
				list = append(list, t)
			}
		}
		return list
	}
	seen := map[string]bool{}
	for _, t := range terms {
		if !seen[t.Key()] {
			seen[t.Key()] = true
			list = append(list, t)
		}
	}
	return list
}

// byKey is a list of terms in the order of their keys.
func byKey(terms []*Term) []*Term {
	return slices.SortedFunc(slices.Values(terms), func(a, b *Term) int { return strings.Compare(a.Key(), b.Key()) })
}

// NewParam makes the term of a parameter.
func NewParam(index int, name, typ string) *Term {
	return measured(&Term{Kind: Param, Index: index, Text: name, Type: typ})
}

// NewField makes the term base.name, where typ declares the field.
func NewField(base *Term, typ, name string) *Term {
	return measured(&Term{Kind: Field, Text: name, Type: typ, Args: []*Term{base}})
}

// WithValue is the field with the only value that the program gives it, which
// tells of the field's name and never of its identity.
func (t *Term) WithValue(value *Term) *Term {
	return measured(&Term{Kind: Field, Text: t.Text, Type: t.Type, Args: []*Term{t.Args[0], value.closed()}})
}

// Loosened is the term with all its parts loose.
func (t *Term) Loosened() *Term {
	l := &Term{Kind: t.Kind, Loose: true, Text: t.Text, Type: t.Type, Index: t.Index, Args: t.Args}
	if t.Kind == Join || t.Kind == Concat || t.Kind == List {
		l.Loose, l.Args = t.Loose, make([]*Term, len(t.Args))
		for i, a := range t.Args {
			l.Args[i] = a.Loosened()
		}
	}
	return measured(l)
}

// Loosenings counts the loose parts of the term.
func (t *Term) Loosenings() int {
	n := 0
	t.Any(func(x *Term) bool {
		if x.Loose {
			n++
		}
		return false
	})
	return n
}

// Expanded is the term with every field that the program gives only one value
// replaced by that value: the same for a path and for what it is made from.
func (t *Term) Expanded() *Term {
	return t.Map(func(x *Term) *Term {
		if len(x.Args) > 1 {
			return x.Args[1].Expanded()
		}
		return nil
	}, Field)
}

// closed replaces parameters by values that nobody can say more of.
func (t *Term) closed() *Term {
	return t.Map(func(x *Term) *Term { return New(Unknown, "var "+x.Text+"@") }, Param)
}

// Key is equal for terms that name the same value, and only for those. A value
// that cannot be resolved has a key of its own.
func (t *Term) Key() string {
	if t == nil {
		return "?"
	}
	if key := t.key.Load(); key != nil {
		return *key
	}
	key := t.makeKey()
	t.key.Store(&key)
	return key
}

// Equal reports whether two terms have one key. Keys begin with the kind.
func (t *Term) Equal(o *Term) bool {
	return t == o || t != nil && o != nil && t.Kind == o.Kind && t.Key() == o.Key()
}

func (t *Term) makeKey() string {
	var room [256]byte
	return string(t.appendKey(room[:0]))
}

// appendKey appends the key of the term to b. Its parts get none by it: most of them are
// never asked for theirs.
func (t *Term) appendKey(b []byte) []byte {
	if t == nil {
		return append(b, '?')
	}
	if key := t.key.Load(); key != nil {
		return append(b, *key...)
	}
	switch t.Kind {
	case Const:
		return strconv.AppendQuote(b, t.Text)
	case Param:
		return strconv.AppendInt(append(b, 'p'), int64(t.Index), 10)
	case Global:
		return append(append(b, "g:"...), t.Text...)
	}
	args := t.Args
	switch t.Kind {
	case Field:
		args = args[:1] // what the field is given is no part of its name
	case Alt:
		args = byKey(args)
	}
	b = strconv.AppendInt(b, int64(t.Kind), 10)
	b = append(b, ':')
	b = append(b, t.Text...)
	b = append(b, '(')
	for i, a := range args {
		if i > 0 {
			b = append(b, ',')
		}
		b = a.appendKey(b)
	}
	return append(b, ')')
}

// Under reports whether the path stands in the directory dir, or below it.
func (t *Term) Under(dir *Term) bool {
	return t != nil && dir != nil && t.beginsAs(dir) && strings.HasPrefix(t.spell(), dir.spell()+"/")
}

// PackageKey is the key of the same family of files in another function of the
// package: receivers and struct parameters stand for any value of their type,
// so that s.path in Save and st.path in Load are one file; a plain parameter
// stands for any text, so that dir/ID.json is one family, whether a function gets the
// ID or the object that has it. It is empty for a term that has nothing but such parts, and
// for a directory that the system or the environment names.
func (t *Term) PackageKey() string {
	if t == nil {
		return ""
	}
	if key := t.abstracted.Load(); key != nil {
		return *key
	}
	key := t.abstractKey()
	t.abstracted.Store(&key)
	return key
}

func (t *Term) abstractKey() string {
	if t.Has(Random) || t.Has(Fresh) || t.namesDir() {
		return ""
	}
	a := t.ofFamily().abstract()
	if !a.anchored() || a.Any(openChoice) {
		return ""
	}
	return a.Key()
}

// namesDir reports whether a path is a directory that the system or the environment names, and
// not a file in it: what makes ~/x of ~ may yield that alone, for any file.
func (t *Term) namesDir() bool {
	if t.Kind != Call {
		return false
	}
	if t.Text == "os.Getenv" && len(t.Args) == 1 && t.Args[0].Kind == Const {
		words := lexicon.Words(t.Args[0].Text)
		return len(words) > 0 && lexicon.Directories[words[len(words)-1]]
	}
	return known.NamesHome(t.Text) || t.Text == "os.Getwd" || t.Text == "os.TempDir"
}

// ofFamily is a path in which what an object is called, and not what has the directory, is any
// text: s.dir/v.ID.json is one of s.dir/ID.json.
func (t *Term) ofFamily() *Term {
	dir := t.Dir()
	if dir == nil || !dir.abstract().anchored() {
		return t
	}
	last := t.Last().Map(func(x *Term) *Term {
		if x.Type == "" || x.Args[0].fixed() || dir.Any(func(d *Term) bool { return d.Same(x.Args[0]) }) {
			return nil
		}
		return New(Call, anyText)
	}, Field)
	if last == t.Last() {
		return t
	}
	return New(Join, "", append(slices.Clone(t.Args[:len(t.Args)-1]), last)...)
}

// MayBe reports whether two paths may be of one family, as [Term.PackageKey] has it: where one of them
// is made of any text, the other one may have a field there. What is not anchored may be anything,
// and is taken for another.
func (t *Term) MayBe(o *Term) bool {
	if t == nil || o == nil || t.Has(Random) || t.Has(Fresh) || o.Has(Random) || o.Has(Fresh) {
		return false
	}
	a, b := t.abstract(), o.abstract()
	return a.anchored() && b.anchored() && a.fits(b)
}

// fits reports whether two abstract terms are the same but for texts that differ from call to call.
func (t *Term) fits(o *Term) bool {
	open := func(t *Term) bool { return t.Kind == Call && t.Text == anyText }
	switch {
	case t.Equal(o), open(t) && o.Kind != Const, open(o) && t.Kind != Const:
		return true
	case t.Kind != o.Kind || t.Text != o.Text || t.Type != o.Type || len(t.Args) == 0 || len(t.Args) != len(o.Args):
		return false
	}
	for i := range t.Args {
		if !t.Args[i].fits(o.Args[i]) {
			return false
		}
	}
	return true
}

// openChoice reports whether a term is one of several, of which callers or values that nobody
// knows are some. Those that the program and its environment name are the same ones wherever
// they are asked for: $XDG_CONFIG_HOME/app, or else ~/.config/app.
func openChoice(t *Term) bool {
	return t.Kind == Alt && t.Any(func(x *Term) bool { return x.Kind == Call && (x.Text == anyText || strings.HasPrefix(x.Text, "any ")) })
}

// anyText stands for a part that differs from call to call.
const anyText = "any text"

// abstract is the term in which what differs from call to call stands for any of its kind.
func (t *Term) abstract() *Term {
	a := t.family.Load()
	if a == nil {
		a = t.makeAbstract()
		t.family.Store(a)
	}
	return a
}

func (t *Term) makeAbstract() *Term {
	return t.Map(func(x *Term) *Term {
		switch {
		case x.Kind == Param && x.Type != "":
			return New(Call, "any "+x.Type)
		case x.Kind == Field && x.Type != "" && !x.Args[0].fixed():
			return NewField(New(Call, "any "+x.Type), x.Type, x.Text)
		case x.Kind == Param, x.Kind == Unknown, x.Kind == Elem, x.Kind == Pid, x.Kind == Call && known.NamesEntry(x.Text):
			return New(Call, anyText)
		}
		return nil
	}, Param, Field, Unknown, Elem, Pid, Call)
}

// anchored reports whether an abstract term still says which files it means: by
// a field, a package variable, an accessor or a telling constant. The ending of a format,
// such as .json, is none.
func (t *Term) anchored() bool {
	var endings []*Term
	return t.Any(func(x *Term) bool {
		if slices.Contains(endings, x) {
			return false
		}
		switch x.Kind {
		case Concat:
			if last := x.Args[len(x.Args)-1]; last.Kind == Const && lexicon.Extensions.Words[strings.TrimPrefix(last.Text, ".")] {
				endings = append(endings, last)
			}
		case Field:
			return x.Type != ""
		case Global:
			return true
		case Const:
			return len(lexicon.Words(x.Text)) > 0 && len(x.Text) > 3
		case Call:
			return x.Text != anyText && !strings.HasPrefix(x.Text, "any ") && opOf(x.Text) == ""
		}
		return false
	})
}

// fixed reports whether the term is the same in every call of its function.
func (t *Term) fixed() bool {
	switch t.Kind {
	case Global, Const:
		return true
	case Field:
		return t.Args[0].fixed()
	}
	return false
}

// Map rebuilds the term with f applied from the top; f returns nil to go on below. Where
// kinds are named, f is asked about terms of these alone.
func (t *Term) Map(f func(*Term) *Term, of ...Kind) *Term {
	if len(of) == 0 {
		return t.rebuilt(f, ^kinds(0))
	}
	return t.rebuilt(f, kindsOf(of...))
}

func (t *Term) rebuilt(f func(*Term) *Term, of kinds) *Term {
	if _, maps := t.kinds(); maps&of == 0 {
		return t
	}
	if of&kindsOf(t.Kind) != 0 {
		if r := f(t); r != nil {
			return r
		}
	}
	return t.MapArgs(func(a *Term) *Term { return a.rebuilt(f, of) })
}

// MapArgs rebuilds the term with f applied to each of its arguments.
func (t *Term) MapArgs(f func(*Term) *Term) *Term {
	var args []*Term
	for i, a := range t.Args {
		m := f(a)
		if m != a && args == nil {
			args = slices.Clone(t.Args)
		}
		if args != nil {
			args[i] = m
		}
	}
	if args == nil {
		return t
	}
	r := New(t.Kind, t.Text, args...)
	if r.Kind == t.Kind {
		r.Type, r.Index, r.Loose = t.Type, t.Index, t.Loose
	}
	return r
}

// Same reports whether two terms are alike in all that they say, of which a key is
// a part.
func (t *Term) Same(o *Term) bool {
	return t == o || t != nil && o != nil && t.Kind == o.Kind && t.Text == o.Text && t.Type == o.Type && t.Index == o.Index &&
		slices.EqualFunc(t.Args, o.Args, (*Term).Same)
}

// Any reports whether f holds for the term or a part of it. What a field is
// given is no part of it: it names the field and does not bind it.
func (t *Term) Any(f func(*Term) bool) bool {
	if t == nil {
		return false
	}
	if f(t) {
		return true
	}
	args := t.Args
	if t.Kind == Field {
		args = args[:1]
	}
	for _, a := range args {
		if a.Any(f) {
			return true
		}
	}
	return false
}

// Has reports whether a part of the term has one of the kinds.
func (t *Term) Has(list ...Kind) bool {
	has, _ := t.kinds()
	return has&kindsOf(list...) != 0
}

// Path is the path under a handle, wrapper or lock, or the term itself.
func (t *Term) Path() *Term {
	for t != nil && (t.Kind == Handle || t.Kind == Wrap || t.Kind == LockHandle) && len(t.Args) > 0 {
		t = t.Args[0]
	}
	return t
}

// File is the handle under wrappers, or the term itself.
func (t *Term) File() *Term {
	for t != nil && t.Kind == Wrap && len(t.Args) > 0 {
		t = t.Args[0]
	}
	return t
}

// Last is the part of a path that names the file within its directory.
func (t *Term) Last() *Term {
	if t != nil && t.Kind == Join && len(t.Args) > 0 {
		return t.Args[len(t.Args)-1]
	}
	return t
}

// Dir is the directory of a path that is joined from parts or ends in a constant of several, nil for any other.
func (t *Term) Dir() *Term {
	if t == nil {
		return nil
	}
	above := []*Term{}
	if t.Kind == Join {
		above = slices.Clone(t.Args[:len(t.Args)-1])
	}
	if last := t.Last(); last.Kind == Const && strings.Contains(strings.Trim(last.Text, "/"), "/") {
		above = append(above, New(Const, path.Dir(last.Text)))
	}
	if len(above) == 0 {
		return nil
	}
	return New(Join, "", above...)
}

// Depth is the height of the term.
func (t *Term) Depth() int {
	if t.depth > 0 {
		return int(t.depth)
	}
	d := 0 // it came out of a fact
	for _, a := range t.Args {
		d = max(d, a.Depth())
	}
	return d + 1
}

// OfEnvironment reports whether a term is what the environment says under a name.
func (t *Term) OfEnvironment() bool {
	return t.Kind == Call && (t.Text == "os.Getenv" || t.Text == "os.LookupEnv") && len(t.Args) == 1 && t.Args[0].Kind == Const
}

// String is the term as a reader would write it; messages quote it.
func (t *Term) String() string {
	if t == nil {
		return "a file"
	}
	switch t.Kind {
	case Const:
		return t.Text
	case Param:
		return t.Text
	case Global, Call:
		if t.Kind == Call && len(t.Args) > 0 && opOf(t.Text) != "" {
			return opOf(t.Text) + "(" + t.Args[0].String() + ")"
		}
		if t.OfEnvironment() {
			return "$" + t.Args[0].Text
		}
		if t.Kind == Call {
			return t.callString()
		}
		return ShortName(t.Text)
	case Field:
		if base := t.Args[0].String(); base != "…" {
			return base + "." + t.Text
		}
		return t.Text
	case Join:
		return t.joinString()
	case Concat:
		return t.concatString()
	case Alt:
		return t.Args[0].String() + " or " + t.rest()
	case Handle, Wrap, LockHandle:
		return t.Path().String()
	case List:
		return argStrings(t.Args)
	case Pid:
		return "<pid>"
	case Random, Fresh:
		return "<unique>"
	case Input:
		return t.Text
	case Elem:
		if len(t.Args) == 2 && t.Args[1].Kind == Const {
			return t.Args[0].String() + "[" + t.Args[1].argString() + "]"
		}
		return t.Args[0].String() + "[…]"
	case Rest:
		return t.Args[0].String() + "[" + t.Args[1].argString() + ":]"
	}
	if name := variable(t.Text); name != "" {
		return name
	}
	return "…"
}

// respelled are the functions that return an argument in another spelling, and
// which one (receivers come first).
var respelled = map[string]int{
	"strings.Replace": 0, "strings.ReplaceAll": 0, "strings.ToLower": 0, "strings.ToUpper": 0, "strings.ToValidUTF8": 0,
	"net/url.PathEscape": 0, "net/url.QueryEscape": 0,
	"(*regexp.Regexp).ReplaceAllString": 1, "(*regexp.Regexp).ReplaceAllLiteralString": 1,
}

// callString spells a call as the source does: a method on its receiver, where
// that has a name and is not the value of a constant, and without what it is not given. Of a name in another spelling
// it tells the name alone, and the user's home directory is what shells call it.
func (t *Term) callString() string {
	if t.Text == "os.UserHomeDir" {
		return "~"
	}
	if i, ok := respelled[t.Text]; ok && i < len(t.Args) {
		return t.Args[i].String()
	}
	name, args := ShortName(t.Text), flatten(List, t.Args)
	if strings.HasPrefix(t.Text, "(") && len(args) > 0 {
		if receiver := args[0].String(); args[0].Kind != Const && !strings.Contains(receiver, "…") {
			name = receiver + name[strings.LastIndexByte(name, '.'):]
		}
		args = args[1:]
	}
	for len(args) > 0 && args[len(args)-1].Kind == Const && args[len(args)-1].Text == "" {
		args = args[:len(args)-1]
	}
	return name + "(" + argStrings(args) + ")"
}

func argStrings(args []*Term) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.argString()
	}
	return strings.Join(parts, ", ")
}

// argString spells an argument of a call, with quotes around a text.
func (t *Term) argString() string {
	if t.Kind != Const {
		return t.String()
	}
	if _, err := strconv.ParseFloat(t.Text, 64); err == nil || t.Text == "true" || t.Text == "false" {
		return t.Text
	}
	return strconv.Quote(t.Text)
}

// Named is how a message calls a path: spelled out, or of one that cannot be told
// the last part alone, or otherwise where not even that can be, with the directory if
// that can.
func (t *Term) Named(otherwise string) string {
	if t == nil {
		return otherwise
	}
	_, noun, _ := strings.Cut(otherwise, " ")
	for _, part := range []*Term{t.Path(), t.Path().Last()} {
		switch s := part.String(); {
		case strings.Contains(s, "…"):
		case part.Kind != Param || t.Kind == LockHandle || noun == "" || utf8.RuneCountInString(s) > 2:
			return s
		default: // the name says nothing away from the function
			return "the " + noun + " at " + s
		}
	}
	if dir := t.Path().Dir(); dir != nil && !strings.Contains(dir.String(), "…") {
		return otherwise + " in " + dir.String()
	}
	return otherwise
}

// concatString puts braces around what could be taken for a text of the
// program: "slot-{session}.json", but "path.bak".
func (t *Term) concatString() string {
	var b strings.Builder
	for i, a := range t.Args {
		s := a.String()
		stem := i == 0 && t.Args[1].Kind == Const && strings.HasPrefix(t.Args[1].Text, ".")
		if a.Kind == Const || stem || strings.HasPrefix(s, "<") || s == "…" {
			b.WriteString(s)
		} else {
			b.WriteString("{" + s + "}")
		}
	}
	return b.String()
}

// joinString puts braces around alternatives: "{dir or .}/session.json".
func (t *Term) joinString() string {
	parts := make([]string, len(t.Args))
	for i, a := range t.Args {
		if parts[i] = a.String(); a.Kind == Alt {
			parts[i] = "{" + parts[i] + "}"
		}
	}
	return strings.Join(parts, "/")
}

// rest spells the second of two alternatives.
func (t *Term) rest() string {
	if len(t.Args) == 2 && t.Args[1].Depth() < 3 {
		return t.Args[1].String()
	}
	return "…"
}

// Extends reports whether the path is another one with something behind it.
func (t *Term) Extends(other *Term) bool {
	if !t.beginsAs(other) {
		return false
	}
	long, short := t.spell(), other.spell()
	return len(long) > len(short) && strings.HasPrefix(long, short)
}

// beginsAs reports whether one of two paths, spelled, can begin with the other, by the first
// part of each. Most pairs that are asked for differ there, and need not be spelled.
func (t *Term) beginsAs(other *Term) bool {
	a, b := t.first(), other.first()
	if a.Kind != Const && b.Kind != Const {
		return strings.HasPrefix(a.Key(), b.Key()) || strings.HasPrefix(b.Key(), a.Key())
	}
	if a.Kind == Const && b.Kind == Const {
		return strings.HasPrefix(a.Text, b.Text) || strings.HasPrefix(b.Text, a.Text)
	}
	if b.Kind == Const {
		a = b
	}
	return a.Text == "" || a.Text[0] == '<' // as a key is spelled
}

// first is the part of a path that is spelled first.
func (t *Term) first() *Term {
	for (t.Kind == Join || t.Kind == Concat) && len(t.Args) > 0 {
		t = t.Args[0]
	}
	return t
}

// spell is the path as text, with keys for what is not written out.
func (t *Term) spell() string {
	switch t.Kind {
	case Const:
		return t.Text
	case Join, Concat:
		if s := t.spelled.Load(); s != nil {
			return *s
		}
		parts, between := make([]string, len(t.Args)), ""
		for i, a := range t.Args {
			parts[i] = a.spell()
		}
		if t.Kind == Join {
			between = "/"
		}
		s := strings.Join(parts, between)
		t.spelled.Store(&s)
		return s
	}
	return "<" + t.Key() + ">"
}

// variable is the name of the local variable that an unknown value stands in.
// The names that SSA gives to composite literals and new(T) are none.
func variable(text string) string {
	name, ok := strings.CutPrefix(text, "var ")
	if !ok {
		return ""
	}
	name, _, _ = strings.Cut(name, "@")
	switch name {
	case "complit", "new", "varargs", "slicelit", "makeslice":
		return ""
	}
	return name
}

func opOf(name string) string {
	switch name {
	case "base", "dir", "ext":
		return name
	}
	return ""
}

// receiverSyntax takes away what a full name has around its receiver.
var receiverSyntax = strings.NewReplacer("(", "", ")", "", "*", "")

// ShortName is the last element of an import path and name: "store.Path()" out
// of "(*example.com/a/store.Store).Path".
func ShortName(full string) string {
	full = receiverSyntax.Replace(full)
	if i := strings.LastIndexByte(full, '/'); i >= 0 {
		dir, last := full[:i], full[i+1:]
		if v, rest, ok := strings.Cut(last, "."); ok && isVersion(v) {
			last = dir[strings.LastIndexByte(dir, '/')+1:] + "." + rest
		}
		return last
	}
	return full
}

// isVersion reports whether the last element of an import path is a major
// version: "v2".
func isVersion(elem string) bool {
	n, ok := strings.CutPrefix(elem, "v")
	_, err := strconv.Atoi(n)
	return ok && err == nil
}

// IsDirOf reports whether a path is that of the directory of a file.
func IsDirOf(dir, file *Term) bool {
	if dir == nil || file == nil {
		return false
	}
	if d := file.Dir(); d != nil && d.Equal(dir) {
		return true
	}
	return dir.Kind == Call && opOf(dir.Text) == "dir" && len(dir.Args) == 1 && dir.Args[0].Equal(file)
}
