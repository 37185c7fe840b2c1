package pathexpr

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// InHome reports whether a file stands in the home directory of the user itself.
func InHome(p *Term) bool {
	dir := p.Path().Dir()
	if dir != nil && dir.Kind == Join && len(dir.Args) == 1 {
		dir = dir.Args[0]
	}
	return dir != nil && dir.Kind == Call && (dir.Text == "os.UserHomeDir" ||
		dir.Text == "os.Getenv" && len(dir.Args) == 1 && dir.Args[0].Kind == Const && dir.Args[0].Text == "HOME")
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

// Directories lists the names of the directories above the file.
func Directories(t *Term) []string {
	if t.Kind != Join {
		return nil
	}
	var list []string
	for _, a := range t.Args[:len(t.Args)-1] {
		list = append(list, Names(a)...)
	}
	return list
}

// Spelled reports whether the program itself says what the file is called: a part of its
// name is a constant, or it is one of a list of constants.
func Spelled(t *Term) bool {
	is := len(Constants(t.Last())) > 0
	parts(t.Last(), func(x *Term) { is = is || x.Kind == Unknown && strings.HasPrefix(x.Text, listed) })
	return is
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
			if !ofSystem(x.Text) {
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

// Memo reports of a name whether it is one of a package variable that keeps a part of the path, once
// computed, in memory: repoRootCache. The files there are no cache.
func Memo(t *Term) func(name string) bool {
	var memos []string
	parts(t, func(x *Term) {
		if name := lastName(x.Text); x.Kind == Global && strings.HasSuffix(name, "Cache") {
			memos = append(memos, name)
		}
	})
	return func(name string) bool { return slices.Contains(memos, name) }
}

// ofSystem reports whether what has a name is of package os, or of one below it: what that is called
// is no word of the program, as the Output of the git that it runs is none for its directory.
func ofSystem(full string) bool {
	pkg := strings.TrimLeft(full, "(*")
	return strings.HasPrefix(pkg, "os.") || strings.HasPrefix(pkg, "os/")
}

func lastName(full string) string {
	return full[strings.LastIndexAny(full, "./")+1:]
}

// Leading lists the constants that the path can begin with.
func Leading(t *Term) []string {
	switch t.Kind {
	case Const:
		return []string{t.Text}
	case Join, Concat, Global, Handle:
		if len(t.Args) > 0 {
			return Leading(t.Args[0])
		}
	case Alt:
		var all []string
		for _, a := range t.Args {
			all = append(all, Leading(a)...)
		}
		return all
	}
	return nil
}
