package latelock

import "github.com/lockvet/lockvet/internal/verdict"

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "latelock/" + fixture})
}

// The rule by which a lock guards a place.
var mostHold = rule(verdict.For, "most-hold", "before",
	"most of the other functions that use the field hold the lock there; for elements without the lock, at least four of five",
	"Engler et al., Bugs as Deviant Behavior, SOSP 2001; bugs of AdguardTeam/AdGuardHome@eff23f3, moby/moby@d7e2fc8, "+
		"sipeed/picoclaw@7fa341c, ansible/receptor@3e01655, influxdata/telegraf@2f446e2 and tilt-dev/tilt@9cf7756")

// The rules that speak against a report.
var (
	anotherLock = rule(verdict.Against, "another-lock", "quiet",
		"another lock that may guard the field is, or may be, held: that of another object, or one beside the right lock",
		"correct code of cockroachdb/pebble and moby/moby, which holds the lock of another object")
	callerHolds = rule(verdict.Against, "caller-holds", "quiet",
		"the caller holds the lock: the function says so by its name or comment, or releases a lock that it did not acquire",
		"right places of golang/tools, google/gvisor, cockroachdb/pebble, btcsuite/btcd and containers/podman")
	notShared = rule(verdict.Against, "not-shared", "quiet",
		"nobody else has the object yet: the function sets the lock, has a name such as New, is called with new objects only, "+
			"or starts the goroutines of the object afterwards",
		"constructors and restores of google/gvisor, kopia/kopia, charmbracelet/crush and lxc/incus, which are right")
	runsOnce = rule(verdict.Against, "once", "memory",
		"a sync.Once runs the change: one goroutine makes it, and the others wait for that",
		"https://pkg.go.dev/sync#Once; anacrolix/torrent internal/alloclim, which is right")
	changedWithout = rule(verdict.Against, "changed-without", "quiet",
		"another function changes the field and never uses the lock, or several do and none holds the lock: it may guard something else",
		"guards by majority alone: most reports were about fields that one goroutine owns (docs/design.md)")
	oneGoroutine = rule(verdict.Against, "one-goroutine", "quiet",
		"the code that leads to the change also leads to all other uses under the lock: they come one after the other",
		"RacerD (Blackshear et al., OOPSLA 2018): what one thread does in turn cannot meet itself; docs/field.md")
	noFile = rule(verdict.Against, "no-file", "memory",
		"no function that uses the field touches a file, and fewer than two others hold the lock, or none of them changes the field",
		"reports on centrifugal/centrifuge and nats-io/nats.go about fields that are set up once")
	looksOnceMore = rule(verdict.Against, "looks-again", "recheck",
		"the function repeats the check under the lock that is held at the change",
		"principle: a second look under the lock decides")
	callerMayHold = rule(verdict.Against, "caller-may-hold", "unguarded",
		"the caller may hold the lock: one does, the lock is exported, or the function is a value or a method that std calls",
		"a right place of google/adk-go: spanStore.evict, which a cache calls under the lock")
	beginning = rule(verdict.Against, "begins-or-ends", "unguarded",
		"by its name, the work of the object begins or ends with the function: others do not use the object then",
		"right places of dgraph-io/badger (valueLog.Close) and containers/image (storageImageDestination.Close)")
	onlyGrows = rule(verdict.Against, "only-grows", "unguarded",
		"elements are only added under the lock, and the function has nothing to do with the lock: all may be there when it runs",
		"right places of moby/buildkit (Result.EachRef) and containers/image: results of goroutines, read when these are done")
)
