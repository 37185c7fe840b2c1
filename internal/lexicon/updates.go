package lexicon

import (
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/pattern"
)

// Repairs are the words of packages and functions that put right what is broken.
var Repairs = SetOf("doctor fix fixes repair repairs heal")

// Shared are the names of directories that many programs use, and of what locks are
// called: they do not say whose a lock is.
var Shared = SetOf("run lock locks lck pid var lib tmp etc home root opt usr user local share state data db log cache config private")

// Lockings are the words of functions that do something under a lock.
var Lockings = SetOf("lock locks locked locking locker lockfile filelock flock withlock underlock dolock")

// Holder are the words of files that only say who has something, or that somebody is there.
var Holder = SetOf("lock lck pid heartbeat")

// Programs are those whose files others change: of the system, editors, and agents of
// the command line.
var Programs = SetOf("ssh gnupg git kube docker aws vscode zed cursor windsurf",
	"claude codex gemini copilot cline factory continue openclaw opencode qwen pi goose code gitconfig")

// Plain are those of them that keep no JSON: such a file in their directory is of whoever
// puts it there.
var Plain = SetOf("ssh gnupg git")

// Homes are the directories in which each program has one of its own.
var Homes = pattern.New(`(^|/)(\.config|\.local/share|\.local/state|Application Support|AppData/Roaming|AppData/Local)$`)

// lockedEndings are those of functions that leave the lock to their callers.
var lockedEndings = []string{"locked", "nolock", "unsafe", "unlocked"}

// CallersLock reports whether a function says by its name that its callers hold the lock.
func CallersLock(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(lockedEndings, func(end string) bool { return strings.HasSuffix(name, end) })
}

// NamesLock reports whether a function is named for a lock, by a whole word.
func NamesLock(name string) bool {
	return slices.ContainsFunc(Words(name), func(w string) bool { return Lockings[w] })
}

// NamesCache reports whether something is named as a cache: a word of its name is one, or a
// compound like "usercache". What is cached need not be had again, but for a login.
func NamesCache(name string) bool {
	return !NamesLogin(name) && slices.ContainsFunc(Words(name), func(w string) bool {
		return strings.HasSuffix(w, "cache") || strings.HasSuffix(w, "caches")
	})
}

// uncached are the words of files that are no cache, wherever they are.
var uncached = SetOf("state session sessions history config settings")

// NamesState reports whether something is named for what cannot be had again: sync-state.json.
func NamesState(name string) bool { return slices.ContainsFunc(Words(name), uncached.Has) }

// The names of functions that a package calls on its objects.
var (
	// Phases run while an object has no other user.
	Phases = pattern.New(
		`^(?:[Nn]ew|[Oo]pen|[Ii]nit|[Ll]oad|[Rr]estore|[Ss]etup|[Mm]igrate)|^(?:[Cc]lose|[Ss]top|[Ss]hutdown|[Tt]eardown)$`,
	)
	// Loops run once, for as long as an object lives.
	Loops = pattern.New(
		`^(?:[Rr]un|[Ss]tart|[Ss]erve|[Ll]oop|[Ll]isten|[Ww]atch|main)$|(?:Loop|Daemon|Background|Worker|Periodic|Periodically)$`,
	)
	// Changes are called when the state has changed.
	Changes = pattern.New(`(?i)^(save|persist|write|store|flush|sync|checkpoint|snapshot|put|set|add|update|remove|delete)`)
)

// OnPurpose is what a comment says beside an error that is ignored on purpose: of the error,
// the file, what is broken, or what stands in for it.
var OnPurpose = pattern.New(`(?is)\bignor\w*\b.*\b(err\w*|fail\w*|corrupt\w*|crash\w*)` +
	`|(\b(deliberate|intentional)ly\b|\bon purpose\b).*` + spokenOf + `|` + spokenOf + `.*(\b(deliberate|intentional)ly\b|\bon purpose\b)`)

// spokenOf are the words of a comment that is about a file which cannot be loaded.
const spokenOf = `\b(err\w*|fail\w*|corrupt\w*|broken|torn|invalid|malformed|unreadable|missing|absent|file|content\w*|default\w*|empty|zero|fresh|scratch|ignor\w*|swallow\w*|drop\w*|discard\w*|best[- ]effort|toleran\w*|lenient|decod\w*|pars\w*|unmarshal\w*|load\w*|overwr\w*|reset\w*)\b`

// LetBe is what a comment says at an error that is let be: beside the call, or where the
// error is met.
var LetBe = pattern.New(`(?i)\b(ignor\w+|best[ -]effort|on purpose|deliberate\w*|intentional\w*|fresh|discard\w*|regardless|anyway` +
	`|proceed\w*|overwrit\w*|fall(s|ing)?[ -]?back|start(s|ing)? (over|again)|(go|goes|going|carry|carries) on)\b`)

// Lasts reports whether a function says that what it writes survives a power cut.
func Lasts(name string) bool {
	return slices.ContainsFunc(Words(name), func(w string) bool { return lasting[w] })
}

var lasting = SetOf("durable durably sync synced fsync synchronous")

// ForAnyFile reports whether a function that writes a file is named for no file in particular:
// writeFileAtomic, and not atomicWriteRegistry.
func ForAnyFile(name string) bool {
	return !slices.ContainsFunc(Words(name), func(w string) bool {
		return !writing.Has(w) && !Extensions.Words.Has(w) && !strings.Contains(w, "write") && !strings.Contains(w, "file") &&
			!strings.Contains(w, "atomic")
	})
}

// writing are the words of functions that write any file.
var writing = SetOf("rewrite save store put replace swap publish persist flush update set overwrite create data bytes " +
	"content contents text string blob disk path " +
	"safe safely secure securely durable durably sync synced fsync whole temp tmp rename renamed via with by using " +
	"through to into and in or for perm perms mode " +
	"permissions private internal os all do must helper util fs new one or fallback")

// Versions are the names of counters of changes.
var Versions = pattern.New(`(?i)(gen|generation|ver|version|seq|sequence|epoch|rev|revision|serial|ticket)\d*$|^(gen|version|seq|epoch|rev)[A-Z]`)
