package pathexpr

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

func InHome(p *Term) bool {
	dir := p.Path().holder()
	if dir != nil && dir.Kind == Join && len(dir.Args) == 1 {
		dir = dir.Args[0]
	}
	return dir != nil && dir.Kind == Call && (dir.Text == "os.UserHomeDir" ||
		dir.Text == "os.Getenv" && len(dir.Args) == 1 && dir.Args[0].Kind == Const && dir.Args[0].Text == "HOME")
}

func Matches(t *Term, re *regexp.Regexp) bool {
	for _, n := range append(Names(t), Constants(t)...) {
		if re.MatchString(n) {
			return true
		}
	}
	return false
}

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

func Spelled(t *Term) bool {
	is := len(Constants(t.Last())) > 0
	parts(t.Last(), func(x *Term) { is = is || x.Kind == Unknown && strings.HasPrefix(x.Text, listed) })
	return is
}

func Constants(t *Term) []string {
	var list []string
	parts(t, func(x *Term) {
		if x.Kind == Const && x.Text != "" {
			list = append(list, x.Text)
		}
	})
	return list
}

func Replaceable(t *Term) bool {
	if t.Any(func(x *Term) bool {
		return x.Kind == Call && x.Text == "os.UserCacheDir" || strings.Contains(strings.ToLower(lastName(x.Type)), "cache")
	}) {
		return true
	}
	names := append(Names(t), Constants(t)...)
	return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(strings.ToLower(n), "cache") })
}

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

func Memo(t *Term) func(name string) bool {
	var memos []string
	parts(t, func(x *Term) {
		if name := lastName(x.Text); x.Kind == Global && strings.HasSuffix(name, "Cache") {
			memos = append(memos, name)
		}
	})
	return func(name string) bool { return slices.Contains(memos, name) }
}

func ofSystem(full string) bool {
	pkg := strings.TrimLeft(full, "(*")
	return strings.HasPrefix(pkg, "os.") || strings.HasPrefix(pkg, "os/")
}

func lastName(full string) string {
	return full[strings.LastIndexAny(full, "./")+1:]
}

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
