package analyzer

import (
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

func TestGuarded(t *testing.T) {
	pass := &analysis.Pass{Pkg: types.NewPackage("example.com/agentd/store", "store")}
	if err := guarded(pass, part{does: "check x"}, func() {}); err != nil {
		t.Errorf("nothing went wrong, and yet: %v", err)
	}
	err := guarded(pass, check{name: "tornwrite"}.part(), func() { panic("no such term") })
	if err == nil {
		t.Fatal("a panic is no error")
	}
	for _, want := range []string{"check tornwrite", "example.com/agentd/store", "no such term", "-disable tornwrite", "crash_test.go"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
}
