package state

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
}

// The rules about elements of import paths. An element is compared as a whole, without - and _: a
// package contest is no test, and a workbench no benchmark.
var (
	forTests = &serving{rule: verdict.Declare(verdict.Rule{
		ID: "package/tests", Effect: verdict.Against, Fixture: "tornwrite/rules/tests",
		Why: "an element of the import path says tests, mocks, benchmarks, examples or scripts of developers, the package is named for " +
			"another one and test, or the source file imports a framework for tests",
		Source: "places in the sample of write sites that need no report; net/http/httptest, testing/fstest; cloudfoundry/cli",
	})}
	forDevelopers = &serving{program: true, rule: verdict.Declare(verdict.Rule{
		ID: "package/developers", Effect: verdict.Against, Fixture: "tornwrite/tools/mkindex",
		Why: "a command stands in a directory named for tools, scripts, releases, generators or documents. Beside other commands, " +
			"or in a library, the word may name a part of a program",
		Source: "places in the sample of write sites that need no report",
	})}
	ofKernel = &serving{own: true, rule: lexicon.Kernel.Rule}
)

// A serving says of a package whose import path has one of some words that it serves no user.
type serving struct {
	rule *verdict.Rule
	// program says that the word counts only for a program that stands in a directory of that name,
	// beside those of cmd.
	program bool
	// own says that it must be the last element.
	own bool
}

// servings are the servings by their words.
var servings = wordsOf(map[*serving]string{
	forTests: "test tests testing testutil testutils testhelper testhelpers testlib testkit testsupport testcommon testtools " +
		"testsuite testsuites testharness testframework testenv testbed testbench testserver " +
		"e2e e2etest e2etests integrationtest integrationtests loadtest loadtests testdata fixture fixtures " +
		"mock mocks fake fakes bench benchmark benchmarks demo demos example examples hack",
	forDevelopers: "tool tools script scripts release dev gen generate generator codegen t doc docs website internal integration",
	ofKernel:      "proc sys cgroup cgroups sysfs sysctl debugfs devpts",
})

// itself are the words of directories in which a program that stands there itself counts, too.
var itself = lexicon.SetOf("script scripts internal")

func wordsOf(lists map[*serving]string) map[string]*serving {
	of := map[string]*serving{}
	for s, words := range lists {
		for w := range strings.FieldsSeq(words) {
			of[w] = s
		}
	}
	return of
}

// Serves says whom a package serves, by the elements of its import path behind those
// that name the module: what a repository is called says nothing of its packages.
func Serves(u Unit) Service {
	for _, imp := range u.Source {
		if lexicon.IsTestFramework(imp) {
			return Service{Why: "it imports " + imp, Rule: forTests.rule, Sure: true}
		}
	}
	elems := within(u.Path)
	for i, elem := range elems {
		word := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(elem))
		if s := testPackage(u, elems, i); s.Why != "" {
			return s
		}
		last := i == len(elems)-1
		switch s := servings[word]; {
		case s == nil, s.own && !last:
		case s.program && (u.Name != "main" || last && !itself[word] || i > 0 && elems[i-1] == "cmd"):
		case s == ofKernel:
			return Service{Why: "it is a kernel file", Rule: s.rule}
		default:
			return Service{Why: pathSays(elem), Rule: s.rule, Sure: s == forTests && tests(u)}
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
		return Service{Why: pathSays(elems[i]), Rule: forTests.rule, Sure: true}
	case !ends || tested == "" || i < len(elems)-1:
		return Service{}
	case i > 0 && elems[i-1] == tested, slices.Contains(u.Imports, path.Join(path.Dir(u.Path), tested)):
		return Service{Why: pathSays(elems[i]), Rule: forTests.rule}
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
var forges = lexicon.SetOf("github.com gitlab.com bitbucket.org codeberg.org gitea.com git.sr.ht golang.org")
