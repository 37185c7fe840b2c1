//go:build unix

package safeio

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A user without privilege, and a group in which only that user is.
const nobody, club = 65534, 54321

func needRoot(t *testing.T, what string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skipf("%s needs root", what)
	}
}

// openDir is a directory that other users can reach, which t.TempDir is not.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "safeio-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// asNobody is child as a user without any privilege.
func asNobody(t *testing.T, errand string, args ...string) *exec.Cmd {
	t.Helper()
	needRoot(t, "becoming another user")
	cmd := child(t, errand, args...)
	cmd.Path = helper(t, cmd.Path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody, Groups: []uint32{club}}}
	return cmd
}

// helper is a copy of a test binary at a place where nobody can execute it.
func helper(t *testing.T, path string) string {
	t.Helper()
	binary, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(openDir(t), "helper")
	mustWrite(t, name, string(binary), 0o755)
	return name
}

func modeOf(t *testing.T, name string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func inode(t *testing.T, name string) *syscall.Stat_t {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t)
}

// TestModes compares with what os.WriteFile leaves under the same umask.
func TestModes(t *testing.T) {
	for _, umask := range []int{0, 0o022, 0o027, 0o077, 0o777} {
		for _, perm := range []fs.FileMode{0o600, 0o644, 0o666, 0o777, 0o400, 0} {
			for _, existing := range []fs.FileMode{0, 0o600, 0o640, 0o666, 0o660, 0o755, 0o206} {
				for _, w := range writers {
					dir := t.TempDir()
					ours, theirs := filepath.Join(dir, "ours"), filepath.Join(dir, "theirs")
					if existing != 0 {
						mustWrite(t, ours, "old", existing)
						mustWrite(t, theirs, "old", existing)
					}
					before := syscall.Umask(umask)
					err1 := os.WriteFile(theirs, []byte("new"), perm)
					err2 := w.write(Options{}, ours, "new", perm)
					syscall.Umask(before)
					if err1 != nil || err2 != nil {
						t.Fatal(err1, err2)
					}
					if got, want := modeOf(t, ours), modeOf(t, theirs); got != want {
						t.Errorf("%s, umask %#o, perm %v, existing %v: got %v, os.WriteFile %v",
							w.name, umask, perm, existing, got, want)
					}
				}
			}
		}
	}
}

func TestChmodWins(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	before := syscall.Umask(0o077)
	defer syscall.Umask(before)
	for range 2 { // new, then existing
		f, err := CreatePerm(name, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.Chmod(0o666); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		if got := modeOf(t, name); got != 0o666 {
			t.Errorf("mode %v", got)
		}
		os.Chmod(name, 0o640)
	}
}

func TestRootKeepsTheOwner(t *testing.T) {
	needRoot(t, "chown")
	for _, mode := range []fs.FileMode{0o600, 0o660, 0o4755 &^ 0o4000, 0o755 | fs.ModeSetuid | fs.ModeSetgid} {
		name := filepath.Join(t.TempDir(), "state")
		mustWrite(t, name, "old", 0o600)
		if err := os.Chown(name, 1234, 2345); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(name, []byte("new"), 0o644); err != nil {
			t.Fatal(err)
		}
		st := inode(t, name)
		if st.Uid != 1234 || st.Gid != 2345 || modeOf(t, name) != mode {
			t.Errorf("want %v: owner %d:%d, mode %v", mode, st.Uid, st.Gid, modeOf(t, name))
		}
	}
}

// TestAsNobody writes without privilege.
func TestAsNobody(t *testing.T) {
	needRoot(t, "becoming another user")
	for _, test := range []struct {
		what      string
		mode      fs.FileMode
		uid, gid  int
		dirMode   fs.FileMode
		errand    string
		want      string // report, or its beginning
		content   string
		afterMode fs.FileMode
		replaced  bool
	}{
		{"file not writable, directory writable", 0o644, 0, 0, 0o777, "write", "[permission]", "old", 0o644, false},
		{"own file not writable", 0o444, nobody, nobody, 0o777, "write", "[permission]", "old", 0o444, false},
		{"own file not writable, Create", 0o444, nobody, nobody, 0o777, "create", "[permission]", "old", 0o444, false},
		{"not writable, Strict", 0o444, nobody, nobody, 0o777, "strict", "[permission]", "old", 0o444, false},
		{"another's file", 0o666, 0, 0, 0o777, "write", "nil", "new", 0o666, true},
		{"another's setuid file", 0o777 | fs.ModeSetuid | fs.ModeSetgid, 0, 0, 0o777, "write", "nil", "new", 0o777, true},
		{"another's setuid file, emptied", 0o777 | fs.ModeSetuid | fs.ModeSetgid, 0, 0, 0o777, "write", "nil", "", 0o777, true},
		{"own setuid file", 0o755 | fs.ModeSetuid, nobody, nobody, 0o777, "write", "nil", "new", 0o755, true},
		{"group cannot be kept", 0o672, 0, 0, 0o777, "write", "nil", "new", 0o622, true},
		{"group can be kept", 0o660, 0, club, 0o777, "write", "nil", "new", 0o660, true},
		{"directory not writable", 0o640, nobody, nobody, 0o755, "write", "nil", "new", 0o640, false},
		{"directory not writable, Create", 0o640, nobody, nobody, 0o755, "create", "nil", "new", 0o640, false},
		{"directory not writable, Strict", 0o640, nobody, nobody, 0o755, "strict", "[notatomic permission]", "old", 0o640, false},
		{"neither writable", 0o644, 0, 0, 0o755, "write", "[permission]", "old", 0o644, false},
		{"neither writable, Create", 0o644, 0, 0, 0o755, "create", "[permission]", "old", 0o644, false},
		{"sticky directory, another's file", 0o666, 0, 0, 0o777 | fs.ModeSticky, "write", "nil", "new", 0o666, false},
		{"directory not readable", 0o600, nobody, nobody, 0o733, "write", "[published permission]", "new", 0o600, true},
	} {
		t.Run(test.what, func(t *testing.T) {
			dir := openDir(t)
			name := filepath.Join(dir, "state")
			mustWrite(t, name, "old", 0o600)
			if err := os.Chown(name, test.uid, test.gid); err != nil {
				t.Fatal(err)
			}
			for path, mode := range map[string]fs.FileMode{name: test.mode, dir: test.dirMode} {
				if err := os.Chmod(path, mode); err != nil {
					t.Fatal(err)
				}
			}
			before, content := inode(t, name).Ino, "new"
			if test.content == "" {
				content = "n*0"
			}
			if got := reported(t, asNobody(t, test.errand, name, content)); !strings.HasPrefix(got, test.want) {
				t.Errorf("reported %s, want %s", got, test.want)
			}
			wantContent(t, name, test.content)
			wantOnly(t, dir, "state")
			if got := modeOf(t, name); got != test.afterMode {
				t.Errorf("mode %v, want %v", got, test.afterMode)
			}
			if replaced := inode(t, name).Ino != before; replaced != test.replaced {
				t.Errorf("replaced: %v, want %v", replaced, test.replaced)
			}
		})
	}
}

// TestUnwritableDirectoryForANewFile has nothing to fall back on.
func TestUnwritableDirectoryForANewFile(t *testing.T) {
	dir := openDir(t)
	os.Chmod(dir, 0o755)
	name := filepath.Join(dir, "state")
	got := reported(t, asNobody(t, "write", name, "new"))
	if want := "[permission] open " + name + ": permission denied"; got != want {
		t.Errorf("reported %s, want %s", got, want)
	}
}

func TestFIFO(t *testing.T) {
	for _, w := range writers {
		name := filepath.Join(t.TempDir(), "pipe")
		if err := exec.Command("mkfifo", name).Run(); err != nil {
			t.Skipf("cannot make a FIFO: %v", err)
		}
		read := make(chan string)
		go func() {
			data, err := os.ReadFile(name)
			if err != nil {
				data = []byte(err.Error())
			}
			read <- string(data)
		}()
		if err := w.write(Options{}, name, "through", 0o644); err != nil {
			t.Fatal(err)
		}
		if got := <-read; got != "through" {
			t.Errorf("%s: the reader got %q", w.name, got)
		}
		if modeOf(t, name)&fs.ModeNamedPipe == 0 {
			t.Errorf("%s: replaced the FIFO", w.name)
		}
	}
}

// TestDevice writes to a null device. Root has one made, lest a mistake
// replace /dev/null.
func TestDevice(t *testing.T) {
	dir, null := t.TempDir(), "/dev/null"
	if os.Geteuid() == 0 {
		null = filepath.Join(dir, "null")
		if out, err := exec.Command("mknod", null, "c", "1", "3").CombinedOutput(); err != nil {
			t.Skipf("cannot make a device: %s", out)
		}
	}
	link := filepath.Join(dir, "link")
	symlink(t, null, link)
	for _, name := range []string{null, link} {
		for _, w := range writers {
			if err := w.write(Options{}, name, "gone", 0o644); err != nil {
				t.Error(err)
			}
			if modeOf(t, null)&fs.ModeCharDevice == 0 {
				t.Fatal("the device was replaced")
			}
			if err := w.write(Options{Strict: true}, name, "x", 0o644); !errors.Is(err, ErrNotAtomic) {
				t.Errorf("%s: Strict says %v", w.name, err)
			}
		}
		if err := createAndSync(name, []byte("gone")); err != nil {
			t.Errorf("a device cannot be synced: %v", err)
		}
	}
}

// TestStdout redirects standard output to a file, which then must stay the
// file that the redirection has. The link is one like /dev/stdout, which a
// mistake would replace.
func TestStdout(t *testing.T) {
	const stdout = "/proc/self/fd/1"
	if _, err := os.Lstat(stdout); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	symlink(t, stdout, link)
	for _, name := range []string{stdout, link} {
		for _, errand := range []string{"write", "create"} {
			out, err := os.Create(filepath.Join(dir, "out"))
			if err != nil {
				t.Fatal(err)
			}
			before := inode(t, out.Name()).Ino
			cmd := child(t, errand, name, "x*10")
			cmd.Stdout = out
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			if inode(t, out.Name()).Ino != before {
				t.Errorf("%s %s: replaced the file behind the descriptor", errand, name)
			}
			wantContent(t, out.Name(), "nilxxxxxxx") // the report is written over it
			out.Close()
		}
	}
}

// TestHardLink pins down what the package comment says of hard links.
func TestHardLink(t *testing.T) {
	dir := t.TempDir()
	name, other := filepath.Join(dir, "state"), filepath.Join(dir, "other")
	mustWrite(t, name, "old", 0o644)
	if err := os.Link(name, other); err != nil {
		t.Skip(err)
	}
	if err := WriteFile(name, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantContent(t, name, "new")
	wantContent(t, other, "old")
}

// TestClaimOfARemovedFile has a Sweep remove a temporary before its writer locked it.
func TestClaimOfARemovedFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), tempPrefix+"1"+tempSuffix)
	f, err := createTemp(directory{}, name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	os.Remove(name)
	if _, err := claim(f); !errors.Is(err, errLocked) {
		t.Errorf("got %v", err)
	}
}

// TestPrivateBeforeItIsDressed: until the temporary has the target's owner and group,
// its mode gives nothing to a group that others do not have.
func TestPrivateBeforeItIsDressed(t *testing.T) {
	for _, w := range writers {
		dir := t.TempDir()
		name := filepath.Join(dir, "state")
		mustWrite(t, name, "old", 0o640)
		asked := false
		o := Options{hook: func(step string) error {
			if step == "inherit" {
				asked = true
				for _, temp := range others(t, dir, "state") {
					if mode := modeOf(t, filepath.Join(dir, temp)); mode&0o040 != 0 {
						t.Errorf("%s: the temporary has mode %v", w.name, mode)
					}
				}
			}
			return nil
		}}
		if err := w.write(o, name, "new", 0o644); err != nil || !asked {
			t.Errorf("%s: %v, asked: %t", w.name, err, asked)
		}
		if mode := modeOf(t, name); mode != 0o640 {
			t.Errorf("%s: mode %v", w.name, mode)
		}
	}
}

// TestPrivateUntilCommit checks that nobody reads new content before it is said
// for whom it is.
func TestPrivateUntilCommit(t *testing.T) {
	for _, c := range []struct {
		name  string
		chmod fs.FileMode
		want  fs.FileMode
	}{
		{"kept", 0, 0o644},
		{"narrowed", 0o600, 0o600},
		{"widened", 0o666, 0o666},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "key")
			mustWrite(t, name, "old", 0o644)
			f, err := Create(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString("secret"); err != nil {
				t.Fatal(err)
			}
			temps := others(t, dir, "key")
			if len(temps) != 1 {
				t.Fatalf("temporaries %q", temps)
			}
			if info, err := os.Stat(filepath.Join(dir, temps[0])); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the temporary has mode %v, %v", info.Mode(), err)
			}
			if c.chmod != 0 {
				if err := f.Chmod(c.chmod); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != c.want {
				t.Errorf("the file has mode %v, %v, want %v", info.Mode(), err, c.want)
			}
			wantContent(t, name, "secret")
		})
	}
}
