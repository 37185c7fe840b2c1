package lostupdate

import (
	"strconv"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// remedy is a lock around both halves, or why none can be placed.
func (c *checker) remedy(s *site, variant string) (finding.Remedy, string) {
	if why := c.obstacle(s, variant); why != "" {
		return nil, why
	}
	body := effects.BodyOf(s.f.SSA)
	load, save := s.calls()
	if body == nil || load == nil || save == nil {
		return nil, "the calls are not written out here"
	}
	path := c.p.Spell(s.f, load, s.cycle.File)
	if path == "" {
		path = c.p.Spell(s.f, save, s.cycle.File)
	}
	if path == "" {
		return nil, "the function has no name for the path of the file"
	}
	mode, ok := c.directory(s)
	if !ok {
		return nil, "the directory of the file is made later on, with a mode that is not constant"
	}
	return finding.SpanLock{Body: body, Load: load, Save: save, Path: path, Mode: mode}, ""
}

// obstacle is why a lock that the function takes could be waited for by itself.
func (c *checker) obstacle(s *site, variant string) string {
	switch variant {
	case "late", "split":
		return "the lock that is there has to be taken earlier"
	}
	for _, k := range s.contexts {
		if k.locked {
			return k.f.Name() + " has a lock already where it calls it"
		}
	}
	for _, cy := range s.f.Cycles() {
		if inner := cy.Last().Here(); cy.OneCall() && !s.cycle.OneCall() && inner != nil && sameFamily(cy.File, s.cycle.File) {
			return "a function that it calls does the same, and waits for the same lock"
		}
	}
	for _, e := range s.f.Effects {
		if e.Kind == effects.Lock && effects.Beside(e, s.cycle.File) {
			return "a lock on it is taken in between"
		}
	}
	switch {
	case c.p.Recursive(s.f):
		return "the function calls itself, and would wait for itself"
	case s.f.CallsParameter() && c.p.Entered(s.f):
		return "it calls a function that it is given, which may want the same lock"
	case c.p.StartsProgram(s.f):
		return "it starts a program, which may want the same lock"
	}
	return ""
}

// sameFamily reports whether two paths can be one file.
func sameFamily(a, b *pathexpr.Term) bool {
	return effects.SameFile(a, b) || a.Abstract() != "" && a.Abstract() == b.Abstract()
}

// directory is the mode with which the function makes the directory of the file
// after it has loaded it, empty where it does not.
func (c *checker) directory(s *site) (mode string, ok bool) {
	for _, e := range s.f.Effects {
		if e.Kind != effects.EnsureDir || !pathexpr.IsDirOf(e.Path, s.cycle.File) {
			continue
		}
		if effects.Before(e, s.cycle.Read) {
			return "", true
		}
		if e.Data == nil || e.Data.Kind != pathexpr.Const {
			return "", false
		}
		mode = octal(e.Data.Text)
	}
	return mode, true
}

// octal writes a mode as sources do.
func octal(mode string) string {
	n, err := strconv.ParseUint(mode, 10, 32)
	if err != nil {
		return mode
	}
	return "0o" + strconv.FormatUint(n, 8)
}
