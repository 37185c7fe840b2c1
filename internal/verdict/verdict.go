// Package verdict is what lockvet knows of its own reasons: the rules, which of them spoke of
// which candidate, and what came of it. A check lists candidates, asks rules of each, and
// reports those that no rule speaks against; what it asked is kept here, so that a report,
// a silence and a rule's price can be looked up.
package verdict

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/nearest"
)

// An Effect is what a rule does to a candidate.
type Effect string

// The effects of a rule. One that forbids is never outweighed; one that is against is, by
// what the program itself proves; one that lowers leaves the report and says that less is lost,
// or less often.
const (
	For     Effect = "for"
	Against Effect = "against"
	Forbids Effect = "forbids"
	Lowers  Effect = "lowers"
)

// A Rule is one reason to report or to be silent.
type Rule struct {
	// ID names the rule for users: "tornwrite/short-lived", "state/kernel-file".
	ID string
	// Effect is what it does.
	Effect Effect
	// Why says in a sentence what the rule sees, and why that is a reason.
	Why string
	// Source is what it was learned from: a real bug, a real place that is right, a
	// manual, or a principle.
	Source string
	// Fixture is the archive whose findings change where the rule is left out, by its import
	// path: "clobber/quiet" is testdata/clobber/quiet.txtar.
	Fixture string
}

// GobEncode makes the ID stand for the rule.
func (r *Rule) GobEncode() ([]byte, error) { return []byte(r.ID), nil }

// GobDecode makes a copy of the rule of an ID.
func (r *Rule) GobDecode(id []byte) error {
	known := rules[string(id)]
	if known == nil {
		return fmt.Errorf("no rule is named %q", id)
	}
	*r = *known
	return nil
}

// rules are those that were declared, by their IDs.
var rules = map[string]*Rule{}

// Declare makes a rule known, so that users can ask for it and leave it out. Two rules of
// one ID are a mistake of the program.
func Declare(r Rule) *Rule {
	if rules[r.ID] != nil {
		panic("two rules are named " + r.ID)
	}
	rules[r.ID] = &r
	return &r
}

// Rules lists all rules by their IDs.
func Rules() []*Rule {
	return slices.SortedFunc(maps.Values(rules), func(a, b *Rule) int { return cmp.Compare(a.ID, b.ID) })
}

// Find is the rule of an ID. The error names the one that is spelled alike, or else those of
// the same group, or the groups.
func Find(id string) (*Rule, error) {
	if r := rules[id]; r != nil {
		return r, nil
	}
	var all, alike, groups []string
	asked, _, _ := strings.Cut(id, "/")
	for _, r := range Rules() {
		group, _, _ := strings.Cut(r.ID, "/")
		all = append(all, r.ID)
		if group == asked {
			alike = append(alike, r.ID)
		}
		if name := group + "/…"; !slices.Contains(groups, name) {
			groups = append(groups, name)
		}
	}
	if nearest.Name(id, all) == "" {
		if all = alike; len(all) == 0 {
			all = groups
		}
	}
	_, err := nearest.Of("rule", id, all)
	return nil, err
}

// A Reason is a rule that spoke.
type Reason struct {
	Rule *Rule
	// Pos is where it saw what it speaks of; NoPos where that has no place in the package.
	Pos token.Pos
	// Text says what it saw there.
	Text string
}

// A Candidate is a place that a check has looked at.
type Candidate struct {
	// Check and Variant name the mistake that it would be. Variant is empty where a rule
	// spoke before the check knew.
	Check, Variant string
	// Pos is the place, Func the function around it.
	Pos  token.Pos
	Func string
	// Reported says that the check reports it; Severity how much that counts, empty for an
	// error.
	Reported bool
	Severity string
	// Reasons are the rules that spoke, the deciding one first.
	Reasons []Reason

	log *Log
}

// Category is the check and, where it is known, the variant.
func (c *Candidate) Category() string {
	if c.Variant == "" {
		return c.Check
	}
	return c.Check + "/" + c.Variant
}

// A Log has the candidates of a package, and knows which rules are left out. A nil log
// leaves out none and keeps none; [NewLog] makes any other.
type Log struct {
	keep    bool
	without map[string]bool
	order   []*Candidate
	at      map[place]*Candidate
}

type place struct {
	check string
	pos   token.Pos
}

// NewLog makes a log. It keeps the candidates if it is to keep them; the rules of the IDs
// in without never speak.
func NewLog(keep bool, without []string) *Log {
	l := &Log{keep: keep, without: map[string]bool{}, at: map[place]*Candidate{}}
	for _, id := range without {
		l.without[id] = true
	}
	return l
}

// Asks reports whether a rule is asked at all: it is not left out.
func (l *Log) Asks(r *Rule) bool { return l == nil || !l.without[r.ID] }

// Keeps reports whether candidates are kept. Then a check asks the other rules, too, after
// one has decided, so that "lockvet why" can list them all.
func (l *Log) Keeps() bool { return l != nil && l.keep }

// Candidate is the candidate of a check at a place, the same each time, so that a check
// knows whether it has reported the place, with or without reasons.
func (l *Log) Candidate(check string, pos token.Pos, in string) *Candidate {
	if l == nil {
		return &Candidate{Check: check, Pos: pos, Func: in}
	}
	k := l.at[place{check, pos}]
	if k == nil {
		k = &Candidate{Check: check, Pos: pos, Func: in, log: l}
		l.at[place{check, pos}] = k
		if l.keep {
			l.order = append(l.order, k)
		}
	}
	return k
}

// Candidates lists what was looked at, in the order of places.
func (l *Log) Candidates() []*Candidate {
	if l == nil {
		return nil
	}
	list := slices.Clone(l.order)
	slices.SortStableFunc(list, func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Check, b.Check))
	})
	for _, c := range list {
		c.sort()
	}
	return list
}

// Says notes that a rule spoke of the candidate, and reports whether that counts: false only
// where the rule is left out. It does not test the condition of the rule, and what it notes is
// shown to users, so it comes last: "holds && k.Says(rule, …)".
func (c *Candidate) Says(r *Rule, pos token.Pos, text string) bool {
	if !c.log.Asks(r) {
		return false
	}
	c.note(Reason{r, pos, text})
	return true
}

// Spoke reports whether a rule spoke of the candidate.
func (c *Candidate) Spoke(r *Rule) bool {
	return slices.ContainsFunc(c.Reasons, func(o Reason) bool { return o.Rule.ID == r.ID })
}

// Withdraw takes back what a rule said of the candidate.
func (c *Candidate) Withdraw(r *Rule) {
	c.Reasons = slices.DeleteFunc(c.Reasons, func(o Reason) bool { return o.Rule == r })
}

// Because notes reasons that were asked for elsewhere.
func (c *Candidate) Because(reasons ...Reason) {
	for _, r := range reasons {
		c.note(r)
	}
}

func (c *Candidate) note(r Reason) {
	if slices.Contains(c.Reasons, r) {
		return
	}
	c.Reasons = append(c.Reasons, r)
}

// Silence notes that a rule keeps what the check reports out of the report.
func (c *Candidate) Silence(r *Rule, pos token.Pos, text string) {
	c.Says(r, pos, text)
	c.Reported = false
	c.sort()
}

// Is sets the variant of the candidate.
func (c *Candidate) Is(variant string) *Candidate {
	c.Variant = variant
	return c
}

// sort puts the reasons first that decided: for a report those that speak for it, for
// a silence those that do not.
func (c *Candidate) sort() {
	rank := map[Effect]int{Forbids: 0, Against: 1, Lowers: 2, For: 3}
	if c.Reported {
		rank = map[Effect]int{For: 0, Lowers: 1, Against: 2, Forbids: 3}
	}
	slices.SortStableFunc(c.Reasons, func(a, b Reason) int { return cmp.Compare(rank[a.Rule.Effect], rank[b.Rule.Effect]) })
}
