package e2e

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"
)

// repo is the root of the repository, pageDir the package that writes the pages.
var (
	repo    = filepath.Join("..", "..")
	pageDir = filepath.Join(repo, "cmd", "lockvet", "internal", "page")
)

// made is a directory for what several tests use; TestMain makes and removes it.
var made string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "lockvet-e2e")
	if err != nil {
		log.Fatal(err)
	}
	made = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// pages has the package that makes them write the pages of its own tests.
var pages = sync.OnceValue(func() error {
	cmd := exec.Command("go", "test", "-count=1", "-run", "^TestWritePages$", ".", "-args", "-pages", made)
	cmd.Dir = pageDir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return nil
})

// page is one of the pages.
func page(t *testing.T, name string) string {
	t.Helper()
	if err := pages(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(made, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// parse reads a page as a browser does that runs no scripts.
func parse(t *testing.T, page string) *html.Node {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// elements are those of a name, and of a class where one is given.
func elements(root *html.Node, name, class string) []*html.Node {
	var all []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (name == "" || n.Data == name) &&
			(class == "" || slices.Contains(strings.Fields(attribute(n, "class")), class)) {
			all = append(all, n)
		}
	}
	return all
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func TestFindings(t *testing.T) {
	root := parse(t, page(t, "sample.html"))
	found := elements(root, "details", "finding")
	var states []string
	for _, f := range found {
		states = append(states, attribute(f, "data-id")+" "+attribute(f, "data-fix"))
	}
	want := []string{"aa:1 fixable", "cc:1 nofix", "bb:1 nofix", "fixed-dd:1 fixed"}
	if !slices.Equal(states, want) {
		t.Fatalf("the findings are %q, want %q", states, want)
	}
	if rows := elements(elements(root, "table", "summary")[0], "tr", ""); len(rows) != 5 ||
		strings.TrimSpace(textOf(rows[4])) != "All11111" {
		t.Errorf("the summary has %d rows and ends with %q", len(rows), textOf(rows[len(rows)-1]))
	}

	save := found[0]
	if marked := elements(save, "span", "hit"); len(marked) != 1 || attribute(marked[0], "data-s") != "1" ||
		textOf(elements(marked[0], "span", "m")[0]) != "os.WriteFile(path, data, 0o644)" {
		t.Errorf("the finding is not marked in its source")
	}
	if folds := elements(save, "details", "fold"); len(folds) != 2 || !strings.Contains(textOf(folds[0]), "other.go:4: step 2") {
		t.Errorf("the other step has no source")
	}
	if proofs := elements(save, "span", "proof"); len(proofs) != 1 {
		t.Errorf("there are %d lines of evidence, want one for both reasons", len(proofs))
	}
	if source := elements(found[1], "pre", ""); len(source) != 0 {
		t.Error("a file that cannot be read is shown")
	}
	if !strings.Contains(textOf(found[1]), "the lock is taken elsewhere.") {
		t.Error("the page does not say why there is no fix")
	}
}

// TestLinks follows every link of the page: it leads to one place of the page.
func TestLinks(t *testing.T) {
	root := parse(t, page(t, "sample.html"))
	ids := make(map[string]int)
	for _, n := range elements(root, "", "") {
		if id := attribute(n, "id"); id != "" {
			ids[id]++
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements have the id %q", n, id)
		}
	}
	for _, a := range elements(root, "a", "") {
		target, local := strings.CutPrefix(attribute(a, "href"), "#")
		target, err := url.PathUnescape(target)
		if err != nil {
			t.Error(err)
		}
		if filter := strings.HasPrefix(target, "check="); !local || !filter && ids[target] != 1 {
			t.Errorf("%q leads nowhere", attribute(a, "href"))
		}
	}
	for _, n := range elements(root, "", "") {
		for _, key := range []string{"aria-labelledby", "for"} {
			if id := attribute(n, key); id != "" && ids[id] != 1 {
				t.Errorf("%s=%q names nothing", key, id)
			}
		}
		if src := attribute(n, "src"); src != "" {
			t.Errorf("%s loads %q", n.Data, src)
		}
	}
}

// TestEscaping looks for elements that a text of the user has made.
func TestEscaping(t *testing.T) {
	page := page(t, "sample.html")
	root := parse(t, page)
	script, err := os.ReadFile(filepath.Join(pageDir, "script.js"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(elements(root, "img", "")); n != 0 {
		t.Errorf("%d images came from a source", n)
	}
	scripts := elements(root, "script", "")
	if len(scripts) != 1 || len(elements(root, "style", "")) != 1 {
		t.Fatalf("the page has %d scripts", len(scripts))
	}
	if got := textOf(scripts[0]); got != string(script) {
		t.Error("the script was changed")
	}
	sum := sha256.Sum256([]byte(textOf(scripts[0])))
	if !strings.Contains(html.UnescapeString(page), "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
		t.Error("the policy does not allow the script")
	}
	if strings.Contains(page, "ZgotmplZ") {
		t.Error("the template refused a value")
	}
	for _, n := range elements(root, "", "") {
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") {
				t.Errorf("%s has the handler %s", n.Data, a.Key)
			}
		}
	}
	shown := textOf(elements(root, "span", "hit")[1])
	if want := "var s = `</script></style></pre><img src=x onerror=alert(1)>'\"&amp;{{.}}\ufffd⟨U+202E⟩⟨U+2028⟩␀␛`\n"; shown != want {
		t.Errorf("the source is shown as %q, want %q", shown, want)
	}
}

// TestNothing is the page of a clean run.
func TestNothing(t *testing.T) {
	root := parse(t, page(t, "nothing.html"))
	if text := textOf(root); !strings.Contains(text, "Nothing was found.") || len(elements(root, "form", "filters")) != 0 {
		t.Errorf("the page says %q", text)
	}
}

// TestGaveUp is the page of a run that is not complete.
func TestGaveUp(t *testing.T) {
	root := parse(t, page(t, "gaveup.html"))
	list := elements(elements(root, "header", "")[0], "details", "gaveup")
	if len(list) != 1 {
		t.Fatalf("%d lists of what was given up, want one", len(list))
	}
	lines := elements(list[0], "p", "")
	if len(lines) != 1 || !strings.HasPrefix(textOf(lines[0]), "package example.com/m: findings may be missing: ") ||
		len(elements(root, "img", "")) > 0 {
		t.Errorf("the lines are %q", textOf(list[0]))
	}
	if sum, want := textOf(elements(list[0], "summary", "")[0]), "The analysis gave up on 12 questions in 1 package; "+
		"findings there may be missing."; sum != want {
		t.Errorf("the page says %q, want %q", sum, want)
	}
}

// TestElements: to a browser that runs scripts, what is in a finding is a text until it is
// opened, so that a page of many is loaded soon.
func TestElements(t *testing.T) {
	root, err := html.Parse(strings.NewReader(page(t, "many.html")))
	if err != nil {
		t.Fatal(err)
	}
	found := elements(root, "details", "finding")
	if len(found) != 2000 {
		t.Fatalf("%d findings", len(found))
	}
	for _, f := range found {
		if n := len(elements(f, "", "")); n > 20 {
			t.Fatalf("the finding %s has %d elements", attribute(f, "data-id"), n)
		}
	}
}
