package safeio

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func init() {
	errands["access"] = func(names []string) error { return reportAccess(names) }
	errands["write-all"] = func(names []string) error { return writeAll(names) }
}

// reportAccess prints for each file whether the user may read and write it.
func reportAccess(names []string) error {
	for _, name := range names {
		may := ""
		for _, how := range []int{os.O_RDONLY, os.O_WRONLY} {
			f, err := os.OpenFile(name, how, 0)
			if err == nil {
				f.Close()
				may += string("rw"[how])
			}
		}
		fmt.Println(may)
	}
	return nil
}

// writeAll prints for each file whether it could be replaced.
func writeAll(names []string) error {
	for _, name := range names {
		fmt.Println(WriteFile(name, []byte("new"), 0o600) == nil)
	}
	return nil
}

// A user is one of those in the table of TestAccessNeverWidens.
type user struct {
	name     string
	uid, gid uint32
	groups   []uint32
}

const team = 2001 // the group of the files

var (
	owner  = user{"the owner", 1001, 1001, nil}
	named  = user{"who is named in the ACL", 1003, 1003, nil}
	joined = user{"a writer of the group", 1005, 1005, []uint32{team}}
	beside = user{"a writer of no group", 1006, 1006, nil}

	readers = []user{
		owner, named, joined, beside,
		{"a member of the group", 1002, 1002, []uint32{team}},
		{"anyone", 1004, 1004, nil},
		{"one of the owner's own group", 1007, 1001, nil},
		{"one of the group of the first writer", 1008, 1005, nil},
		{"one of the group of the second", 1009, 1006, nil},
	}
	accessWriters = []user{{"root", 0, 0, nil}, owner, joined, beside}
)

// run does an errand as the user, and returns the lines that it prints.
func (u user) run(t *testing.T, binary, errand string, names []string) []string {
	t.Helper()
	cmd := exec.Command(binary, append([]string{errand}, names...)...)
	cmd.Env = append(os.Environ(), childEnv+"=1", "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: u.uid, Gid: u.gid, Groups: u.groups}}
	out, err := cmd.CombinedOutput()
	lines := strings.Split(string(out), "\n")
	if err != nil || len(lines) != len(names)+1 || lines[len(names)] != "nil" {
		t.Fatalf("%s: %v, %.200q", u.name, err, out)
	}
	return lines[:len(names)]
}

// posixACL is an ACL with an entry for who is named in it, and one for another group.
func posixACL(mode fs.FileMode, forNamed, mask uint16) []byte {
	acl := binary.LittleEndian.AppendUint32(nil, 2) // version
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{
		{0x01, uint16(mode>>6) & 7, ^uint32(0)}, // user::
		{0x02, forNamed, named.uid},             // user:named:
		{0x04, uint16(mode>>3) & 7, ^uint32(0)}, // group::
		{0x08, forNamed, 1008},                  // group:1008:
		{0x10, mask, ^uint32(0)},                // mask::
		{0x20, uint16(mode) & 7, ^uint32(0)},    // other::
	} {
		acl = binary.LittleEndian.AppendUint16(acl, e.tag)
		acl = binary.LittleEndian.AppendUint16(acl, e.perm)
		acl = binary.LittleEndian.AppendUint32(acl, e.id)
	}
	return acl
}

// removeACL takes from a file the ACL that it may have got from its directory.
func removeACL(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return acl(nil).write(f.Fd())
}

// TestAccessNeverWidens replaces files of many modes, owners and ACLs as different
// users, in directories that have a default ACL and such that have none, and asks
// before and after who may read and write them: nobody gains by it but the writer.
func TestAccessNeverWidens(t *testing.T) {
	needRoot(t, "becoming other users")
	binary := helper(t, os.Args[0])
	modes := []fs.FileMode{0o600, 0o640, 0o644, 0o604, 0o606, 0o626, 0o620, 0o660, 0o664, 0o666, 0o646, 0o602, 0o642, 0o662}
	type entry struct{ perm, mask uint16 }
	acls := []*entry{nil, {0, 7}, {0, 4}, {4, 4}, {6, 6}, {6, 4}, {4, 0}, {2, 6}}
	for _, w := range accessWriters {
		for _, inherits := range []bool{false, true} {
			dir := openDir(t)
			if inherits {
				if err := syscall.Setxattr(dir, "system.posix_acl_default", posixACL(0o664, 6, 6), 0); err != nil {
					t.Fatalf("no ACLs here, in %s: %v", dir, err)
				}
			}
			var names, what []string
			for _, mode := range modes {
				for i, a := range acls {
					name := filepath.Join(dir, fmt.Sprintf("%o-%d", mode, i))
					mustWrite(t, name, "old", mode)
					err := os.Chown(name, int(owner.uid), team)
					if err == nil {
						err = os.Chmod(name, mode)
					}
					if err == nil && a == nil {
						err = removeACL(name)
					} else if err == nil {
						err = syscall.Setxattr(name, aclName, posixACL(mode, a.perm, a.mask), 0)
					}
					if err != nil {
						t.Fatal(err)
					}
					names, what = append(names, name), append(what, fmt.Sprintf("mode %o, ACL %+v", mode, a))
				}
			}
			access := func() (all [][]string) {
				for _, u := range readers {
					all = append(all, u.run(t, binary, "access", names))
				}
				return all
			}
			before := access()
			wrote := w.run(t, binary, "write-all", names)
			after := access()
			written := 0
			for i := range names {
				if wrote[i] == "true" {
					written++
				}
				for j, u := range readers {
					if gained := strings.Trim(after[j][i], before[j][i]); gained != "" && u.name != w.name {
						t.Errorf("%s, written by %s (default ACL: %t): %s could %q, and now %q", what[i], w.name, inherits, u.name, before[j][i], after[j][i])
					}
				}
			}
			if written < len(names)/8 {
				t.Errorf("%s has written %d files of %d", w.name, written, len(names))
			}
		}
	}
}

// TestReaderCannotHoldTheLock: who may read a file but not write it can take no lock
// with which its owner would be kept waiting, by this package or by flock.
func TestReaderCannotHoldTheLock(t *testing.T) {
	needRoot(t, "becoming another user")
	binary := helper(t, os.Args[0])
	for _, dirMode := range []fs.FileMode{0o755, 0o777} {
		for _, acl := range [][]byte{nil, posixACL(0o644, 4, 4)} {
			dir := openDir(t)
			name := filepath.Join(dir, "state")
			mustWrite(t, name, "old", 0o644)
			if acl != nil {
				if err := syscall.Setxattr(name, aclName, acl, 0); err != nil {
					t.Fatalf("no ACLs here, in %s: %v", dir, err)
				}
			}
			mustUnlock(t, mustLock(t, name), nil)
			if err := os.Chmod(dir, dirMode); err != nil {
				t.Fatal(err)
			}
			for _, u := range []user{named, beside} {
				if got := u.run(t, binary, "access", []string{name, lockPath(name)}); got[0] != "r" || got[1] != "" {
					t.Errorf("directory %o: %s may %q the file, and %q its lock file", dirMode, u.name, got[0], got[1])
				}
			}
		}
	}
}
