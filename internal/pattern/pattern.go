// Package pattern has regular expressions that are compiled when they are first
// asked. The go command starts a vettool once for each package, and most of those
// processes ask none.
package pattern

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// A Pattern is a regular expression. It can be used by several goroutines.
type Pattern struct {
	compiled func() *regexp.Regexp
}

// New returns the pattern of an expression that compiles; any other panics when
// it is asked, in tests at once.
func New(expr string) *Pattern {
	p := &Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
	if inTest {
		p.compiled()
	}
	return p
}

// inTest is told without package testing, which is no part of a command.
var inTest = strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// MatchString is the method of [regexp.Regexp].
func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// FindStringSubmatch is the method of [regexp.Regexp].
func (p *Pattern) FindStringSubmatch(s string) []string {
	return p.compiled().FindStringSubmatch(s)
}
