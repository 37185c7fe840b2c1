package verdict

import (
	"go/token"
	"slices"
	"testing"
)

var (
	pro = Declare(Rule{ID: "test/for", Effect: For})
	con = Declare(Rule{ID: "test/against", Effect: Against})
	ban = Declare(Rule{ID: "test/forbids", Effect: Forbids})
)

func ids(c *Candidate) (list []string) {
	for _, r := range c.Reasons {
		list = append(list, r.Rule.ID)
	}
	return list
}

func TestLog(t *testing.T) {
	l := NewLog(true, []string{"test/against"})
	c := l.Candidate("check", token.Pos(7), "save")
	for _, s := range []struct {
		rule   *Rule
		counts bool
	}{{pro, true}, {con, false}, {ban, true}, {ban, true}} {
		if got := c.Says(s.rule, token.Pos(7), "because"); got != s.counts {
			t.Errorf("%s counts: %t", s.rule.ID, got)
		}
	}
	if again := l.Candidate("check", token.Pos(7), "save"); again != c {
		t.Error("a place is two candidates")
	}
	l.Candidate("check", token.Pos(3), "load")
	all := l.Candidates()
	if len(all) != 2 || all[0].Pos != 3 || all[1] != c {
		t.Fatalf("%v are not in the order of places", all)
	}
	if got := ids(c); !slices.Equal(got, []string{"test/forbids", "test/for"}) {
		t.Errorf("of a silence the reasons are %v", got)
	}
	c.Reported = true
	l.Candidates()
	if got := ids(c); !slices.Equal(got, []string{"test/for", "test/forbids"}) {
		t.Errorf("of a report the reasons are %v", got)
	}
}

// TestLogThatKeepsNothing: a rule counts there, too, and a candidate has its reasons, but no list has the candidate.
func TestLogThatKeepsNothing(t *testing.T) {
	for _, l := range []*Log{nil, NewLog(false, nil)} {
		c := l.Candidate("check", token.Pos(7), "save")
		if !c.Says(con, token.Pos(7), "because") || len(c.Reasons) != 1 || len(l.Candidates()) > 0 || l.Keeps() {
			t.Errorf("%v: %v, %v", l, c.Reasons, l.Candidates())
		}
	}
}

func TestFind(t *testing.T) {
	if r, err := Find("test/for"); r != pro || err != nil {
		t.Error(r, err)
	}
	for id, want := range map[string]string{
		"test/four":    `there is no rule "test/four"; did you mean "test/for"?`,
		"test/nothing": `there is no rule "test/nothing"; there are: test/against, test/for, test/forbids`,
		"chess/check":  `there is no rule "chess/check"; there are: test/…`,
	} {
		if _, err := Find(id); err == nil || err.Error() != want {
			t.Errorf("%s: %v", id, err)
		}
	}
}
