package safeio

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestKilledBackup kills it as it enters each system call that it makes: a copy that has
// its name is whole.
func TestKilledBackup(t *testing.T) {
	killed := 0
	for _, call := range []string{"openat", "flock", "fstat", "fgetxattr", "write", "fsync", "linkat", "unlinkat", "close"} {
		for n := 1; ; n++ {
			dir := t.TempDir()
			name := filepath.Join(dir, "state")
			mustWrite(t, name, string(readContent(oldContent)), 0o640)
			inject := fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n)
			report, _ := strace(t, []string{"-e", "trace=" + call, "-e", inject}, "backup", name)
			wantContent(t, name, string(readContent(oldContent)))
			if _, err := os.Lstat(name + ".bak"); err == nil || report == "nil" {
				wantContent(t, name+".bak", string(readContent(oldContent)))
			}
			wantDeadTemps(t, dir, "state", "state.bak")
			if report == "nil" {
				break
			}
			if report != "" {
				t.Fatalf("%s: reported %s", inject, report)
			}
			killed++
		}
	}
	if killed < 12 {
		t.Errorf("killed at %d system calls only", killed)
	}
}

// TestBackupWithoutLinks is on a file system where files have only one name.
func TestBackupWithoutLinks(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	mustWrite(t, name, "old", 0o640)
	mustWrite(t, name+".bak", "taken", 0o640)
	report, _ := strace(t, []string{"-e", "trace=linkat", "-e", "inject=linkat:error=EPERM"}, "backup", name)
	if report != "nil" {
		t.Errorf("reported %s", report)
	}
	wantContent(t, name+".bak", "taken")
	wantContent(t, name+".bak.1", "old")
	wantOnly(t, dir, "state", "state.bak", "state.bak.1")
}

// TestBackupInUnreadableDirectory cannot be synced.
func TestBackupInUnreadableDirectory(t *testing.T) {
	dir := openDir(t)
	os.Chmod(dir, 0o733)
	name := filepath.Join(dir, "state")
	mustWrite(t, name, "old", 0o644)
	if got := reported(t, asNobody(t, "backup", name)); !strings.HasPrefix(got, "[published permission]") {
		t.Errorf("reported %s", got)
	}
	wantContent(t, name+".bak", "old")
}

// TestBackupAccess: the copy has the ACL of the file, also where that denies, and the mask
// of it is not the group's mode. Who cannot give it the file's owner and group gives
// nobody more; and nobody runs a copy as somebody else.
func TestBackupAccess(t *testing.T) {
	needRoot(t, "becoming another user")
	for _, byRoot := range []bool{true, false} {
		dir := openDir(t)
		name := filepath.Join(dir, "state")
		mustWrite(t, name, "secret", 0o644)
		want := posixACL(0o604, 0, 7) // the user and the group that are named: nothing
		err := errors.Join(os.Chown(name, int(owner.uid), team), syscall.Setxattr(name, aclName, want, 0))
		if err != nil {
			t.Fatal(err)
		}
		if byRoot {
			err = Backup(name)
		} else if got := reported(t, asNobody(t, "backup", name)); got != "nil" {
			err = errors.New(got)
		}
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 100)
		n, err := syscall.Getxattr(name+".bak", aclName, got)
		switch st := inode(t, name+".bak"); {
		case err != nil:
			t.Errorf("by root %t: %v", byRoot, err)
		case byRoot && (!bytes.Equal(got[:n], want) || st.Uid != owner.uid || st.Gid != team):
			t.Errorf("ACL %x of %d:%d, want %x", got[:n], st.Uid, st.Gid, want)
		}
		binary := helper(t, os.Args[0])
		for _, u := range readers {
			access := u.run(t, binary, "access", []string{name, name + ".bak"})
			if strings.Trim(access[1], access[0]) != "" {
				t.Errorf("by root %t: %s may %q the file, and %q the copy", byRoot, u.name, access[0], access[1])
			}
		}
	}
	name := filepath.Join(openDir(t), "state")
	mustWrite(t, name, "program", 0o755|os.ModeSetuid)
	if err := Backup(name); err != nil || modeOf(t, name+".bak") != 0o755 {
		t.Errorf("mode %v, %v", modeOf(t, name+".bak"), err)
	}
}
