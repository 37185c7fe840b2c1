package safeio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

type settings struct {
	User  string         `json:"user"`
	Limit int            `json:"limit,omitempty"`
	Tags  map[string]int `json:"tags,omitempty"`
}

func TestReadJSON(t *testing.T) {
	for _, test := range []struct {
		content string
		offset  int // -1: no error
		want    settings
	}{
		{`{"user":"ada","tags":{"a":1}}`, -1, settings{User: "ada", Tags: map[string]int{"a": 1}}},
		{" {\"user\":\"ada\"}\n\n", -1, settings{User: "ada"}},
		{`{"user":"ada","unknown":[1,2]}`, -1, settings{User: "ada"}},
		{"null", -1, settings{}},
		{"", 0, settings{}},
		{" \n", 2, settings{}},
		{`{"user":"ada"`, 13, settings{}},
		{`{"user":"ada",}`, 15, settings{}},
		{`{"user":"ada"}{"user":"bob"}`, 15, settings{}},
		{`{"user":"ada"} trailing`, 16, settings{}},
		{"{\"user\":\"ada\"}\x00", 15, settings{}},
		{`{"user":"ada","limit":"many"}`, 28, settings{}},
		{`{"user":"ada","limit":1e99}`, 26, settings{}},
		{`["user"]`, 1, settings{}},
		{"\xef\xbb\xbf{}", 1, settings{}},
		{strings.Repeat("\x00", 100), 1, settings{}}, // as a power cut can leave
		{strings.Repeat("[", 1<<20), 10001, settings{}},
	} {
		name := filepath.Join(t.TempDir(), "state")
		mustWrite(t, name, test.content, 0o644)
		got, err := ReadJSON[settings](name)
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v", brief(test.content), got)
		}
		if test.offset < 0 {
			if err != nil {
				t.Errorf("%s: %v", brief(test.content), err)
			}
			continue
		}
		wantDecodeError(t, err, name, test.offset)
	}
}

// wantDecodeError fails unless err names the file and the offset.
func wantDecodeError(t *testing.T, err error, name string, offset int) {
	t.Helper()
	var pe *fs.PathError
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &pe) || pe.Path != name || !errors.As(err, &syntax) && !errors.As(err, &kind) ||
		!strings.Contains(err.Error(), fmt.Sprintf("at byte %d: ", offset)) {
		t.Errorf("error %v, want one at byte %d", err, offset)
	}
}

func TestReadJSONErrors(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]error{
		filepath.Join(dir, "none"):         fs.ErrNotExist,
		filepath.Join(dir, "none", "none"): fs.ErrNotExist,
	} {
		got, err := ReadJSON[*settings](name)
		if got != nil || !errors.Is(err, want) || carried(err) != name {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if held := others(t, dir); len(held) != 0 {
		t.Errorf("reading has made %q", held)
	}
}

func TestWriteJSON(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	if err := WriteJSON(name, settings{User: "<ada & bob>", Tags: map[string]int{"b": 2, "a": 1}}, 0o644); err != nil {
		t.Fatal(err)
	}
	want := `{
  "user": "<ada & bob>",
  "tags": {
    "a": 1,
    "b": 2
  }
}
`
	wantContent(t, name, want)
	for _, v := range []any{make(chan int), map[string]any{"f": func() {}}, never{}} {
		err := WriteJSON(name, v, 0o644)
		if err == nil || carried(err) != name {
			t.Errorf("%T: %v", v, err)
		}
	}
	wantContent(t, name, want)
	got, err := ReadJSON[settings](name)
	if err != nil || got.User != "<ada & bob>" {
		t.Errorf("read back: %+v, %v", got, err)
	}
}

// A never has no JSON.
type never struct{}

var errNever = errors.New("it has no JSON")

func (never) MarshalJSON() ([]byte, error)  { return nil, errNever }
func (*never) UnmarshalJSON(b []byte) error { return errNever }

func TestUpdateJSON(t *testing.T) {
	needLocks(t)
	failure := errors.New("no such luck")
	const missing = "(missing)"
	const compact = `{"limit":3,"user":"ada","newer":true}`
	limit := func(n int) func(*settings) error {
		return func(v *settings) error { v.Limit = n; return nil }
	}
	for _, test := range []struct {
		what, before string
		change       func(*settings) error
		after        string
		err          error
	}{
		{"creates", missing, limit(1), "{\n  \"user\": \"\",\n  \"limit\": 1\n}\n", nil},
		{"changes", compact, limit(4), "{\n  \"user\": \"ada\",\n  \"limit\": 4,\n  \"newer\": true\n}\n", nil},
		{"leaves", compact, limit(3), compact, nil},
		{"leaves none", missing, limit(0), missing, nil},
		{"fails", compact, func(v *settings) error { v.Limit = 5; return failure }, compact, failure},
	} {
		t.Run(test.what, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "state")
			if test.before != missing {
				mustWrite(t, name, test.before, 0o644)
			}
			if err := UpdateJSON(name, 0o644, test.change); err != test.err {
				t.Errorf("error %v, want %v", err, test.err)
			}
			if test.after != missing {
				wantContent(t, name, test.after)
				return
			}
			wantOnly(t, dir, ".safeio-state.lock")
		})
	}
}

// TestBrokenJSONStays: one torn file must not become an empty one.
func TestBrokenJSONStays(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	for content, offset := range map[string]int{
		"": 0, "\x00\x00": 1, `{"user":"ada","lim`: 18, `{"user":1}`: 9, `{"user":"ada"}{}`: 15,
	} {
		mustWrite(t, name, content, 0o644)
		err := UpdateJSON(name, 0o644, func(v *settings) error {
			t.Errorf("%q: changed %+v", content, *v)
			v.Limit = 1
			return nil
		})
		wantDecodeError(t, err, name, offset)
		wantContent(t, name, content)
	}
	wantOnly(t, dir, "state", ".safeio-state.lock")
}

func TestUpdateJSONWithoutJSON(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "state")
	mustWrite(t, name, `{"user":1}`, 0o644)
	err := UpdateJSON(name, 0o644, func(v *map[string]any) error {
		(*v)["user"] = make(chan int)
		return nil
	})
	var kind *json.UnsupportedTypeError
	if !errors.As(err, &kind) || carried(err) != name {
		t.Errorf("encoding: %v", err)
	}
	err = UpdateJSON(name, 0o644, func(*never) error { t.Error("changed"); return nil })
	if !errors.Is(err, errNever) || carried(err) != name {
		t.Errorf("decoding: %v", err)
	}
	wantContent(t, name, `{"user":1}`)

	// A zero value without JSON is no obstacle to a value that has.
	name = filepath.Join(t.TempDir(), "other")
	if err := UpdateJSON(name, 0o644, func(v *any) error { *v = 1; return nil }); err != nil {
		t.Error(err)
	}
	if err := UpdateJSON(filepath.Join(t.TempDir(), "third"), 0o644, func(v *level) error { *v = "high"; return nil }); err != nil {
		t.Error(err)
	}
}

// A level is one of a few words; none of them is empty.
type level string

func (l level) MarshalJSON() ([]byte, error) {
	if l == "" {
		return nil, errors.New("no level")
	}
	return json.Marshal(string(l))
}

func TestUpdateJSONContext(t *testing.T) {
	needLocks(t)
	name := filepath.Join(t.TempDir(), "state")
	ctx, cancel := context.WithCancel(context.Background())
	count := func(v *int) error { *v++; return nil }
	if err := UpdateJSONContext(ctx, name, 0o644, count); err != nil {
		t.Error(err)
	}
	cancel()
	if err := UpdateJSONContext(ctx, name, 0o644, count); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
	wantContent(t, name, "1\n")
}

func TestUnknownFields(t *testing.T) {
	needLocks(t)
	type inner struct {
		Known int `json:"known"`
	}
	type base struct {
		Promoted int `json:"promoted,omitempty"`
	}
	type outer struct {
		base
		Known  int    `json:"known,omitempty"`
		Inner  *inner `json:"inner,omitempty"`
		Hidden int    `json:"-"`
	}
	for _, test := range []struct{ what, before, after string }{
		{"kept in their order", `{"z":1,"known":1,"a":[2,3],"m":{"n":null}}`, `{"known":2,"z":1,"a":[2,3],"m":{"n":null}}`},
		{"as they are", `{"z":1.0e2,"y":"<\u00e9>","known":1}`, `{"known":2,"z":1.0e2,"y":"<\u00e9>"}`},
		{"strange names", `{"\"<\n":1,"":2,"known":1}`, `{"known":2,"\"\u003c\n":1,"":2}`},
		{"hidden", `{"Hidden":5}`, `{"known":2,"Hidden":5}`},
		{"twice", `{"z":1,"z":2}`, `{"known":2,"z":1,"z":2}`},
		{"not another spelling", `{"KNOWN":1,"Promoted":3}`, `{"promoted":3,"known":2}`},
		{"not what was removed", `{"inner":{"known":1},"z":1}`, `{"known":2,"z":1}`},
		{"nothing known", `{"z":1}`, `{"known":2,"z":1}`},
		{"null", `null`, `{"known":2}`},
	} {
		t.Run(test.what, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "state")
			mustWrite(t, name, test.before, 0o644)
			err := UpdateJSON(name, 0o644, func(v *outer) error { v.Known, v.Inner = 2, nil; return nil })
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := json.Compact(&got, []byte(mustRead(t, name))); err != nil || got.String() != test.after {
				t.Errorf("got %s, %v, want %s", &got, err, test.after)
			}
			if content := mustRead(t, name); !strings.HasPrefix(content, "{\n  \"") || !strings.HasSuffix(content, "\n}\n") {
				t.Errorf("form: %s", content)
			}
		})
	}

	name := filepath.Join(t.TempDir(), "state")
	mustWrite(t, name, `{"known":1,"z":1}`, 0o644)
	if err := UpdateJSON(name, 0o644, func(v *outer) error { v.Known = 0; return nil }); err != nil {
		t.Error(err)
	}
	wantContent(t, name, "{\n  \"z\": 1\n}\n") // the value alone is {}
}

// TestNoUnknownFields has types to which every field is known.
func TestNoUnknownFields(t *testing.T) {
	needLocks(t)
	const before = `{"a":1,"b":{"c":2}}`
	drop := func(t *testing.T, update func(name string) error, after string) {
		t.Helper()
		name := filepath.Join(t.TempDir(), "state")
		mustWrite(t, name, before, 0o644)
		if err := update(name); err != nil {
			t.Error(err)
		}
		wantContent(t, name, after)
	}
	drop(t, func(name string) error {
		return UpdateJSON(name, 0o644, func(v *map[string]any) error { delete(*v, "b"); return nil })
	}, "{\n  \"a\": 1\n}\n")
	drop(t, func(name string) error {
		return UpdateJSON(name, 0o644, func(v *any) error { *v = []int{}; return nil })
	}, "[]\n")
	drop(t, func(name string) error {
		return UpdateJSON(name, 0o644, func(v *any) error { *v = "text}"; return nil })
	}, "\"text}\"\n")
	drop(t, func(name string) error {
		return UpdateJSON(name, 0o644, func(v *amended) error { v.N = 3; return nil })
	}, "{\n  \"N\": 3,\n  \"b\": true,\n  \"a\": 1\n}\n")
	drop(t, func(name string) error {
		return UpdateJSON(name, 0o644, func(v *own) error { v.n = 3; return nil })
	}, "{\n  \"n\": 3\n}\n")
}

// An amended type has a field that only its JSON has.
type amended struct{ N int }

func (a amended) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"N":%d,"b":true}`, a.N), nil
}

// An own type decodes itself.
type own struct{ n int }

func (o own) MarshalJSON() ([]byte, error)  { return fmt.Appendf(nil, `{"n":%d}`, o.n), nil }
func (o *own) UnmarshalJSON(b []byte) error { o.n = len(b); return nil }

// FuzzReadJSON: whatever a file holds, it is decoded as encoding/json does, or
// refused and left alone.
func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{"", "null", `{"user":"ada"}`, `{"user":"ada"}x`, `{"tags":{"a":1}}`, `{"a":{"b":[1e400]},"LIMIT":2,"":{}}`, `{"tags":[]}`, "\xff", "[["} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		needLocks(t)
		name := filepath.Join(t.TempDir(), "state")
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := ReadJSON[settings](name)
		var want settings
		if wanted := json.Unmarshal(content, &want); wanted == nil {
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q: %+v, %v", content, got, err)
			}
			updateAny(t, name, content, want)
			return
		}
		if err == nil || carried(err) != name || !reflect.DeepEqual(got, settings{}) {
			t.Errorf("%q: %+v, %v", content, got, err)
		}
		err = UpdateJSON(name, 0o644, func(v *settings) error { v.Limit++; return nil })
		if err == nil || mustRead(t, name) != string(content) {
			t.Errorf("%q: updated, %v", content, err)
		}
	})
}

// updateAny changes a field of the named file, which holds content that is
// decoded as v, and looks for all others.
func updateAny(t *testing.T, name string, content []byte, v settings) {
	v.Limit++
	if err := UpdateJSON(name, 0o644, func(v *settings) error { v.Limit++; return nil }); err != nil {
		t.Fatalf("%q: %v", content, err)
	}
	got, err := ReadJSON[settings](name)
	want, _ := encode(name, v)
	if now, _ := encode(name, got); err != nil || !bytes.Equal(now, want) {
		t.Errorf("%q: then %s, %v", content, now, err)
	}
	var before, after map[string]any
	json.Unmarshal(content, &before)
	json.Unmarshal([]byte(mustRead(t, name)), &after)
	for key := range before {
		if unknown[settings](key) && !reflect.DeepEqual(before[key], after[key]) {
			t.Errorf("%q: lost %q", content, key)
		}
	}
}
