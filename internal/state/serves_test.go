package state

import (
	"path"
	"strings"
	"testing"
)

// TestServes: an element counts as a whole, behind what names the module.
func TestServes(t *testing.T) {
	const prog = "github.com/acme/agentd/"
	for _, c := range []struct {
		unit Unit
		says string // in the sentence; empty for a package of a program
		sure bool
	}{
		// Whole elements.
		{Unit{Path: prog + "internal/testutil"}, "testutil", false},
		{Unit{Path: prog + "internal/testutil", Imports: []string{"testing"}}, "testutil", true},
		{Unit{Path: prog + "test/daemon"}, "test", false},
		{Unit{Path: prog + "e2e"}, "e2e", false},
		{Unit{Path: prog + "test-utils"}, "test-utils", false},
		{Unit{Path: prog + "integration_tests"}, "integration_tests", false},
		{Unit{Path: prog + "mocks"}, "mocks", false},
		{Unit{Path: prog + "cmd/bench"}, "bench", false},
		{Unit{Path: prog + "demos/agent"}, "demos", false},

		// Parts of an element, and what only ends or begins so.
		{Unit{Path: prog + "attest"}, "", false},
		{Unit{Path: prog + "contest"}, "", false},
		{Unit{Path: prog + "latest"}, "", false},
		{Unit{Path: prog + "workbench"}, "", false},
		{Unit{Path: prog + "testament"}, "", false},
		{Unit{Path: prog + "release2"}, "", false},
		{Unit{Path: prog + "t3"}, "", false},
		{Unit{Path: prog + "demo2"}, "", false},
		{Unit{Path: prog + "hackathon"}, "", false},
		{Unit{Path: prog + "fakenews"}, "", false},

		// A package for the tests of another.
		{Unit{Path: prog + "store/storetest"}, "storetest", false},
		{Unit{Path: prog + "storetest", Imports: []string{prog + "store"}}, "storetest", false},
		{Unit{Path: prog + "storetest", Imports: []string{prog + "disk"}}, "", false},
		{Unit{Path: prog + "storetest", Imports: []string{"testing"}}, "storetest", true},
		{Unit{Path: prog + "lntest/node", Imports: []string{"testing"}}, "lntest", true},
		{Unit{Path: prog + "store_test", Imports: []string{prog + "store", "testing"}}, "store_test", true},
		{Unit{Path: prog + "attest/attestd", Imports: []string{prog + "att"}}, "", false},

		// Words that are as good for a part of a program.
		{Unit{Path: prog + "release"}, "", false},
		{Unit{Path: prog + "tool"}, "", false},
		{Unit{Path: prog + "tools/kv"}, "", false},
		{Unit{Path: prog + "dev"}, "", false},
		{Unit{Path: prog + "gen"}, "", false},
		{Unit{Path: prog + "t"}, "", false},
		{Unit{Path: prog + "scripts"}, "", false},
		{Unit{Path: prog + "tool", Name: "main"}, "", false},
		{Unit{Path: prog + "cmd/tool", Name: "main"}, "", false},
		{Unit{Path: prog + "cmd/tools/agent", Name: "main"}, "", false},
		{Unit{Path: prog + "tools/mkindex", Name: "main"}, "tools", false},
		{Unit{Path: prog + "internal/cmds/mkindex", Name: "main"}, "internal", false},
		{Unit{Path: prog + "internal/state", Name: "state"}, "", false},
		{Unit{Path: prog + "cmd/internal", Name: "main"}, "", false},
		{Unit{Path: prog + "t/cmd/util", Name: "main"}, "t", false},

		// What names the module.
		{Unit{Path: "github.com/testing/agentd/store"}, "", false},
		{Unit{Path: "github.com/acme/bench"}, "", false},
		{Unit{Path: "github.com/acme/demo/store"}, "", false},
		{Unit{Path: "github.com/acme/agentd/examples"}, "examples", false},
		{Unit{Path: "golang.org/x/tools/gopls", Name: "main"}, "", false},
		{Unit{Path: "example.com/demo/store"}, "", false},
		{Unit{Path: "test.example.com/agentd/disk"}, "", false},
		{Unit{Path: "k8s.io/kubernetes/test/images"}, "test", false},
		{Unit{Path: "mock/store"}, "", false},
		{Unit{Path: "agentd/mock"}, "mock", false},

		// The kernel's files.
		{Unit{Path: prog + "cgroups"}, "kernel", false},
		{Unit{Path: prog + "cgroups/store"}, "", false},
		{Unit{Path: prog + "processes"}, "", false},
		{Unit{Path: prog + "proc2"}, "", false},
	} {
		if c.unit.Name == "" {
			c.unit.Name = path.Base(c.unit.Path)
		}
		s := Serves(c.unit)
		if (s.Why != "") != (c.says != "") || !strings.Contains(s.Why, c.says) || s.Sure != c.sure {
			t.Errorf("%+v: %+v, want %q, %t", c.unit, s, c.says, c.sure)
		}
	}
}
