package pathexpr

import (
	"path"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A Unit is a package, as far as that says whom it serves.
type Unit struct {
	// Path is its import path, Name that of the package.
	Path, Name string
	// Imports are the import paths of what it imports, Source of what the source file in
	// question does: a package of a program may have one that helps its tests.
	Imports, Source []string
}

// Service is what says that a package serves tests, builds or demonstrations, and no
// user; or that it works on files of the kernel. The zero value says nothing.
type Service struct {
	// Why is a sentence, empty for a package of a program.
	Why string
	// Rule is what says so; nil for a package of a program.
	Rule *verdict.Rule
	// Sure says that the code shows it, too. A word alone is outweighed by a program
	// that decodes the file.
	Sure bool
	// Dev says that developers run it.
	Dev bool
}

// A serving is a list of words, and why a package serves no user if an element of its
// import path is one of them. An element is compared as a whole, without - and _: a
// package contest is no test, and a workbench no benchmark.
type serving struct {
	id, fixture, words, why string
	// rule is declared of these.
	rule *verdict.Rule
	// program says that the word is as good a name for a part of a program (the reason
	// says of which), so that it counts for a program alone that stands in a
	// directory of that name, beside those of cmd.
	program bool
	// all says that a program which stands in that directory itself counts, too.
	all bool
	// own says that it must be the last element.
	own bool
	// says is what the verdict says, where that is not that the path says the word.
	says string
}

var servings = []serving{
	{id: "tests", fixture: "rules/tests", words: "test tests testing", why: "tests, and what only they use"},
	{id: "test-helpers", fixture: "testutil", words: "testutil testutils testhelper testhelpers testlib testkit testsupport testcommon testtools", why: "functions that tests call"},
	{id: "test-rooms", fixture: "rules/testbed", words: "testsuite testsuites testharness testframework testenv testbed testbench testserver", why: "what tests run in"},
	{id: "whole-tests", fixture: "e2e", words: "e2e e2etest e2etests integrationtest integrationtests loadtest loadtests", why: "tests of a whole program"},
	{id: "fixtures", fixture: "rules/fixtures", words: "testdata fixture fixtures", why: "what tests read; the go command does not build testdata"},
	{id: "mocks", fixture: "rules/mocks", words: "mock mocks fake fakes", why: "what stands for a part of the program in tests"},
	{id: "benchmarks", fixture: "bench", words: "bench benchmark benchmarks", why: "measurements, which a developer starts"},
	{id: "examples", fixture: "rules/examples", words: "demo demos example examples", why: "programs that show how something is used"},
	{id: "hack", fixture: "rules/hack", words: "hack", why: "scripts for developers, by the convention of Kubernetes"},

	{id: "tools", fixture: "tools/mkindex", words: "tool tools", program: true, why: "an agent has tools, and so has a language server"},
	{id: "scripts", fixture: "rules/scripts/mkindex", words: "script scripts", program: true, all: true, why: "an interpreter has scripts"},
	{id: "release", fixture: "rules/release/mkindex", words: "release", program: true, why: "a program that deploys has releases"},
	{id: "dev", fixture: "rules/dev/mkindex", words: "dev", program: true, why: "a development server, or devices"},
	{id: "generators", fixture: "rules/gen/mkindex", words: "gen generate generator codegen", program: true, why: "what a program generates for its user; generations"},
	{id: "t", fixture: "rules/t/mkindex", words: "t", program: true, why: "one letter says nothing"},
	{id: "docs", fixture: "rules/docs/mkindex", words: "doc docs website", program: true, why: "documents, and a site that the program serves"},
	{id: "internal", fixture: "rules/internal/mkindex", words: "internal", program: true, all: true, why: "packages below internal are for the module alone, and a command there is for those who work at it"},
	{id: "integration", fixture: "rules/integration/mkindex", words: "integration", program: true, why: "an integration of another service"},

	{id: "kernel", fixture: "proc", words: "proc sys cgroup cgroups sysfs sysctl debugfs devpts", own: true, why: "what they write is mostly the kernel's", says: "it is a kernel file"},
}

// Serves says whom a package serves, by the elements of its import path behind those
// that name the module: what a repository is called says nothing of its packages.
func Serves(u Unit) Service {
	for _, imp := range u.Source {
		if lexicon.IsTestFramework(imp) {
			return Service{Why: "it imports " + imp, Rule: frameworks, Sure: true}
		}
	}
	elems := within(u.Path)
	for i, elem := range elems {
		elem = strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(elem))
		if s := testPackage(u, elems, i); s.Why != "" {
			return s
		}
		s, ok := servingOf[elem]
		switch {
		case !ok:
		case s.program && (u.Name != "main" || i == len(elems)-1 && !s.all || i > 0 && elems[i-1] == "cmd"):
		case s.own && i < len(elems)-1:
		case s.says != "":
			return Service{Why: s.says, Rule: s.rule}
		default:
			return Service{Why: pathSays(elems[i]), Rule: s.rule, Sure: !s.program && tests(u), Dev: true}
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
		return Service{Why: pathSays(elems[i]), Rule: testPackages, Sure: true}
	case !ends || tested == "" || i < len(elems)-1:
		return Service{}
	case i > 0 && elems[i-1] == tested, slices.Contains(u.Imports, path.Join(path.Dir(u.Path), tested)):
		return Service{Why: pathSays(elems[i]), Rule: testPackages}
	}
	return Service{}
}

var testPackages = verdict.Declare(verdict.Rule{
	ID: "package/tested", Effect: verdict.Against, Fixture: "tornwrite/testkit",
	Why:    "the package is named for another one and test, or has the word in its name and imports package testing",
	Source: "the convention of the standard library: net/http/httptest, testing/fstest",
})

var frameworks = verdict.Declare(verdict.Rule{
	ID: "package/test-framework", Effect: verdict.Against, Fixture: "tornwrite/rules/framework",
	Why:    "the source file imports a framework for tests: it helps them",
	Source: "helpers of tests outside of _test.go: cloudfoundry/cli",
})

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
var forges = lexicon.SetOf("github.com gitlab.com bitbucket.org codeberg.org gitea.com git.sr.ht golang.org")

// servingOf are the servings by their words.
var servingOf = func() map[string]serving {
	m := map[string]serving{}
	for _, s := range servings {
		where := "an element of the import path is one of "
		if s.program {
			where = "a command in a directory named one of "
		}
		why := s.why
		if s.program {
			why = "elsewhere the word may name a part of a program: " + why
		}
		s.rule = verdict.Declare(verdict.Rule{
			ID: "package/" + s.id, Effect: verdict.Against, Fixture: "tornwrite/" + s.fixture,
			Why:    where + strings.ReplaceAll(s.words, " ", ", ") + ": " + why,
			Source: "places in the sample of write sites that need no report",
		})
		for w := range strings.FieldsSeq(s.words) {
			m[w] = s
		}
	}
	return m
}()
