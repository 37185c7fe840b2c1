package pathexpr

import (
	"strings"
	"unicode"
)

// Words splits an identifier or a file name into lower-case words: at case
// changes, digits and punctuation.
func Words(s string) []string {
	var words []string
	var cur []rune
	flush := func() {
		if len(cur) > 0 {
			words = append(words, strings.ToLower(string(cur)))
			cur = cur[:0]
		}
	}
	rs := []rune(s)
	for i, r := range rs {
		switch {
		case !unicode.IsLetter(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && unicode.IsLower(rs[i-1]):
			flush()
		case unicode.IsUpper(r) && i > 0 && i+1 < len(rs) && unicode.IsUpper(rs[i-1]) && unicode.IsLower(rs[i+1]):
			flush()
		}
		cur = append(cur, r)
	}
	flush()
	return words
}

// firstOf is the first word of names that set holds, and the name it stands in.
func firstOf(names []string, set map[string]bool) (word, name string) {
	for _, n := range names {
		for _, w := range Words(n) {
			for _, form := range []string{w, strings.TrimSuffix(w, "s"), strings.TrimSuffix(w, "path"), strings.TrimSuffix(w, "file")} {
				if set[form] {
					return w, n
				}
			}
		}
	}
	return "", ""
}

func setOf(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, l := range lists {
		for w := range strings.FieldsSeq(l) {
			set[w] = true
		}
	}
	return set
}

// Lexicon holds the words that speak for and against state. The zero value is
// not useful; make one with NewLexicon.
type Lexicon struct {
	state    map[string]bool
	special  map[string]bool
	pid      map[string]bool
	format   map[string]bool
	chosen   map[string]bool
	throw    map[string]bool
	text     map[string]bool // of throw: what a program may keep its notes in
	held     map[string]bool
	serving  map[string]serving
	stateExt map[string]bool
}

// NewLexicon returns the words that real bugs and real clean code were found
// to differ in.
func NewLexicon() *Lexicon {
	return &Lexicon{
		state: setOf(
			"session state history transcript index registry config conf configuration cfg setting credential cred",
			"token checkpoint manifest queue journal cache metadata meta store storage db database ledger snapshot",
			"auth secret key cert certificate password passwd account bookmark cursor position offset job task todo",
			"workspace project pref preference lockfile route repository repo memory conversation message chat",
			"inventory catalog record wal status schedule cron heartbeat policy user peer node identity",
			"license allowlist acl machine network containers keyring wallet vault tag channel plugin settings",
			"hosts alias mapping lease allocation marker notification label annotation blob address port"),
		format:  setOf("json jsonl yaml toml"),
		chosen:  setOf("out output outdir outfile dest destination"),
		pid:     setOf("pid pidfile"),
		held:    setOf("lock mutex lease semaphore"),
		special: setOf("proc sys cgroup cgroups sysfs sysctl debugfs devpts"),
		throw: setOf(
			"log output out outfile export report profile pprof prof cpuprofile memprofile heap trace debug dump",
			"template scaffold example sample golden fixture test mock benchmark bench doc readme markdown html svg",
			"png diff patch artifact archive tar tarball zip gz script dockerfile makefile completion generated gen codegen",
			"gitignore dockerignore exclude hook skill backup bak orig md txt html css js",
			"man plist stdout stderr crash panic core socket fifo sbom bundle stub coverage fmt tgz copy generate schema"),
		text:     setOf("md txt markdown"),
		serving:  newServings(),
		stateExt: setOf("json jsonl ndjson yaml yml toml db ini conf gob properties"),
	}
}

// Verbs of functions that save, and of their counterparts that load.
var (
	SaveVerbs = []string{"save", "write", "store", "persist", "dump", "put", "set", "update", "flush", "append"}
	LoadVerbs = []string{"load", "read", "open", "get", "restore", "parse", "fetch"}
)

// whole lists the verbs that need no object: Save and Load of a type speak of
// the value itself, Get and Set of some part of it.
var whole = map[string]bool{
	"save": true, "write": true, "store": true, "persist": true, "dump": true, "load": true, "read": true, "restore": true,
}

// ObjectOf strips the verb off a function's name: "SaveConfigLocked" and
// "loadConfig" both deal with "config".
func ObjectOf(name string, verbs []string) (string, bool) {
	lower := strings.ToLower(name)
	for _, v := range verbs {
		if rest, ok := strings.CutPrefix(lower, v); ok {
			for _, suffix := range []string{"unsafe", "locked", "tofile", "fromfile", "todisk", "fromdisk", "to", "from", "file", "s"} {
				rest = strings.TrimSuffix(rest, suffix)
			}
			return rest, rest != "" || whole[v]
		}
	}
	return "", false
}
