package state

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// The parts that the tables are made of.
var (
	dir   = pathexpr.NewParam(0, "dir", "")
	name  = pathexpr.NewParam(1, "name", "")
	store = pathexpr.NewParam(0, "s", "example.com/agentd.store")
)

func text(s string) *pathexpr.Term               { return pathexpr.New(pathexpr.Const, s) }
func join(args ...*pathexpr.Term) *pathexpr.Term { return pathexpr.New(pathexpr.Join, "", args...) }
func concat(args ...*pathexpr.Term) *pathexpr.Term {
	return pathexpr.New(pathexpr.Concat, "", args...)
}
func call(f string, args ...*pathexpr.Term) *pathexpr.Term {
	return pathexpr.New(pathexpr.Call, f, args...)
}

// TestJudge lists combinations of evidence. Every row differs from one above it
// by what its name says.
func TestJudge(t *testing.T) {
	// A subject of which nothing is known but a path that says nothing.
	plain := func(change ...func(*features)) *features {
		s := &features{path: dir, ident: "p", fn: "put", caller: "put", pkg: "example.com/agentd/disk"}
		for _, c := range change {
			c(s)
		}
		return s
	}
	spoken := func(rules ...*verdict.Rule) func(*features) {
		return func(s *features) {
			for _, r := range rules {
				s.says(r, r.Why)
			}
		}
	}
	encodedAs := func(encoder string) func(*features) {
		return func(s *features) { s.encoder = encoder; s.says(encoded, encoder) }
	}
	named := func(s *features) { s.path = join(dir, text("session.json")) }
	encoded := encodedAs("json")
	readBack, decoded, loader := spoken(readBack), spoken(decoded, readBack), spoken(loader)
	published, shared := spoken(published), spoken(published, anyContent)
	marked, trusted := spoken(marked), spoken(trusted)
	copied := func(s *features) { s.copied = true }
	constant := func(s *features) { s.constant = true }
	path := func(t *pathexpr.Term) func(*features) { return func(s *features) { s.path = t } }
	data := func(t *pathexpr.Term) func(*features) { return func(s *features) { s.data = t } }
	serves := func(sv Service) func(*features) { return func(s *features) { s.serves = sv } }
	pkg := func(p string) func(*features) { return func(s *features) { s.pkg = p } }
	fn := func(f string) func(*features) { return func(s *features) { s.fn, s.caller = f, f } }
	recv := func(r string) func(*features) { return func(s *features) { s.recv = r } }
	ident := func(i string) func(*features) { return func(s *features) { s.ident = i } }
	value := func(v string) func(*features) { return func(s *features) { s.value = v } }
	in := func(elems ...string) func(*features) {
		var args []*pathexpr.Term
		for _, e := range elems {
			args = append(args, text(e))
		}
		return path(join(append([]*pathexpr.Term{dir}, args...)...))
	}

	for _, c := range []struct {
		why     string
		subject *features
		state   bool
		says    string // a part of a reason
	}{
		// One kind of evidence is not enough.
		{"nothing", plain(), false, ""},
		{"a name", plain(named), false, ""},
		{"an encoder", plain(encoded), false, ""},
		{"a reader", plain(readBack), false, ""},
		{"a decoder", plain(decoded), false, ""},
		{"a loader", plain(loader), false, ""},
		{"a rename", plain(published), false, ""},

		// Two are.
		{"a name and an encoder", plain(named, encoded), true, "session.json"},
		{"a name and a reader", plain(named, readBack), true, ""},
		{"an encoder and a reader", plain(encoded, readBack), true, ""},
		{"a name and a decoder", plain(named, decoded), true, ""},
		{"an encoder and a decoder", plain(encoded, decoded), true, ""},
		{"a rename and a decoder", plain(published, decoded), true, ""},
		{"a rename and a reader", plain(published, readBack), true, ""},
		{"a name and a loader", plain(named, loader), true, ""},
		{"an encoder and a loader", plain(encoded, loader), true, ""},
		{"a name and a rename", plain(named, published), true, ""},
		{"an encoder and a rename", plain(encoded, published), true, ""},
		{"a copy whose existence is trusted", plain(named, copied, trusted), true, ""},
		{"a nameless copy whose existence is trusted", plain(copied, trusted), false, ""},
		{"a copy that is read back", plain(named, copied, readBack), true, ""},
		{"a format in the path of such a copy", plain(path(join(dir, text("jsonFile"))), copied, readBack), true, "jsonFile"},
		{"a copy over a longer file", plain(copied, spoken(anyContent)), true, ""},
		{"a decoded copy of which a variable speaks", plain(ident("catalogPath"), copied, decoded), true, ""},
		{"a published copy of which a variable speaks", plain(ident("catalogPath"), copied, published), true, ""},
		{"a trusted copy of which a variable speaks", plain(ident("catalogPath"), copied, trusted), true, ""},

		{"a key", plain(named, encodedAs("pem")), false, ""},
		{"a key that is read back", plain(named, readBack, encodedAs("pem")), true, ""},

		// What is enough alone.
		{"a directive", plain(marked), true, ""},
		{"a directive on a pid file", plain(marked, in("agent.pid")), true, ""},
		{"a directive on what the user chose", plain(marked, path(pathexpr.New(pathexpr.Input, "out"))), true, ""},
		{"a shared temporary name", plain(shared), true, ""},

		// Where a name can stand.
		{"the identifier", plain(encoded, ident("statePath")), true, "statePath"},
		{"the function", plain(encoded, fn("saveRegistry")), true, "saveRegistry"},
		{"the caller", plain(encoded, func(s *features) { s.caller = "persistQueue" }), true, "persistQueue"},
		{"the receiver", plain(encoded, recv("sessionStore")), true, "sessionStore"},
		{"the value", plain(encoded, value("Checkpoint")), true, "Checkpoint"},
		{"the package", plain(encoded, pkg("example.com/agentd/config")), true, "config"},
		{"a directory of the package is none", plain(encoded, pkg("example.com/config/disk")), false, ""},
		{"a field", plain(encoded, path(pathexpr.NewField(store, "T", "historyFile"))), true, "historyFile"},
		{"a variable", plain(encoded, path(pathexpr.New(pathexpr.Unknown, "var manifest@f.t0"))), true, "manifest"},
		{"an accessor", plain(encoded, path(call("(*example.com/a.Paths).Credentials"))), true, "Credentials"},
		{"a plural", plain(encoded, ident("sessions")), true, "sessions"},
		{"a format", plain(encoded, ident("jsonFile")), true, "jsonFile"},
		{"an extension", plain(encoded, in("blob.yaml")), true, "blob.yaml"},
		{"a directory", plain(encoded, in("sessions", "a1")), true, "sessions"},
		{"a part of a word is none", plain(encoded, ident("stately")), false, ""},
		{"what an accessor is asked for is none", plain(encoded, path(call("lookup", text("session.json")))), false, ""},

		// What nothing outweighs.
		{"no path", plain(named, encoded, decoded, path(nil)), false, "not known"},
		{"/proc", plain(encoded, decoded, path(text("/proc/self/oom_score_adj"))), false, "kernel"},
		{"/sys", plain(encoded, decoded, path(join(text("/sys/fs"), name, text("config")))), false, "kernel"},
		{"/dev", plain(encoded, decoded, path(text("/dev/stdout"))), false, "kernel"},
		{"/development", plain(encoded, decoded, path(text("/development/session.json"))), true, ""},
		{"a directory named proc", plain(encoded, path(join(text("sessions/proc"), name))), false, "kernel"},
		{"a pid file", plain(encoded, decoded, in("agent.pid")), false, "pid"},
		{"a constant", plain(named, encoded, decoded, constant), false, "text of the program"},
		{"a package that serves tests", plain(named, encoded, decoded, serves(Service{Rule: forTests.rule, Why: "package path says testutil", Sure: true})), false, "testutil"},
		{"a lock in place", plain(named, encoded, recv("fileLock")), true, ""},
		{"a lock through a shared temporary name", plain(named, encoded, shared, recv("fileLock")), true, ""},
		{"a function that locks", plain(named, encoded, published, fn("saveLock")), true, ""},
		{"a fresh directory", plain(encoded, decoded, path(join(pathexpr.New(pathexpr.Fresh, "t"), text("session.json")))), false, "fresh"},
		{"a unique name", plain(encoded, decoded, path(join(dir, concat(text("session-"), pathexpr.New(pathexpr.Random, "r"))))), false, "unique"},
		{"a unique directory", plain(named, encoded, path(join(dir, pathexpr.New(pathexpr.Random, "r"), text("session.json")))), true, ""},
		{"a staging directory", plain(named, encoded, decoded, path(join(dir, concat(text("staging-"), pathexpr.New(pathexpr.Random, "r")), text("session.json")))), false, "staging"},
		{"a staging directory of everybody", plain(named, encoded, path(join(dir, text("staging"), text("session.json")))), true, ""},

		// What only a decoder outweighs.
		{"a package that is named for tests", plain(named, encoded, readBack, serves(Service{Rule: forTests.rule, Why: "package path says demo"})), false, "demo"},
		{"a package that is named for tests, decoded", plain(named, encoded, decoded, serves(Service{Rule: forTests.rule, Why: "package path says demo"})), true, ""},
		{"a directory named proc, decoded", plain(encoded, decoded, path(join(text("sessions/proc"), name))), true, ""},
		{"what a program puts out", plain(named, encoded, path(join(call("(*os/exec.Cmd).Output"), text("session.json")))), true, ""},
		{"an output directory, decoded", plain(encoded, decoded, path(join(pathexpr.NewParam(0, "outDir", ""), text("session.json")))), true, ""},
		{"the user's choice", plain(encoded, path(pathexpr.New(pathexpr.Input, "session-file"))), false, "user chose"},
		{"the user's directory", plain(encoded, path(join(pathexpr.New(pathexpr.Input, "dir"), text("session.json")))), false, "user chose"},
		{"the user's choice, or else a default", plain(encoded, path(pathexpr.New(pathexpr.Alt, "", join(dir, text("session.json")), pathexpr.New(pathexpr.Input, "session-file")))), false, "user chose"},
		{"a default, or else that of the user's profile", plain(encoded, path(pathexpr.New(pathexpr.Alt, "", join(dir, text("session.json")), join(dir, pathexpr.New(pathexpr.Input, "profile"), text("session.json"))))), true, ""},
		{"no path at all", plain(encoded, path(pathexpr.New(pathexpr.Join, ""))), false, ""},
		{"the user's choice, decoded", plain(encoded, decoded, path(join(pathexpr.New(pathexpr.Input, "dir"), text("session.json")))), true, ""},
		{"a template", plain(named, encoded, data(pathexpr.New(pathexpr.Made, ""))), false, "template"},
		{"a log", plain(encoded, in("session.log")), false, "log"},
		{"a profile", plain(encoded, in("session.pprof")), false, "pprof"},
		{"a backup", plain(encoded, in("session.json.bak")), false, "bak"},
		{"a named output", plain(encoded, ident("outputFile"), fn("saveSession")), false, "output"},
		{"an exporter", plain(encoded, recv("sessionStore"), fn("exportAll")), false, "export"},
		{"an exporter of a named file", plain(named, encoded, fn("exportAll")), true, ""},
		{"an exporter that renames", plain(encoded, published, recv("sessionStore"), fn("exportAll")), true, ""},
		{"a debug dump, decoded", plain(encoded, decoded, in("debug", "heap")), true, ""},
	} {
		v := c.subject.judge()
		if v.State != c.state {
			t.Errorf("%s: state=%t, want %t: %+v", c.why, v.State, c.state, v.Reasons)
		}
		if v.State && v.Against() != "" {
			t.Errorf("%s: it is state, and %q speaks against it", c.why, v.Against())
		}
		if got := fmt.Sprint(v.Reasons); !strings.Contains(got, c.says) {
			t.Errorf("%s: it says %q, which has no %q", c.why, got, c.says)
		}
	}
}

// TestRootless checks that a constant relative path needs a reader: where it
// leads depends on where the program is started.
func TestRootless(t *testing.T) {
	for name, want := range map[string]bool{"sessions.json": false, "/var/lib/agentd/sessions.json": true} {
		s := &features{path: text(name), fn: "save", pkg: "example.com/agentd/store", encoder: "json"}
		s.says(encoded, "")
		if v := s.judge(); v.State != want {
			t.Errorf("%s: state=%t, want %t: %+v", name, v.State, want, v.Reasons)
		}
	}
}

// TestNotes checks that a text which is named for what it keeps, and read back, is
// more than a document.
func TestNotes(t *testing.T) {
	for _, c := range []struct {
		name       string
		read, want bool
	}{
		{"memory.md", true, true},
		{"memory.md", false, false},
		{"overview.md", true, false},
		{"config-readme.md", true, false},
		{"session.html", true, false},
	} {
		s := &features{path: join(dir, text(c.name)), fn: "put", pkg: "example.com/agentd/notes"}
		if c.read {
			s.says(readBack, "")
		}
		if v := s.judge(); v.State != c.want {
			t.Errorf("%s, read back: %v: %+v", c.name, c.read, v.Reasons)
		}
	}
}
