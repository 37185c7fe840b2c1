package tornwrite

import (
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/verdict"
)

// rule declares a rule that speaks against a finding.
func rule(id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{
		ID: Name + "/" + id, Effect: verdict.Against, Why: why, Source: source, Fixture: "tornwrite/" + fixture,
	})
}

// The rules of the check, beside those that say whether a file holds state.
var (
	handed = rule("handed", "handed",
		"the function gets the open file that it truncates: only the function that opened it knows which that is",
		"helpers that rewrite any file: the clean places of gofrs/flock and containers/storage")
	journal = rule("journal", "journal",
		"the program keeps a copy of the old content, and restores it after a write that was cut short",
		"backups before a write: the clean places of zyedidia/micro")
	pidName    = excludes.OwnName
	shortLived = rule("short-lived", "quiet",
		"the function removes the file, or the directory it stands in, when it returns",
		"scratch files of builds in the sample of write sites")
	movedAway = rule("moved-away", "staged",
		"the function fills a directory and then renames it to where it belongs: nobody sees half of a file there",
		"rename(2); the write-ahead log of etcd-io/etcd, snapshots of hashicorp/raft")
	unfinished = rule("unfinished-name", "staged",
		"the file has the extension of one that is not done, such as .tmp: what renames it is not seen",
		"a false report on Gitlawb/zero, where a function that is handed on renames it; principle: nobody loads a file of that name")
	method = rule("file-system-method", "rules",
		"the write is the method WriteFile of a file system type: only its caller knows what it writes",
		"file systems of the clean places: spf13/afero, go-git/go-billy")
	marker = rule("marker", "quiet",
		"no write to the file is seen: only its existence counts, or what has the handle is not followed",
		"markers in the sample of write sites")
	ownLock = rule("own-lock", "ownlock",
		"the file is truncated under its own lock, which stays held: the content names the holder, and a crash releases the lock, too",
		"lock files that name their holder: cmd/go, hashicorp/terraform")
	pinned = rule("bind-mount", "inplace",
		"a comment speaks of a bind mount or an inode, or the package mounts the file into containers: they would not see its replacement",
		"hosts, hostname and resolv.conf of containers: openfaas/faasd, moby/moby, cri-o/cri-o, hashicorp/nomad, containers/common")
	toldThere    = excludes.ReportedThere
	repositioned = rule("edited-in-place", "oldtail",
		"the program moves in the open file, cuts it, or looks at it and writes a part: it edits it on purpose",
		"databases and disk images in the sample of write sites")
	plainRename = rule("plain-rename", "rules",
		"the renamed file is not written by this code",
		"rotations and moves in the clean places")
	synced = rule("done-right", "quiet",
		"the temporary file is synced and closed before the rename, and no other writer uses its name",
		"rename(2), fsync(2)")
	locked = excludes.Locked
	owned  = rule("alone", "rounds",
		"no other process writes this file: the program keeps the file open, or one goroutine saves in a loop",
		"stores of daemons: etcd-io/bbolt, hashicorp/raft, nats-io/nats-server, syncthing/syncthing")
	temporary = rule("temporary", "rules",
		"the file is renamed afterwards: its temporary name says nothing about it",
		"principle")
	scratch = rule("scratch", "quiet",
		"every caller passes a directory that it has created for itself, or renames to where it belongs afterwards",
		"staging directories in the clean places")
	fresh = rule("made-again", "anew",
		"the file is written only where it cannot be loaded or does not exist: nothing is lost, or the next run makes it again",
		"default files of a first run in the sample of write sites")
	passing = rule("unsynced-on-purpose", "severity/passing",
		"the file is replaced as a whole, and not synced; by a rule of severity, the program can recreate what a power cut loses",
		"caches that are not synced on purpose: restic/restic, containers/storage (NoSync); not worth it in three repositories; principle")
)
