package lexicon

import (
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/verdict"
)

// Again are the words of what is made again when it is lost.
var Again = list(verdict.Rule{
	ID: "severity/made-again", Effect: verdict.Lowers, Fixture: "tornwrite/severity",
	Why: "the name of the file or its writer says that the content can be recreated: a cache without tokens, a " +
		"picture, the result of a run",
	Source: "true reports that their authors would not merge: asheshgoplani/agent-deck, mark3labs/kit, gogs/gogs, " +
		"wtfutil/wtf, Agent-Clubhouse/Goobers",
}, "cache cached avatar thumbnail thumb icon prefetch dump export result")

// Outputs are those of them that somebody has asked for, and wants to keep.
var Outputs = SetOf("dump export result")

// OfItself are the words of what a program keeps about itself, and not for its user.
var OfItself = list(verdict.Rule{
	ID: "severity/of-itself", Effect: verdict.Lowers, Fixture: "tornwrite/severity/ofitself",
	Why: "a name says that the file is about the program: how it is used, or whether there is a newer version. Its " +
		"user loses nothing with it",
	Source: "true reports that their authors would not merge: entireio/cli, replicate/cog, planetscale/cli, " +
		"stripe/stripe-cli, columnar-tech/dbc, sageox/ox, antiwork/gumroad-cli, asheshgoplani/agent-deck, " +
		"aliyun/aliyun-cli, okteto/okteto",
}, "telemetry analytics updatecheck versioncheck updatecache")

// AboutItself is the first word by which a package, its source file or one of the names says what
// [OfItself] says, and where it stands. The names of a file, and not those of functions, say it by
// what an update has, too: update-state.json is of an update, and updateState changes a state.
func AboutItself(pkg, source string, files, funcs []string) (word, name string) {
	if word, name = OfItself.Words.In(slices.Concat(files, funcs, []string{pkg, source})...); word != "" {
		return word, name
	}
	for i, n := range slices.Concat(files, funcs) {
		words := Words(n)
		for j := 1; j < len(words); j++ {
			if updating.Has(words[j-1]) && (looking.Has(words[j]) || i < len(files) && looked.Has(words[j])) {
				return words[j-1] + " " + words[j], n
			}
		}
	}
	return "", ""
}

// What is looked for, how, and what is kept of it.
var (
	updating = SetOf("update version")
	looking  = SetOf("check checked checks")
	looked   = SetOf("state cache")
)

// logins are the words of what a program has from a login: its user must log in again where a
// cache of it is lost, as with those of kubelogin and of the cloud providers' commands.
var logins = SetOf("token tokens credential credentials cred creds oauth login password")

// NamesLogin reports whether a name has one of them.
func NamesLogin(name string) bool { return slices.ContainsFunc(Words(name), logins.Has) }

// MadeAgain is the first word by which one of the names says what [Again] says, and that name.
func MadeAgain(names ...string) (word, name string) {
	for _, n := range names {
		if word, name = Again.Words.In(n); word != "" && !NamesLogin(n) {
			return word, name
		}
	}
	return "", ""
}

// RunOnce are the words of functions that a person runs once.
var RunOnce = list(verdict.Rule{
	ID: "severity/once", Effect: verdict.Lowers, Fixture: "tornwrite/severity",
	Why: "the name of the function, or of its package, says that it runs once, by hand: a migration, a set-up",
	Source: "true reports that their authors would not merge: asheshgoplani/agent-deck, gogs/gogs, " +
		"devspace-sh/devspace, palantir/godel; none of six fixes merged: Infisical/cli, loft-sh/devpod, " +
		"plandex-ai/plandex, cashapp/hermit, civo/cli, dnote/dnote, planetscale/cli",
}, "migrate migration upgrade setup cleanup bootstrap wizard convert init initialize initialise install default defaults legacy release")

// byItself are words of functions that a program calls by itself, whatever its user does.
var byItself = SetOf("reconcile poll tick watch sweep heartbeat hook daemon")

// renews are words of functions that renew what somebody asks for.
var renews = SetOf("refresh refreshed renew")

// asks are the first words of functions that only ask for something.
var asks = SetOf("get is has can")

// ByItself reports whether a program calls a function of the name by itself: pollQueue.
func ByItself(name string) bool { return slices.ContainsFunc(Words(name), byItself.Has) }

// Asked reports whether a function of the name is called where somebody only asks for something:
// refreshIndex, getToken, isChecked.
func Asked(name string) bool {
	words := Words(name)
	return len(words) > 0 && asks[words[0]] || slices.ContainsFunc(words, renews.Has)
}

// Registries are the words of what every run of a program enters something into.
var Registries = list(verdict.Rule{
	ID: "two-writers/shared", Effect: verdict.For, Fixture: "lostupdate/severity/index",
	Why: "the name of the file, or of the function that writes it, says that every run of the program enters " +
		"something there: an index, a queue",
	Source: "indexes of agents' work that lost entries; principle: what every run writes is written by two",
}, "index registry queue inbox outbox ledger record records sessions")

// Registry is the word by which one of the nouns, or the name of a function, says what
// [Registries] says, and that name. The first word of a function says what it does: recordConsent
// is about no record. A function says it of the file only where they have a word in common:
// addRegistry changes the registries that settings.json lists, which are no registry.
func Registry(nouns, funcs []string) (word, name string) {
	if word, name = Registries.Words.In(nouns...); word != "" {
		return word, name
	}
	of := Set{}
	for _, n := range nouns {
		for _, w := range Words(n) {
			of[strings.TrimSuffix(w, "s")] = true
		}
	}
	for _, f := range funcs {
		words := Words(f)
		words = words[min(1, len(words)):]
		i := slices.IndexFunc(words, Registries.Words.Has)
		if i >= 0 && slices.ContainsFunc(words, of.Has) {
			return words[i], f
		}
	}
	return "", ""
}
