package lexicon

import "github.com/lockvet/lockvet/internal/verdict"

// Again are the words of what is made again when it is lost.
var Again = list(verdict.Rule{
	ID: "severity/made-again", Effect: verdict.Lowers, Fixture: "tornwrite/severity",
	Why:    "the name of the file, or of the function that writes it, says that the content can be recreated: a cache, an uploaded picture",
	Source: "true reports that their authors would not merge: asheshgoplani/agent-deck, mark3labs/kit, gogs/gogs, wtfutil/wtf",
}, "cache cached avatar thumbnail thumb icon prefetch")

// RunOnce are the words of functions that a person runs once.
var RunOnce = list(verdict.Rule{
	ID: "severity/once", Effect: verdict.Lowers, Fixture: "tornwrite/severity",
	Why:    "the name of the function, or of its package, says that it runs once, by hand: a migration, a set-up",
	Source: "true reports that their authors would not merge: asheshgoplani/agent-deck, gogs/gogs, devspace-sh/devspace",
}, "migrate migration setup cleanup bootstrap wizard convert")

// ByHand are the words of what a person changes, one command at a time.
var ByHand = list(verdict.Rule{
	ID: "severity/by-hand", Effect: verdict.Lowers, Fixture: "lostupdate/severity",
	Why:    "a person changes such a file by one command at a time, and no lock, goroutine or request handler shows two at once",
	Source: "true reports that their authors would not merge: zyedidia/micro, yorukot/superfile, wtfutil/wtf, asheshgoplani/agent-deck, mark3labs/kit",
}, "config configuration conf settings setting pref preference profile theme keymap binding bind pin pinned bookmark favorite favourite alias todo trust consent rename toggle extension plugin uninstall disable enable default")

// Commands are the directories in which programs keep their commands.
var Commands = SetOf("cmd cli command commands")
