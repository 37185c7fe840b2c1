package config

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const whole = `# what the team has agreed on
enable: [tornwrite, lostupdate/unlocked]
disable:
  - tornwrite/nosync
severity:
  lostupdate: warning
without: [word/output]
state: ['\.session$', ^journal]
tests: true
exclude:
  - path: internal/legacy
    reason: goes away in spring
  - path: "**/*_gen.go"
    checks: [tornwrite/inplace]
    reason: nobody reads these
safeio: example.com/m/disk/safeio
`

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRead(t *testing.T) {
	name := write(t, t.TempDir(), Names[0], whole)
	got, err := Read(name)
	if err != nil {
		t.Fatal(err)
	}
	want := &File{
		Enable: []string{"tornwrite", "lostupdate/unlocked"}, Disable: []string{"tornwrite/nosync"},
		Severity: map[string]string{"lostupdate": "warning"}, Without: []string{"word/output"},
		State: []string{`\.session$`, "^journal"}, Tests: true, Safeio: "example.com/m/disk/safeio",
		Exclude: []Exclusion{
			{Path: "internal/legacy", Reason: "goes away in spring"},
			{Path: "**/*_gen.go", Checks: []string{"tornwrite/inplace"}, Reason: "nobody reads these"},
		},
		Name: name,
	}
	for i := range got.Exclude {
		got.Exclude[i].matches = nil
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	settings := []Setting{
		{"enable", "tornwrite,lostupdate/unlocked"}, {"disable", "tornwrite/nosync"}, {"without", "word/output"},
		{"state", `(\.session$)|(^journal)`},
	}
	if s := got.Settings(); !reflect.DeepEqual(s, settings) {
		t.Errorf("settings %v, want %v", s, settings)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"enabel: [tornwrite]":                       `line 1: there is no key "enabel"; did you mean "enable"?`,
		"enable: []\ntest: true":                    `line 2: there is no key "test"; did you mean "tests"?`,
		"exclude:\n- path: a\n  reasn: b":           `line 3: there is no key "reasn"; did you mean "reason"?`,
		"exclude:\n- path: a":                       "a has no reason",
		"exclude:\n- reason: a":                     "entry 1 has no path",
		"exclude:\n- {path: 'a[', reason: because}": "a[ is not a pattern",
		"state: ['(']":                              "missing closing )",
		"tests: perhaps":                            "line 1: tests: true or false is wanted, not perhaps",
		"enable: {a: b}":                            "line 1: enable: a list is wanted",
		"enable: tornwrite":                         "enable: a list is wanted, not tornwrite",
		"severity: [tornwrite]":                     "severity: one line for each name is wanted",
		"safeio: [a]":                               "safeio: one word or text is wanted",
		"exclude:\n- {path: ../x, reason: because}": "../x can match nothing",
		"exclude:\n- {path: /abs, reason: because}": "/abs can match nothing",
		"enable: [a/b]\ndisable: [a/b]":             "enable has a/b, and disable has a/b",
		"enable: [a/b]\ndisable: [a]":               "enable has a/b, and disable has a:",
		"enable: [":                                 "line 1: ",
		"enable: [a]\nenable: [b]":                  "already defined",
		"- a":                                       "line 1: the file: a line for each key is wanted",
		"enable: !!x y":                             "enable: a list is wanted, not y",
		"enable: &a [b]\ndisable: *a":               "line 1: enable: anchors and aliases are not read",
		"severity: *a":                              "unknown anchor",
		"tests: true\n---\ntests: true":             "more than one YAML document",
		"tests: true\n? [a]\n: b":                   "line 2: a key is one word",
	} {
		name := write(t, t.TempDir(), Names[0], text)
		_, err := Read(name)
		if err == nil || !strings.HasPrefix(err.Error(), name+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error that says %q", text, err, want)
		}
	}
	_, err := Read(write(t, t.TempDir(), Names[0], "enable: \"a\\n::error::b\\e[31m\\u202e\"\n"))
	if err == nil || strings.ContainsAny(err.Error(), "\n\x1b\u202e") {
		t.Errorf("%q writes to the log what the file wants", err)
	}
	if _, err := Read(write(t, t.TempDir(), Names[0], "a secret of some other program\n")); err == nil ||
		strings.Contains(err.Error(), "secret") {
		t.Errorf("what is no configuration: %v", err)
	}
	for _, text := range []string{"", "\n", "# nothing\n", "tests: false\n"} {
		if f, err := Read(write(t, t.TempDir(), Names[0], text)); err != nil || f.Settings() != nil {
			t.Errorf("%q: %+v, %v", text, f, err)
		}
	}
}

// TestDocumentation: the example of docs/configuration.md is one, and has every key.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("there is no example")
	}
	if _, err := parse([]byte(example)); err != nil {
		t.Error(err)
	}
	for _, key := range Keys(reflect.TypeFor[File]()) {
		if !strings.Contains(example, "\n"+key+":") {
			t.Errorf("the example has no %s", key)
		}
	}
	text, err := os.ReadFile("../../docs/lockvet.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct{ Properties map[string]any }
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(maps.Keys(schema.Properties)), slices.Sorted(slices.Values(Keys(reflect.TypeFor[File]()))); !slices.Equal(
		got,
		want,
	) {
		t.Errorf("the schema has %v, want %v", got, want)
	}
}

// TestTemplate: the file of lockvet init has every key, each with what it is for, and says nothing.
func TestTemplate(t *testing.T) {
	f, err := parse([]byte(Template()))
	if err != nil {
		t.Fatal(err)
	}
	if f.Settings() != nil || len(f.Severity)+len(f.Exclude) > 0 || f.Tests || f.Safeio != "" {
		t.Errorf("it says %+v", f)
	}
	for _, key := range Keys(reflect.TypeFor[File]()) {
		if Does(key) == "" || !strings.Contains(Template(), "\n# "+Does(key)+"\n"+key+": ") {
			t.Errorf("it does not say what %s is for", key)
		}
	}
}

// TestFind: the nearest file above counts, and none beyond the root of the repository.
func TestFind(t *testing.T) {
	root := t.TempDir()
	write(t, root, Names[0], "tests: true")
	write(t, root, "repo/.git/HEAD", "")
	write(t, root, "repo/m/.lockvet.yml", "safeio: bundle")
	write(t, root, "repo/m/a/b/c.go", "")
	write(t, root, "repo/other/d.go", "")
	write(t, root, "outside/e.go", "")
	for dir, want := range map[string]string{
		"repo/m/a/b": "repo/m/.lockvet.yml", "repo/m": "repo/m/.lockvet.yml", "repo/other": "", "outside": Names[0],
	} {
		f, err := Find(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		if want != "" {
			want = filepath.Join(root, want)
		}
		if f.Name != want {
			t.Errorf("%s: %q, want %q", dir, f.Name, want)
		}
	}
	write(t, root, "repo/other/"+Names[0], "nosuch: 1")
	if _, err := Find(filepath.Join(root, "repo/other")); err == nil {
		t.Error("a file that cannot be read is none")
	}
}

// TestIdle: exclusions at which there is nothing.
func TestIdle(t *testing.T) {
	dir := t.TempDir()
	f, err := Read(write(t, dir, Names[0], "exclude:\n"+
		"- {path: old, reason: a}\n- {path: './sub/', reason: a}\n- {path: '**/*_gen.go', reason: a}\n- {path: '**/*_gen.c', reason: a}\n"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "sub/a_gen.go", "")
	if got := f.Idle(); !slices.Equal(got, []string{"old", "**/*_gen.c"}) {
		t.Errorf("idle are %q", got)
	}
	if idle := (&File{}).Idle(); idle != nil {
		t.Errorf("without a file, idle are %q", idle)
	}
}

// TestIdleEnds: a tree that is too large to compare with all exclusions is not.
func TestIdleEnds(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("{a,b}*", 20_000)
	f, err := Read(write(t, dir, Names[0], "exclude:\n- {path: '"+long+"', reason: a}\n- {path: old, reason: a}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		write(t, dir, strings.Repeat("ab", i+1), "")
	}
	if idle := f.Idle(); idle != nil {
		t.Errorf("%d exclusions are idle", len(idle))
	}
}

func TestExcludes(t *testing.T) {
	dir := t.TempDir()
	f, err := Read(write(t, dir, Names[0], whole))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		file, category string
		want           bool
	}{
		{"internal/legacy/a.go", "latelock/before", true},
		{"internal/legacy/b/a.go", "latelock/before", true},
		{"internal/legacyer/a.go", "latelock/before", false},
		{"x/internal/legacy/a.go", "latelock/before", false},
		{"x/y/z_gen.go", "tornwrite/inplace", true},
		{"z_gen.go", "tornwrite/inplace", true},
		{"z_gen.go", "tornwrite/nosync", false},
		{"../outside/z_gen.go", "tornwrite/nosync", false},
	} {
		if got := f.Excludes(filepath.Join(dir, tt.file), tt.category) != nil; got != tt.want {
			t.Errorf("%s at %s: %v", tt.category, tt.file, got)
		}
	}
	if (&File{}).Excludes("a.go", "tornwrite/inplace") != nil {
		t.Error("nothing excludes something")
	}
}
