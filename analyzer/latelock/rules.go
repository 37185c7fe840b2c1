package latelock

import "github.com/lockvet/lockvet/internal/verdict"

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "latelock/" + fixture})
}

// The rules by which a lock guards a place.
var (
	declaredSo = rule(verdict.For, "declared", "before",
		"a comment says that the lock guards the place",
		"comments of the form \"guarded by mu\"; +checklocks of google/gvisor")
	mostHold = rule(verdict.For, "most-hold", "before",
		"most of the other functions that use the place have the lock then",
		"bugs of AdguardTeam/AdGuardHome@eff23f3, moby/moby@d7e2fc8, sipeed/picoclaw@7fa341c and syncthing/syncthing@8265dac")
)

// The rule by which a look counts.
var nextToAll = rule(verdict.For, "next-to-all", "memory",
	"next to all other functions that use the place have the lock then, four of five, and one of them changes it there",
	"Engler et al., Bugs as Deviant Behavior, SOSP 2001; a bare majority is not enough: grpc/grpc-go#8192, cockroachdb/cockroach#48097, syncthing/syncthing#6584; a bug of nats-io/nats.go")

// The rule that makes a warning of a report.
var inMemory = rule(verdict.Lowers, "memory", "memory",
	"no file stands behind the place: what is lost is what the program knows until it ends",
	"bugs that their authors fixed: google/adk-go@7cffa80, google/adk-go@74df5f7, castai/k8s-agent#233, projectdiscovery/utils#245, folbricht/routedns#578, hashicorp/memberlist#342")

// The rules that speak against a report.
var (
	generated = rule(verdict.Forbids, "generated", "quiet",
		"a program wrote this source",
		"https://go.dev/s/generatedcode")
	anotherLock = rule(verdict.Against, "another-lock", "quiet",
		"another lock that may guard the place is or may be held at the change: of another object, or beside the right lock",
		"right places of cockroachdb/pebble and moby/moby, which have the lock of another object")
	namedEarly = rule(verdict.Against, "named-early", "quiet",
		"the function is named as one that runs before the object is shared",
		"constructors and restores of google/gvisor, kopia/kopia and charmbracelet/crush, which are right")
	namedLocked = rule(verdict.Against, "named-locked", "quiet",
		"the function says by its name that its caller has the lock",
		"right places of golang/tools, google/gvisor and cockroachdb/pebble")
	commentSays = rule(verdict.Against, "comment-says", "quiet",
		"the comment of the function promises the lock on entry, or that there is but one caller",
		"right places of btcsuite/btcd, google/gvisor and tailscale/tailscale")
	runsOnce = rule(verdict.Against, "once", "memory",
		"a sync.Once runs the change: one goroutine makes it, and all others wait for it",
		"https://pkg.go.dev/sync#Once; anacrolix/torrent internal/alloclim, which is right")
	setsOption = rule(verdict.Against, "option", "memory",
		"a function value that is given the object changes it: an option, which who makes the object calls",
		"options of mark3labs/mcp-go and projectdiscovery/utils, which are right")
	callersLock = rule(verdict.Against, "releases-callers-lock", "quiet",
		"the function releases a lock that it did not take: its caller has it",
		"right places of cockroachdb/pebble and containers/podman, which release the lock of their caller")
	makesLock = rule(verdict.Against, "makes-the-lock", "quiet",
		"the function sets the lock: nobody else has the object yet",
		"principle: a lock that is set is held by nobody")
	startsOthers = rule(verdict.Against, "starts-goroutines", "quiet",
		"the function starts goroutines of the object behind the change: there are none yet that it could meet",
		"principle: who has not started cannot meet anybody")
	careless = rule(verdict.Against, "changed-without", "quiet",
		"another function changes the place with no thought of the lock, which may not be for it",
		"guards by majority alone: most reports were about fields that one goroutine owns (docs/design.md)")
	readUnder = rule(verdict.Against, "only-read-under", "quiet",
		"several change the place, and none of them under the lock: who reads it there has the lock for something else",
		"principle: a lock that no writer takes guards nothing")
	oneGoroutine = rule(verdict.Against, "one-goroutine", "quiet",
		"a loop changes the place without the lock that it takes in each round, and calls all others that change it: it owns the place",
		"right places of ethereum/go-ethereum, hashicorp/nomad and lightningnetwork/lnd")
	sameGoroutine = rule(verdict.Against, "same-goroutine", "quiet",
		"all others that go by the lock run on the goroutine of the change",
		"a false report whose two actors were on one goroutine (docs/field.md)")
	keepsOut = rule(verdict.Against, "keeps-others-out", "memory",
		"the function closes a channel or sets a flag before it releases the lock, or waits for a goroutine: that keeps other changes out",
		"right places of pion/webrtc (RTPSender.Stop) and eclipse/paho.mqtt.golang (connectionStatus.Disconnecting)")
	oneHand = rule(verdict.Against, "one-hand", "memory",
		"each function that changes the place calls this one, is called by it, or runs on one goroutine: the check is part of that",
		"RacerD (Blackshear et al., OOPSLA 2018): what one thread owns needs no lock; a right place of centrifugal/centrifuge (Client.dispatchCommand)")
	madeAgain = rule(verdict.Against, "made-again", "memory",
		"what is entered has no lock, no methods that could change it, and no map or channel: the second of two callers enters the same",
		"a cache of what a program prints, which is right: bnema/gordon (PassStore.GetToken)")
	noFile = rule(verdict.Against, "no-file", "memory",
		"no user of the place touches a file, and fewer than two others hold the lock there, or none of them changes it",
		"reports on centrifugal/centrifuge and nats-io/nats.go about fields that are set up once")
	looksOnceMore = rule(verdict.Against, "looks-again", "recheck",
		"the function looks again under the lock that the change has",
		"principle: a second look under the lock decides")
)
