package safeio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Promise 3, in a directory that is another user's: whatever that user puts in the place of
// a file that was just made, or of a directory of its path, no other file gets another
// access, owner or content. These tests play that user at the moment that counts.

// An attack is a file of a directory that somebody else owns, and what is to be had.
type attack struct{ dir, name, victim string }

func newAttack(t *testing.T) attack {
	t.Helper()
	base := t.TempDir()
	a := attack{dir: filepath.Join(base, "theirs"), victim: filepath.Join(base, "victim")}
	a.name = filepath.Join(a.dir, "state")
	if err := os.Mkdir(a.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, a.victim, "secret", 0o600)
	mustWrite(t, a.name, "old", 0o600)
	if err := syscall.Setxattr(a.name, aclName, accessACL(1234), 0); err != nil {
		t.Skipf("no ACLs here: %v", err)
	}
	return a
}

// swap puts a link to the victim in the place of the files of that kind.
func (a attack) swap(suffix string) error {
	entries, err := os.ReadDir(a.dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			path := filepath.Join(a.dir, e.Name())
			err = errors.Join(err, os.Remove(path), os.Symlink(a.victim, path))
		}
	}
	return err
}

// at are options under which do is done once, before a step.
func (a attack) at(step string, do func() error) Options {
	done := false
	return Options{hook: func(now string) error {
		if done || now != step {
			return nil
		}
		done = true
		return do()
	}}
}

// wantUntouched compares the victim with what it was.
func (a attack) wantUntouched(t *testing.T) {
	t.Helper()
	wantContent(t, a.victim, "secret")
	if st := inode(t, a.victim); modeOf(t, a.victim) != 0o600 || int(st.Uid) != os.Geteuid() {
		t.Errorf("the victim has mode %v and is user %d's", modeOf(t, a.victim), st.Uid)
	}
	if n, err := syscall.Getxattr(a.victim, aclName, nil); !errors.Is(err, syscall.ENODATA) {
		t.Errorf("the victim has an ACL of %d bytes: %v", n, err)
	}
}

// TestSwappedTemporary has a link in the place of the temporary before that is given the
// target's access.
func TestSwappedTemporary(t *testing.T) {
	for _, w := range writers {
		a := newAttack(t)
		w.write(a.at("inherit", func() error { return a.swap(tempSuffix) }), a.name, "new", 0o600)
		a.wantUntouched(t)
	}
}

// TestSwappedLockFile has a link in the place of the lock file that was just made.
func TestSwappedLockFile(t *testing.T) {
	a := newAttack(t)
	h, err := a.at("lock.fstat", func() error {
		return errors.Join(a.swap(lockSuffix), a.swap(tempSuffix))
	}).Lock(a.name)
	if err == nil {
		h.Unlock()
	}
	a.wantUntouched(t)
}

// TestLinkForALockFile has a link where the lock file should be: what that leads to is not
// opened, which could have an effect, nor locked.
func TestLinkForALockFile(t *testing.T) {
	a := newAttack(t)
	symlink(t, a.victim, lockPath(a.name))
	if h, err := Lock(a.name); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("got %v, %v", h, err)
	}
	if h, err := (Options{LockFile: lockPath(a.name)}).TryLock(a.name); err != nil {
		t.Errorf("a link that the caller has named: %v", err)
	} else {
		h.Unlock()
	}
}

// TestSwappedTarget has something else in the place of the target before its access is
// asked for: a link is not followed, and nobody waits for the other end of a pipe.
func TestSwappedTarget(t *testing.T) {
	for what, put := range map[string]func(a attack) error{
		"link": func(a attack) error { return os.Symlink(a.victim, a.name) },
		"pipe": func(a attack) error { return syscall.Mkfifo(a.name, 0o666) },
	} {
		for _, w := range writers {
			a := newAttack(t)
			o := a.at("inherit", func() error { return errors.Join(os.Remove(a.name), put(a)) })
			if err := w.write(o, a.name, "new", 0o600); err == nil {
				t.Errorf("%s of a %s: no error", w.name, what)
			}
			a.wantUntouched(t)
			wantOnly(t, a.dir, "state")
		}
	}
}

// exchange puts another directory, in which there is a file of the same name, in the place
// of that of the target, which goes to the path that is returned.
func (a attack) exchange(t *testing.T) (other, away string) {
	t.Helper()
	other, away = filepath.Join(filepath.Dir(a.dir), "other"), a.dir+"-away"
	err := errors.Join(os.Rename(a.dir, away), os.Mkdir(other, 0o700), os.Symlink(other, a.dir))
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, filepath.Join(other, "state"), "root's", 0o600)
	return other, away
}

// TestExchangedDirectory has another directory of that name before each step. What was
// made for one file does not take the place of the other.
func TestExchangedDirectory(t *testing.T) {
	needRoot(t, "chown")
	for _, w := range writers {
		for _, step := range []string{"opendir", "create", "inherit", "rename"} {
			a := newAttack(t)
			err := errors.Join(os.Chown(a.name, nobody, club), os.Chmod(a.name, 0o666))
			other, away := "", ""
			err = errors.Join(err, w.write(a.at(step, func() error {
				other, away = a.exchange(t)
				return nil
			}), a.name, "new", 0o666))
			if err != nil {
				t.Errorf("%s, before %s: %v", w.name, step, err)
			}
			theirs, roots := filepath.Join(away, "state"), filepath.Join(other, "state")
			for name, uid := range map[string]uint32{theirs: nobody, roots: 0} {
				if st := inode(t, name); st.Uid != uid {
					t.Errorf("%s, before %s: %s is user %d's", w.name, step, name, st.Uid)
				}
			}
			if mode := modeOf(t, roots); mode != 0o600 {
				t.Errorf("%s, before %s: root's file has mode %v", w.name, step, mode)
			}
			wantOnly(t, other, "state")
			wantOnly(t, away, "state")
			if step != "opendir" { // from then on it is that directory
				wantContent(t, theirs, "new")
				wantContent(t, roots, "root's")
			}
		}
	}
}

// TestExchangedDirectoryOfALink is TestExchangedDirectory for Symlink, which replaces only links.
func TestExchangedDirectoryOfALink(t *testing.T) {
	a := newAttack(t)
	if err := errors.Join(os.Remove(a.name), os.Symlink("old", a.name)); err != nil {
		t.Fatal(err)
	}
	var other string
	err := a.at("rename", func() error {
		other, _ = a.exchange(t)
		return nil
	}).Symlink("new", a.name)
	if err != nil {
		t.Error(err)
	}
	wantContent(t, filepath.Join(other, "state"), "root's")
	if info, err := os.Lstat(filepath.Join(other, "state")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("root's file was replaced by a link: %v", err)
	}
}

// TestSwappedInPlace has a link, and another file, in the place of one that is to be
// rewritten in place with another owner and mode.
func TestSwappedInPlace(t *testing.T) {
	needRoot(t, "chown")
	for what, put := range map[string]func(from, to string) error{"link": os.Symlink, "file": os.Link} {
		a := newAttack(t)
		o := a.at("create", func() error { return syscall.EACCES })
		f, err := o.Create(a.name, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if f.way != byRewrite {
			t.Fatal("the file is not rewritten in place")
		}
		if err := errors.Join(os.Remove(a.name), put(a.victim, a.name)); err != nil {
			t.Fatal(err)
		}
		f.Write([]byte("new"))
		if err := errors.Join(f.Chown(nobody, club), f.Chmod(0o666), f.Commit()); err == nil {
			t.Errorf("%s: no error", what)
		}
		a.wantUntouched(t)
	}
}

// TestChownInPlace: the owner that is asked for is that of a file that is rewritten.
func TestChownInPlace(t *testing.T) {
	needRoot(t, "chown")
	_, name := mountedFile(t, t.TempDir(), "old")
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Chown(nobody, -1), f.Commit()); err != nil {
		t.Fatal(err)
	}
	if st := inode(t, name); st.Uid != nobody {
		t.Errorf("it is user %d's", st.Uid)
	}
}

// protectLinks has this package take the kernel for one that refuses such links, which
// not all are set to.
func protectLinks(t *testing.T) {
	was := protectedLinks
	t.Cleanup(func() { protectedLinks = was })
	protectedLinks = filepath.Join(t.TempDir(), "setting")
	mustWrite(t, protectedLinks, "1\n", 0o644)
}

// TestLinkThatMayNotBeFollowed comes after the kernel was asked whether the name may be
// followed, which then was another link.
func TestLinkThatMayNotBeFollowed(t *testing.T) {
	needRoot(t, "chown")
	protectLinks(t)
	dir := openDir(t)
	os.Chmod(dir, 0o777|fs.ModeSticky)
	for uid, want := range map[int]error{0: nil, 1234: syscall.EACCES} {
		link := filepath.Join(dir, "link")
		os.Remove(link)
		symlink(t, "victim", link)
		if err := os.Lchown(link, uid, uid); err != nil {
			t.Fatal(err)
		}
		if to, err := readLink(link); cause(err) != want || err == nil && to != "victim" {
			t.Errorf("of user %d: %q, %v", uid, to, err)
		}
	}
}

// TestLinkInATurn has a link that may not be followed and a file in turns under one name,
// so that what the kernel is asked about is not always what is there later.
func TestLinkInATurn(t *testing.T) {
	needRoot(t, "chown")
	protectLinks(t)
	base := memoryDir(t)
	dir, victim := filepath.Join(base, "all"), filepath.Join(base, "victim")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777|fs.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	name, other := filepath.Join(dir, "state"), filepath.Join(dir, "other")
	done, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-done:
				return
			default:
			}
			os.Remove(other)
			os.Symlink(victim, other)
			os.Lchown(other, 1234, 1234)
			os.Rename(other, name)
			os.WriteFile(other, nil, 0o600)
			os.Rename(other, name)
		}
	}()
	for range 20000 {
		WriteFile(name, []byte("new"), 0o600)
		if _, err := os.Lstat(victim); err == nil {
			t.Error("the link was followed")
			break
		}
	}
	close(done)
	<-stopped
}

// TestSweepOfAnExchangedDirectory has another directory of that name after the first one
// was opened: what is found in the one is not removed from the other.
func TestSweepOfAnExchangedDirectory(t *testing.T) {
	a := newAttack(t)
	d, err := openDirectory(a.dir + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	names := []string{tempPrefix + "1" + tempSuffix, lockPrefix + "gone" + lockSuffix}
	for _, name := range names {
		mustWrite(t, filepath.Join(a.dir, name), "", 0o600)
	}
	other, away := a.exchange(t)
	for _, name := range names {
		mustWrite(t, filepath.Join(other, name), "", 0o600)
	}
	sweepOne(d, names[0])
	sweepLock(d, names[1])
	for _, dir := range []string{other, away} {
		for _, name := range names {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Errorf("removed: %v", err)
			}
		}
	}
}

// TestNoModeBeforeTheACL: the mask of an ACL is where the group is in the mode. A temporary
// that had this mode without the ACL could be opened by the group.
func TestNoModeBeforeTheACL(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	mustWrite(t, name, "old", 0o600)
	if err := syscall.Setxattr(name, aclName, accessACL(1234), 0); err != nil {
		t.Skipf("no ACLs here: %v", err)
	}
	for _, errand := range []string{"write", "backup", "lock"} {
		report, calls := strace(t, []string{"-e", "trace=fchmod,chmod,fchmodat,fsetxattr,setxattr"}, errand, name, "new")
		if report != "nil" {
			t.Fatal(report)
		}
		for _, call := range calls {
			if verb, _, _ := strings.Cut(call, "("); strings.Contains(verb, "chmod") || verb == "setxattr" {
				t.Errorf("%s: %s", errand, call)
			}
			if strings.HasPrefix(call, "fsetxattr(") {
				break
			}
		}
		if all := strings.Join(calls, "\n"); !strings.Contains(all, "fsetxattr(") {
			t.Errorf("%s: no ACL is set: %s", errand, all)
		}
	}
}
