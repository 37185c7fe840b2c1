package main

// A report is a mistake that was found in public source, and the commit that
// fixes it.
type report struct {
	repo, commit string
	// lost says in a sentence what could be lost.
	lost string
}

// seen are mistakes of the kinds that the checks look for. What lockvet itself
// finds in these repositories today stands in docs/field.md.
var seen = map[string][]report{
	"tornwrite": {
		{"docker/cli", "7e9e2c10bccd", "the file with all registry credentials was rewritten in place by each login."},
		{"moby/moby", "ea3cbd327466", "the description of a container was emptied before it was written."},
		{"tendermint/tendermint", "da9f4118a74c", "the height that a validator signed last, which keeps it from " +
			"signing twice, was rewritten in place."},
		{"tendermint/tendermint", "3d98504c4c2d", "the temporary file stood in the system's temporary directory, so " +
			"that the rename failed where that was another file system."},
		{"tailscale/tailscale", "bcbd41102ce4", "a helper named for atomic writes renamed what nothing had synced."},
		{"hashicorp/serf", "a44948897fd3", "a snapshot was flushed and renamed, and never synced."},
		{"steveyegge/beads", "f220cb4670b8", "the temporary name told processes apart and goroutines not."},
		{"git-lfs/git-lfs", "eb908d7becc2", "a store was written over its old content and kept the tail of it."},
		{"go-git/go-git", "34d8d19bc7e5", "a file was renamed before it was closed, which Windows refuses."},
	},
	"latelock": {
		{"AdguardTeam/AdGuardHome", "eff23f3b6220", "a lease was reserved in memory before the lock of the table was acquired."},
		{"moby/moby", "d7e2fc898284", "the state of a container, which is saved under its lock, was changed without it."},
		{"sipeed/picoclaw", "7fa341c4499c", "two requests could each make the session that neither had found."},
		{"syncthing/syncthing", "8265dac1272b", "an address was assigned before the lock was acquired."},
	},
	"trunclock": {
		{"gofrs/flock", "ffd5ea4379c0", "the lock file was emptied by the call that opened it, before it was locked."},
		{"steveyegge/gastown", "a3f0f35d1b45", "the state of signals was created, which empties it, and locked afterwards."},
	},
	"earlyrelease": {
		{"gofrs/flock", "6d0fcb04d9ce", "the library removed the lock file when it unlocked, which takes away the " +
			"file that the next process has locked."},
		{"steveyegge/gastown", "41840298469b", "a shutdown removed its lock file while others waited for it."},
		{"steveyegge/beads", "175bc23d1fec", "a synchronisation removed the lock file that it had locked."},
	},
	"racycreate": {
		{"golang/dep", "8820f1f3b6e4", "two processes that both found no lock file both made it."},
		{"steveyegge/gastown", "55f5eb178f36", "an agent read the lock file, found nobody, and wrote itself into it."},
	},
	"uncommitted": {
		{"kardianos/govendor", "9f2508815abc", "the file of vendored packages was written through safefile and never " +
			"committed, so that init made none."},
	},
	"lostupdate": {
		{"containers/common", "596d8ca3fd10", "two commands that edit the list of connections at once kept the change of one."},
		{"helm/helm", "3fa07d572fea", "repositories that were added at the same time were forgotten."},
		{"steveyegge/gastown", "65ee6d6d64d0", "a mutex guarded counters that other processes count as well."},
		{"steveyegge/beads", "1d5fd64383dd", "each process loaded the registry of the user's home, added itself and saved it."},
		{"moby/moby", "c4990ab999d4", "tags of images that were set at once overwrote each other."},
		{"kopia/kopia", "de33f7dc6f15", "a schedule was read before the lock was acquired under which it was written back."},
	},
	"tornappend": {
		{
			"steveyegge/beads",
			"7bd9e18500a9",
			"records of an audit log went through a buffer, so that those of two processes met on one line.",
		},
		{"containers/podman", "81088012475c", "the events of processes were appended with no lock."},
	},
	"stalesnapshot": {
		{"hashicorp/nomad", "8d9468d4c303", "the state of a task was copied under a lock and written behind it, so " +
			"that an older copy could be written last."},
		{"AdguardTeam/AdGuardHome", "2012e707d022", "two requests encoded the configuration one after the other and " +
			"could write it in the other order."},
	},
}
