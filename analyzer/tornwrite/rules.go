package tornwrite

import "github.com/lockvet/lockvet/internal/verdict"

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "tornwrite/" + fixture})
}

// The rules of the check, beside those that say whether a file holds state.
var (
	handed = rule(verdict.Against, "handed", "handed",
		"the function gets the open file that it truncates: only the function that opened it knows which that is",
		"helpers that rewrite any file: the clean places of gofrs/flock and containers/storage")
	journal = rule(verdict.Against, "journal", "journal",
		"a copy of what the file held is kept, and put back where the write was cut short",
		"backups before a write: the clean places of zyedidia/micro")
	pidName = rule(verdict.Forbids, "own-name", "running",
		"the name has the number of the process in it: no other run meets this file",
		"principle")
	shortLived = rule(verdict.Against, "short-lived", "quiet",
		"the function removes the file, or the directory it stands in, when it returns",
		"scratch files of builds in the sample of write sites")
	method = rule(verdict.Against, "file-system-method", "rules",
		"the write is the WriteFile of a file system behind an interface: only its caller knows what it writes",
		"file systems of the clean places: spf13/afero, go-git/go-billy")
	marker = rule(verdict.Against, "marker", "quiet",
		"nothing is written: the existence of the file is all that counts",
		"markers in the sample of write sites")
	ownLock = rule(verdict.Against, "own-lock", "overwrite",
		"the file is emptied under its own lock, which is kept: it tells who has the lock, and a crash releases that too",
		"lock files that name their holder: cmd/go, hashicorp/terraform")
	pinned = rule(verdict.Against, "bind-mount", "inplace",
		"a comment speaks of a bind mount or an inode, or containers mount this file: it is written in place on purpose",
		"resolv.conf and hosts of containers: hashicorp/nomad, containers/common")
	toldThere = rule(verdict.Against, "reported-there", "acrosspkg/agents",
		"the write stands in another package of the program, which is told of it",
		"principle: one cause, one report")
	repositioned = rule(verdict.Against, "edited-in-place", "oldtail",
		"the file is looked at, moved in, cut, read or locked through the same handle: it is edited in place on purpose",
		"databases and disk images in the sample of write sites")
	plainRename = rule(verdict.Against, "plain-rename", "rules",
		"what is renamed is not written here",
		"rotations and moves in the clean places")
	synced = rule(verdict.Against, "done-right", "quiet",
		"the content is synced and closed before the rename, under a name that no other writer has",
		"rename(2), fsync(2)")
	locked = rule(verdict.Against, "locked", "lockfn",
		"in every context a lock between processes is held: nobody else has the temporary name, and no reader meets half a file",
		"writers under an exclusive lock in the clean places")
	owned = rule(verdict.Against, "alone", "owned",
		"no other process makes this write: the object holds a lock, the program keeps the file open, or one goroutine saves in a loop",
		"stores of daemons: etcd-io/bbolt, hashicorp/raft")
	temporary = rule(verdict.Against, "temporary", "rules",
		"the file is renamed afterwards: what it is called meanwhile is of no interest",
		"principle")
	scratch = rule(verdict.Against, "scratch", "quiet",
		"every caller hands over a directory that it has made for itself",
		"staging directories in the clean places")
	takenAway = rule(verdict.Against, "ends-with-run", "running",
		"a function that ends what runs removes the file: it means nothing after a power cut",
		"address and socket files of daemons: containerd/containerd")
	fresh = rule(verdict.Against, "made-again", "anew",
		"the file is written only where it cannot be loaded or does not exist: nothing is lost, or the next run makes it again",
		"default files of a first run in the sample of write sites")
	firstRun = rule(verdict.Lowers, "first-run", "anew",
		"the file is written only where none exists, with content from memory: nothing old is lost, and the next start makes it again",
		"true reports that their authors would not merge: default files of charmbracelet/mods, loft-sh/devpod, dnote/dnote")
	private = rule(verdict.Against, "of-one-run", "staging",
		"the directory in which files are collected has a name of this run",
		"staging directories in the clean places")
	generated = rule(verdict.Forbids, "generated", "quiet",
		"a program wrote this source",
		"https://go.dev/s/generatedcode")
)
