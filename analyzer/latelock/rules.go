package latelock

import "github.com/lockvet/lockvet/internal/verdict"

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "latelock/" + fixture})
}

// The rules by which a lock guards a place.
var (
	declaredSo = rule(verdict.For, "declared", "before",
		"a comment says that the lock guards the field",
		"comments of the form \"guarded by mu\"; +checklocks of google/gvisor")
	mostHold = rule(verdict.For, "most-hold", "before",
		"most of the other functions that use the field hold the lock there",
		"bugs of AdguardTeam/AdGuardHome@eff23f3, moby/moby@d7e2fc8, sipeed/picoclaw@7fa341c and syncthing/syncthing@8265dac")
)

// The rule by which a look counts.
var nextToAll = rule(verdict.For, "next-to-all", "memory",
	"at least four of five of the other functions that use the field hold the lock there, and one of these changes the field",
	"Engler et al., Bugs as Deviant Behavior, SOSP 2001; a bare majority is not enough: grpc/grpc-go#8192, cockroachdb/cockroach#48097, syncthing/syncthing#6584; a bug of nats-io/nats.go")

// The rule by which elements are used without the lock.
var readersToo = rule(verdict.For, "readers-too", "unguarded",
	"at least four of five functions that use the elements hold the lock; one of them changes elements, and another only reads",
	"bugs that their authors fixed: ansible/receptor@3e01655, influxdata/telegraf@2f446e2, tilt-dev/tilt@9cf7756")

// The rule by which a variable of a function has a lock beside it.
var ownLock = rule(verdict.For, "own-lock", "goroutines",
	"goroutines that are started in a loop change the variable under a lock of the same function, and use it without at another place",
	"a bug that its authors fixed: rqlite/rqlite@5613edd; https://go.dev/doc/articles/race_detector, accidentally shared variables")

// The rule by which a lock is for the elements of a field, where not so many have it.
var headOf = rule(verdict.For, "head-of-group", "unguarded",
	"the lock is the first of a group of fields; at least half of the functions that use the elements hold it, and this one changes them",
	"a bug that its authors fixed: qri-io/qri@fb043b6")

var checkedTwo = rule(verdict.For, "double-check", "double",
	"the function checks without the lock, and once more under it before it assigns: it uses without the lock what the first check has seen",
	"https://go.dev/ref/mem, Incorrect synchronization; a bug that its authors fixed: regclient/regclient@f4112d1")

// The rules by which a look can meet a change, although few functions use the place.
var (
	signalled = rule(verdict.For, "signalled", "aside",
		"the function that changes the field under the lock closes a channel, or sends to one; the loop that looks at the field waits for that",
		"a bug that its authors fixed: buildkite/agent@7188b7e")
	noCommonLock = rule(verdict.For, "no-common-lock", "aside",
		"the look is made under another lock; a goroutine changes the field with nothing but the right one",
		"Eraser (Savage et al., SOSP 1997): the two have no lock in common; a bug of canonical/pebble@2fff6f9")
	handedOver = rule(verdict.For, "handed-over", "aside",
		"what the look has seen is given to a call that takes the lock for it; all others use the field under the lock, and one of them changes it",
		"a bug that its authors fixed: juanfont/headscale@9f0c74e")
	onlySection = rule(verdict.For, "only-section", "aside",
		"no other function takes the lock: it is there for two calls of this one, which looks at the field or changes it under the lock",
		"principle: a lock that one function takes keeps out that function; bugs of dgraph-io/badger@1a98996, NVIDIA/nvidia-container-toolkit@98deb7e and turbot/steampipe@aa696c9")
)

// The rule by which a value is a new object.
var namedMaker = rule(verdict.For, "named-maker", "recheck",
	"a function that cannot be seen makes the object, by its name: there must be one only",
	"bugs that their authors fixed: docker/mcp-gateway@314a4b3, linuxkit/linuxkit@179f74a")

// The rule that makes a warning of a report.
var inMemory = rule(verdict.Lowers, "memory", "memory",
	"the field is not saved to a file: only memory of the running program is lost",
	"bugs that their authors fixed: google/adk-go@7cffa80, google/adk-go@74df5f7, castai/k8s-agent#233, projectdiscovery/utils#245, folbricht/routedns#578, hashicorp/memberlist#342")

// The rules that speak against a report.
var (
	generated = rule(verdict.Forbids, "generated", "quiet",
		"a program wrote this source",
		"https://go.dev/s/generatedcode")
	anotherLock = rule(verdict.Against, "another-lock", "quiet",
		"another lock that may guard the field is, or may be, held at the change: that of another object, or one beside the right lock",
		"right places of cockroachdb/pebble and moby/moby, which have the lock of another object")
	namedEarly = rule(verdict.Against, "named-early", "quiet",
		"by its name, the function runs before other goroutines have the object",
		"constructors and restores of google/gvisor, kopia/kopia and charmbracelet/crush, which are right")
	namedLocked = rule(verdict.Against, "named-locked", "quiet",
		"by its name, the function is called with the lock held",
		"right places of golang/tools, google/gvisor and cockroachdb/pebble")
	commentSays = rule(verdict.Against, "comment-says", "quiet",
		"the comment of the function says that the caller holds the lock, or that there is only one caller",
		"right places of btcsuite/btcd, google/gvisor and tailscale/tailscale")
	runsOnce = rule(verdict.Against, "once", "memory",
		"a sync.Once runs the change: one goroutine makes it, and the others wait for that",
		"https://pkg.go.dev/sync#Once; anacrolix/torrent internal/alloclim, which is right")
	setsOption = rule(verdict.Against, "option", "memory",
		"a function value that gets the object changes it: it is an option, which the constructor calls",
		"options of mark3labs/mcp-go and projectdiscovery/utils, which are right")
	callersLock = rule(verdict.Against, "releases-callers-lock", "quiet",
		"the function releases a lock that it did not acquire: its caller holds it",
		"right places of cockroachdb/pebble and containers/podman, which release the lock of their caller")
	makesLock = rule(verdict.Against, "makes-the-lock", "quiet",
		"the function sets the lock itself: no other goroutine has the object yet",
		"principle: a lock that is set is held by nobody")
	startsOthers = rule(verdict.Against, "starts-goroutines", "quiet",
		"the function starts the goroutines of the object after the change: none of them runs yet",
		"principle: who has not started cannot meet anybody")
	careless = rule(verdict.Against, "changed-without", "quiet",
		"another function changes the field and never uses the lock: the lock may guard something else",
		"guards by majority alone: most reports were about fields that one goroutine owns (docs/design.md)")
	readUnder = rule(verdict.Against, "only-read-under", "quiet",
		"several functions change the field, none of them under the lock: functions that read it under the lock hold the lock for something else",
		"principle: a lock that no writer takes guards nothing")
	oneGoroutine = rule(verdict.Against, "one-goroutine", "quiet",
		"a loop, which locks in each round, changes the field without the lock and calls all other writers: only its goroutine writes the field",
		"right places of ethereum/go-ethereum, hashicorp/nomad and lightningnetwork/lnd")
	sameGoroutine = rule(verdict.Against, "same-goroutine", "quiet",
		"all other functions that use the lock run on the goroutine that makes the change",
		"a false report whose two actors were on one goroutine (docs/field.md)")
	keepsOut = rule(verdict.Against, "keeps-others-out", "memory",
		"the function closes a channel or sets a flag before it releases the lock, or waits for a goroutine: other functions then make no change",
		"right places of pion/webrtc (RTPSender.Stop) and eclipse/paho.mqtt.golang (connectionStatus.Disconnecting)")
	oneHand = rule(verdict.Against, "one-hand", "memory",
		"each function that changes the field calls this one, is called by it, or runs on one goroutine: no other change comes after the check",
		"RacerD (Blackshear et al., OOPSLA 2018): what one thread owns needs no lock; a right place of centrifugal/centrifuge (Client.dispatchCommand)")
	madeAgain = rule(verdict.Against, "made-again", "memory",
		"the stored value has no lock, no map or channel, and no methods that change it: the second of two callers stores the same value",
		"a cache of what a program prints, which is right: bnema/gordon (PassStore.GetToken)")
	noFile = rule(verdict.Against, "no-file", "memory",
		"no function that uses the field touches a file, and fewer than two others hold the lock there, or none of these changes the field",
		"reports on centrifugal/centrifuge and nats-io/nats.go about fields that are set up once")
	oneEntry = rule(verdict.Against, "one-entry", "unguarded",
		"all changes under the lock come from the function that leads to this one, too: they come one after the other",
		"RacerD (Blackshear et al., OOPSLA 2018): what one thread does in turn cannot meet itself")
	callersDiffer = rule(verdict.Against, "callers-differ", "unguarded",
		"some callers of the function have the lock and others have not: those that have not may have another reason",
		"principle: what is right for one caller is not wrong in the function")
	namedStart = rule(verdict.Against, "named-start", "unguarded",
		"by its name, the work of the object begins with the function: others do not use the object yet",
		"principle: who has not started cannot meet anybody")
	namedEnd = rule(verdict.Against, "named-end", "unguarded",
		"by its name, the work of the object ends with the function: others no longer use the object",
		"right places of dgraph-io/badger (valueLog.Close) and containers/image (storageImageDestination.Close)")
	handedOn = rule(verdict.Against, "handed-on", "unguarded",
		"the function is a value, or a method by which std fills an object, or asks one that it is handed under the lock: who calls it may have the lock",
		"a right place of google/adk-go: spanStore.evict, which a cache calls under the lock")
	lockLeft = rule(verdict.Against, "lock-left", "unguarded",
		"the type exports its lock, or a function returns with the lock: who calls this one may have it",
		"a right place of containerd/containerd: streamManager.StartCollection returns with the lock")
	throughAnother = rule(verdict.Against, "through-another", "unguarded",
		"the function comes to the lock through another object, and such objects are handed out while the lock is held: they may end with it",
		"right places of marmos91/dittofs, which hands a transaction to a function under the lock of the store")
	onlyGrows = rule(verdict.Against, "only-grows", "unguarded",
		"elements are only added under the lock, and the function has nothing to do with the lock: all may be there when it runs",
		"right places of moby/buildkit (Result.EachRef) and containers/image: results of goroutines, read when these are done")
	commentThere = rule(verdict.Against, "comment-there", "unguarded",
		"a comment above the use speaks of locks or goroutines: somebody has thought of them",
		"principle: what the author has thought of is no slip")
	onlyMade = rule(verdict.Against, "only-made", "recheck",
		"each caller has just made the object: nobody else has it",
		"a right place of lxc/incus (qmpLog.open)")
	claimedKey = rule(verdict.Against, "claimed-key", "recheck",
		"the function has claimed the key: it was the first to store it in a sync.Map, or has entered a placeholder under the lock",
		"right places of nats-io/nats-server (Account.addStreamWithAssignment, inflight) and mirendev/runtime (ensureSandboxPool)")
	looksOnceMore = rule(verdict.Against, "looks-again", "recheck",
		"the function repeats the check under the lock that is held at the change",
		"principle: a second look under the lock decides")
)
