package lexicon

import (
	"strings"

	"github.com/lockvet/lockvet/internal/verdict"
)

// Secrets are the words of credentials.
var Secrets = list(verdict.Rule{
	ID: "word/secret", Effect: verdict.For, Fixture: "tornwrite/lockfn",
	Why:    "the name says that the file is a credential, such as a key or a token, which cannot be recreated",
	Source: "tokens and keys that were lost: 99designs/aws-vault, caddyserver/certmagic",
}, "credential cred token auth secret key cert certificate password passwd keyring wallet vault license")

// Sessions are the words of what a program or its user has done.
var Sessions = list(verdict.Rule{
	ID: "word/session", Effect: verdict.For, Fixture: "tornwrite/inplace",
	Why:    "the name says that the file records what the program or its user has done, which cannot be recreated",
	Source: "sessions and histories of agents and shells: asheshgoplani/agent-deck, steveyegge/gastown, gsamokovarov/jump",
}, "session history transcript conversation message chat memory bookmark cursor position offset heartbeat status notification")

// Preferences are the words of what a user has set.
var Preferences = list(verdict.Rule{
	ID: "word/settings", Effect: verdict.For, Fixture: "tornwrite/inplace",
	Why:    "the name says that the file holds settings of the user",
	Source: "configurations that were found empty: git-lfs/git-lfs, zyedidia/micro, charmbracelet/crush",
}, "config conf configuration cfg setting settings pref preference policy alias hosts allowlist acl label annotation")

// State are the lists of words that speak for state in the name of a file, of what is
// written or of who writes it.
var State = []*List{
	Sessions,
	Preferences,
	list(verdict.Rule{
		ID: "word/record", Effect: verdict.For, Fixture: "tornwrite/accessor",
		Why:    "the name says that the file is a record of the program, such as an index, a registry or a queue",
		Source: "registries and indices that were lost: steveyegge/beads, containers/storage, hashicorp/raft",
	}, "state index registry checkpoint manifest queue journal metadata meta store storage db database ledger snapshot",
		"account job task todo workspace project lockfile route repository repo inventory catalog record wal schedule cron",
		"user peer node identity machine network containers tag channel plugin mapping lease allocation marker blob address port cache"),
	Secrets,
}

// Format are the words of a format in which programs keep state, where they name a
// path: "jsonPath".
var Format = list(verdict.Rule{
	ID: "word/format", Effect: verdict.For, Fixture: "tornwrite/rules",
	Why:    "the variable, field or function of the path is named for a format in which programs keep state",
	Source: "paths that are named for nothing else: gogf/gf, golang/dep",
}, "json jsonl yaml toml")

// Extensions of files in which programs keep state.
var Extensions = list(verdict.Rule{
	ID: "word/extension", Effect: verdict.For, Fixture: "tornwrite/inplace",
	Why:    "the file's extension is of a format in which programs keep state",
	Source: "two thirds of the labelled bugs are in such files",
}, "json jsonl ndjson yaml yml toml db ini conf gob properties")

// Code are the extensions of source files.
var Code = list(verdict.Rule{
	ID: "word/code", Effect: verdict.Against, Fixture: "tornwrite/rules",
	Why: "the file's extension is of a programming language: a generator writes it into a source tree, where " +
		"version control has the old text",
	Source: "principle; generators of code: yasyf/daemonkit",
}, "go swift kt java py rb rs ts tsx jsx cs c h cc cpp hpp php lua dart scala proto")

// Waste are the lists of words that speak against state.
var Waste = []*List{
	list(verdict.Rule{
		ID: "word/log", Effect: verdict.Against, Fixture: "tornwrite/quiet",
		Why:    "the name says that the file is a log, a report or debug output: no program loads it, and the next run writes it again",
		Source: "a sample of 190 write sites of many repositories",
	}, "log report profile pprof prof cpuprofile memprofile heap trace debug dump stdout stderr crash panic core coverage sbom socket fifo"),
	list(verdict.Rule{
		ID: "word/output", Effect: verdict.Against, Fixture: "tornwrite/rules",
		Why: "the name says that the file is the output of this run, or a copy of another file: after a crash the user runs " +
			"the command again",
		Source: "a sample of 190 write sites of many repositories",
	}, "output out outfile export diff patch artifact archive tar tarball tgz zip gz bundle copy backup bak orig"),
	list(verdict.Rule{
		ID: "word/document", Effect: verdict.Against, Fixture: "tornwrite/rules",
		Why:    "the name says that the file is a text or a picture for people, made from other data",
		Source: "a sample of 190 write sites of many repositories",
	}, "doc readme markdown md txt html css js svg png man"),
	list(verdict.Rule{
		ID: "word/scaffold", Effect: verdict.Against, Fixture: "tornwrite/rules",
		Why:    "the name says that the program generates the file from its own texts: templates, scripts, hooks, code",
		Source: "a sample of 190 write sites of many repositories",
	}, "template scaffold example sample golden fixture test mock benchmark bench stub script dockerfile makefile "+
		"completion generate generated gen codegen schema gitignore dockerignore exclude hook skill plist fmt"),
}

// Notes are the words of Waste that a program may keep its notes in: with evidence of a
// reader they do not speak against state.
var Notes = SetOf("md txt markdown")

// Pid are the words of a file that says who runs.
var Pid = list(verdict.Rule{
	ID: "state/pid-file", Effect: verdict.Forbids, Fixture: "racycreate/check",
	Why:    "the file says only which process runs, and is replaced at every start",
	Source: "pid files of daemons in the sample of write sites",
}, "pid pidfile")

// Kernel are the words of a path that leads into the kernel. proc and sys are none, as a
// part of a name: they stand for a process and for the system.
var Kernel = list(verdict.Rule{
	ID: "state/kernel-name", Effect: verdict.Against, Fixture: "tornwrite/rules",
	Why:    "the path is named for a file system of the kernel, whose files have no content to lose",
	Source: "proc(5), sysfs(5), cgroups(7); opencontainers/runc",
}, "cgroup cgroups cgroupfs procfs sysfs sysctl debugfs devpts")

// Staging are the words of a directory in which something is put together before others hear of it.
// What a program works in, or has new, may be what it goes on with.
var Staging = list(verdict.Rule{
	ID: "state/staging-directory", Effect: verdict.Forbids, Fixture: "tornwrite/staged",
	Why:    "the directory is named for unfinished work, with a random part: no other process uses it, and nothing reads what a crash leaves",
	Source: "false reports on directories that are filled, and then renamed or handed on; blocks of prometheus/prometheus",
}, "staging staged stage tmp temp temporary partial incomplete incoming scratch")

// Verbs of functions that save, and of their counterparts that load.
var (
	SaveVerbs = []string{"save", "write", "store", "persist", "dump", "put", "set", "update", "flush", "append"}
	LoadVerbs = []string{"load", "read", "open", "get", "restore", "parse", "fetch"}
)

// IsTestFramework reports whether an import path is that of a framework for tests.
func IsTestFramework(path string) bool {
	return strings.HasPrefix(path, "github.com/onsi/gomega") || strings.HasPrefix(path, "github.com/onsi/ginkgo") ||
		strings.HasPrefix(path, "github.com/stretchr/testify")
}
