package safeio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func init() {
	errands["die-replace"] = func(args []string) error {
		o := dying(args[2])
		return o.Replace(args[0], func(name string) error { return saveByHalves(o, name, readContent(args[1])) })
	}
	errands["replacer"] = func(args []string) error { return replaceOften(args[0], args[1]) }
}

// saveByHalves writes as libraries do, and has a step before each half.
func saveByHalves(o Options, name string, data []byte) error {
	if err := o.at("first half"); err != nil {
		return err
	}
	if err := os.WriteFile(name, data[:len(data)/2], 0o600); err != nil {
		return err
	}
	if err := o.at("second half"); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(data[len(data)/2:])
	return err
}

// replaceOften is writeOften with a function that writes by halves, each record several times.
func replaceOften(name, id string) error {
	n, err := strconv.Atoi(id)
	if err != nil {
		return err
	}
	for i := range 60 {
		data := readContent(fmt.Sprintf("%c*%d", 'A'+n, 1+(n*7919+i%8*104729)%100000))
		if err := Replace(name, func(name string) error { return saveByHalves(Options{}, name, data) }); err != nil {
			return err
		}
	}
	return nil
}

// privateTemp has temporary directories made in one that the test looks into, and gives that.
func privateTemp(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	return dir
}

// TestReplaceKilledAtEveryStep kills the process before each half of what save writes, and
// before each step of the replacement.
func TestReplaceKilledAtEveryStep(t *testing.T) {
	privateTemp(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	for n := 1; ; n++ {
		mustWrite(t, name, string(readContent(oldContent)), 0o644)
		got := reported(t, child(t, "die-replace", name, newContent, strconv.Itoa(n)))
		wantWhole(t, name)
		wantDeadTemps(t, dir, "state")
		if got == "nil" {
			wantContent(t, name, string(readContent(newContent)))
			if n < 9 {
				t.Errorf("only %d steps were interrupted", n-1)
			}
			return
		}
		if got != "" {
			t.Fatalf("killed at step %d, yet reported %q", n, got)
		}
		if n < 3 {
			wantContent(t, name, string(readContent(oldContent)))
		}
	}
}

// TestReplaceAmongReaders has processes replace a file while others read it: none sees a half.
func TestReplaceAmongReaders(t *testing.T) {
	writers, readers := 4, 6
	if runtime.GOOS == "windows" {
		writers, readers = 2, 2
	}
	name := filepath.Join(t.TempDir(), "state")
	mustWrite(t, name, string(readContent("0*50000")), 0o644)
	results := make(chan string)
	for i := range writers + readers {
		errand := "replacer"
		if i >= writers {
			errand = "reader"
		}
		cmd := child(t, errand, name, strconv.Itoa(i))
		go func() {
			out, err := cmd.Output()
			if err != nil {
				out = fmt.Append(out, err)
			}
			results <- errand + ": " + string(out)
		}()
	}
	for range writers + readers {
		if got := <-results; !strings.HasSuffix(got, ": nil") {
			t.Error(got)
		}
	}
}

// TestReplaceFailedAtEveryStep lets every step fail, those of save, too.
func TestReplaceFailedAtEveryStep(t *testing.T) {
	temps := privateTemp(t)
	failure := errors.New("no such luck")
	for fail := 1; ; fail++ {
		dir := t.TempDir()
		name := filepath.Join(dir, "state")
		mustWrite(t, name, "before", 0o644)
		count, failed := 0, ""
		o := Options{}
		o.hook = func(step string) error {
			if count++; count == fail {
				failed = step
				return failure
			}
			return nil
		}
		err := o.Replace(name, func(name string) error { return saveByHalves(o, name, []byte("after")) })
		if failed == "" {
			if err != nil {
				t.Errorf("nothing failed, but %v", err)
			}
			wantContent(t, name, "after")
			break
		}
		want := "before"
		if errors.Is(err, ErrPublished) {
			want = "after"
		}
		if !errors.Is(err, failure) {
			t.Errorf("%s failed: error %v", failed, err)
		}
		wantContent(t, name, want)
		wantOnly(t, dir, "state")
		wantOnly(t, temps)
	}
}

// TestReplaceGivesName: save finds the name that it would have been called with, and no file.
func TestReplaceGivesName(t *testing.T) {
	temps := privateTemp(t)
	dir := t.TempDir()
	for _, base := range []string{"config", ".env", "servers.yaml", "a b.tar.gz", strings.Repeat("x", 200)} {
		name := filepath.Join(dir, base)
		mustWrite(t, name, "before", 0o644)
		err := Replace(name, func(temp string) error {
			if filepath.Base(temp) != base {
				t.Errorf("%s is called %s", base, filepath.Base(temp))
			}
			if _, err := os.Lstat(temp); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is there: %v", base, err)
			}
			if info, err := os.Stat(filepath.Dir(temp)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
				t.Errorf("the directory has mode %v, %v", info.Mode(), err)
			}
			wantContent(t, name, "before")
			return os.WriteFile(temp, []byte("after"), 0o600)
		})
		if err != nil {
			t.Errorf("%s: %v", base, err)
		}
		wantContent(t, name, "after")
	}
	wantOnly(t, temps)
}

// TestReplaceModes: a new file has the mode that save gives it, another keeps its own.
func TestReplaceModes(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("no modes")
	}
	dir := t.TempDir()
	for _, c := range []struct{ old, save, want fs.FileMode }{{0, 0o600, 0o600}, {0, 0o640, 0o640}, {0o644, 0o600, 0o644}, {0o600, 0o644, 0o600}} {
		name := filepath.Join(dir, fmt.Sprintf("%o-%o", c.old, c.save))
		if c.old != 0 {
			mustWrite(t, name, "before", c.old)
		}
		err := Replace(name, func(name string) error { return os.WriteFile(name, []byte("after"), c.save) })
		if info, staterr := os.Stat(name); err != nil || staterr != nil || info.Mode().Perm() != c.want {
			t.Errorf("%o saved with %o: %v, %v, %v", c.old, c.save, info, err, staterr)
		}
	}
}

// TestReplaceOfLink: a link stays one, and what it leads to is replaced.
func TestReplaceOfLink(t *testing.T) {
	dir := t.TempDir()
	link, target := filepath.Join(dir, "link.yaml"), filepath.Join(dir, "target")
	mustWrite(t, target, "before", 0o644)
	if err := makeLink("target", link); err != nil {
		t.Skip(err)
	}
	if err := Replace(link, func(name string) error { return os.WriteFile(name, []byte("after"), 0o644) }); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Readlink(link); err != nil {
		t.Error(err)
	}
	wantContent(t, target, "after")
}

// TestReplaceErrors: what save says is returned, of the file that the caller named; a function
// that writes no file, or not that one, leaves the old content.
func TestReplaceErrors(t *testing.T) {
	temps := privateTemp(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	mustWrite(t, name, "before", 0o644)
	var pe *fs.PathError
	err := Replace(name, func(name string) error {
		_, err := os.Open(name)
		return fmt.Errorf("save: %w", err)
	})
	if !errors.As(err, &pe) || pe.Path != name || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	elsewhere := filepath.Join(dir, "elsewhere")
	err = Replace(name, func(string) error { return os.WriteFile(elsewhere, nil, 0o644) })
	if !errors.As(err, &pe) || pe.Path != name || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing was written, and got %v", err)
	}
	wantContent(t, name, "before")
	missing := filepath.Join(dir, "none", "state")
	if err := Replace(missing, func(name string) error { return os.WriteFile(name, nil, 0o644) }); !errors.As(err, &pe) ||
		pe.Path != missing ||
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
	func() {
		defer func() { recover() }()
		Replace(name, func(name string) error {
			mustWrite(t, name, "half", 0o644)
			panic("save")
		})
	}()
	wantContent(t, name, "before")
	wantOnly(t, dir, "state", "elsewhere")
	wantOnly(t, temps)
}

// TestReplaceSpecial: what is no regular file is save's own.
func TestReplaceSpecial(t *testing.T) {
	dir := t.TempDir()
	said := errors.New("a directory")
	if err := Replace(dir, func(name string) error {
		if name != dir {
			t.Errorf("called for %s", name)
		}
		return said
	}); err != said {
		t.Errorf("got %v", err)
	}
	if err := (Options{Strict: true}).Replace(dir, func(string) error {
		t.Error("called")
		return nil
	}); !errors.Is(err, ErrNotAtomic) {
		t.Errorf("got %v", err)
	}
}

// TestReplaceWithoutTempDir: where there is no directory for temporary files, that in memory is
// used; without either, the old content stays.
func TestReplaceWithoutTempDir(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	mustWrite(t, name, "before", 0o644)
	for _, variable := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(variable, filepath.Join(t.TempDir(), "none"))
	}
	err := Replace(name, func(name string) error { return os.WriteFile(name, []byte("after"), 0o644) })
	want := "after"
	if _, missing := os.Stat("/dev/shm"); missing != nil {
		want = "before"
	}
	if (err == nil) != (want == "after") {
		t.Errorf("got %v", err)
	}
	wantContent(t, name, want)
}
