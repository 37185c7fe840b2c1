package pathexpr

import (
	"path"
	"slices"
	"strings"
)

// A Unit is a package, as far as that says whom it serves.
type Unit struct {
	// Path is its import path, Name that of the package.
	Path, Name string
	// Imports are the import paths of what it imports.
	Imports []string
}

// Service is what says that a package serves tests, builds or demonstrations, and no
// user; or that it works on files of the kernel. The zero value says nothing.
type Service struct {
	// Why is a sentence, empty for a package of a program.
	Why string
	// Sure says that the code shows it, too. A word alone is outweighed by a program
	// that decodes the file.
	Sure bool
}

// A serving is a list of words, and why a package serves no user if an element of its
// import path is one of them. An element is compared as a whole, without - and _: a
// package contest is no test, and a workbench no benchmark.
type serving struct {
	words, why string
	// program says that the word is as good a name for a part of a program (the reason
	// says of which), so that it counts for a program alone that stands in a
	// directory of that name, beside those of cmd.
	program bool
	// own says that it must be the last element.
	own bool
	// says is what the verdict says, where that is not that the path says the word.
	says string
}

var servings = []serving{
	{words: "test tests testing", why: "tests, and what only they use"},
	{words: "testutil testutils testhelper testhelpers testlib testkit testsupport testcommon testtools", why: "functions that tests call"},
	{words: "testsuite testsuites testharness testframework testenv testbed testbench testserver", why: "what tests run in"},
	{words: "e2e e2etest e2etests integrationtest integrationtests loadtest loadtests", why: "tests of a whole program"},
	{words: "testdata fixture fixtures", why: "what tests read; the go command does not build testdata"},
	{words: "mock mocks fake fakes", why: "what stands for a part of the program in tests"},
	{words: "bench benchmark benchmarks", why: "measurements, which a developer starts"},
	{words: "demo demos example examples", why: "programs that show how something is used"},
	{words: "hack", why: "scripts for developers, by the convention of Kubernetes"},

	{words: "tool tools", program: true, why: "an agent has tools, and so has a language server"},
	{words: "script scripts", program: true, why: "an interpreter has scripts"},
	{words: "release", program: true, why: "a program that deploys has releases"},
	{words: "dev", program: true, why: "a development server, or devices"},
	{words: "gen generate generator codegen", program: true, why: "what a program generates for its user; generations"},
	{words: "t", program: true, why: "one letter says nothing"},
	{words: "doc docs website", program: true, why: "documents, and a site that the program serves"},
	{words: "integration", program: true, why: "an integration of another service"},

	{words: "proc sys cgroup cgroups sysfs sysctl debugfs devpts", own: true, why: "what they write is mostly the kernel's", says: "it is a kernel file"},
}

// Serves says whom a package serves, by the elements of its import path behind those
// that name the module: what a repository is called says nothing of its packages.
func (l *Lexicon) Serves(u Unit) Service {
	elems := within(u.Path)
	for i, elem := range elems {
		elem = strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(elem))
		if s := testPackage(u, elems, i); s.Why != "" {
			return s
		}
		s, ok := l.serving[elem]
		switch {
		case !ok:
		case s.program && (u.Name != "main" || i == len(elems)-1 || i > 0 && elems[i-1] == "cmd"):
		case s.own && i < len(elems)-1:
		case s.says != "":
			return Service{Why: s.says}
		default:
			return Service{Why: pathSays(elems[i]), Sure: !s.program && tests(u)}
		}
	}
	return Service{}
}

func pathSays(elem string) string { return "package path says " + elem }

// testPackage recognizes the convention of the standard library for what serves the
// tests of one package, as httptest does for http: its name is that of the package and
// "test", and it stands below or imports that package. What has the word in its name
// and imports package testing is such a package, too.
func testPackage(u Unit, elems []string, i int) Service {
	tested, ends := strings.CutSuffix(elems[i], "test")
	tested = strings.TrimRight(tested, "-_")
	switch {
	case (ends || strings.HasPrefix(elems[i], "test")) && tests(u):
		return Service{Why: pathSays(elems[i]), Sure: true}
	case !ends || tested == "" || i < len(elems)-1:
		return Service{}
	case i > 0 && elems[i-1] == tested, slices.Contains(u.Imports, path.Join(path.Dir(u.Path), tested)):
		return Service{Why: pathSays(elems[i])}
	}
	return Service{}
}

// tests reports whether a package imports package testing, as nothing but what serves
// tests has a reason to.
func tests(u Unit) bool { return slices.Contains(u.Imports, "testing") }

// within lists the elements of an import path behind those that name the module: the
// host, the owner where the host is a forge, and the repository.
func within(pkg string) []string {
	elems := strings.Split(pkg, "/")
	named := 1
	if host := elems[0]; strings.Contains(host, ".") {
		named = 2
		if forges[host] {
			named = 3
		}
	}
	return elems[min(named, len(elems)):]
}

// forges are the hosts on which a repository has an owner, or stands below x.
var forges = setOf("github.com gitlab.com bitbucket.org codeberg.org gitea.com git.sr.ht golang.org")

func newServings() map[string]serving {
	m := map[string]serving{}
	for _, s := range servings {
		for w := range strings.FieldsSeq(s.words) {
			m[w] = s
		}
	}
	return m
}
