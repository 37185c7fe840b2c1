//go:build unix

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/analyzer"
)

// notRun are the commands of the documentation that no test can run as they stand, and why.
var notRun = map[string]string{
	"git clone https://github.com/lockvet/lockvet":               "needs the network",
	"git clone https://github.com/lockvet/lockvet && cd lockvet": "needs the network",
	"go -C lockvet install ./cmd/lockvet":                        "needs the clone, and installs into the user's directory",
	"go get github.com/lockvet/lockvet/safeio":                   "needs the network; testdata/script/require.txtar has a proxy with it",
	"gh pr create --body-file pr.md":                             "needs an account",
	"git push origin safeio/v0.2.0 v0.2.0":                       "needs an account",
	"golangci-lint custom -v":                                    "builds golangci-lint; tools/golangci runs it",
	"./custom-gcl run":                                           "tools/golangci runs it",
	"./custom-gcl run --fix":                                     "tools/golangci runs it",
	"go -C tools/golangci test -count=1 .":                       "builds golangci-lint",
	"go test -timeout 60m ./... ./safeio/... ./tools/...":        "runs this test",
	".ci/run":                     "runs this test",
	"go run ./tools/snapshot":     "downloads programs",
	"go run ./tools/truth":        "runs the tests of public programs for hours",
	"go run ./tools/bench":        "measures for minutes",
	"go run ./tools/bench/robust": "takes hours",
	"go test ./cmd/lockvet -run TestKilled -args -kills 200": "takes minutes",
	"go run ./tools/release":                                 "has a test of its own",
	"go run ./tools/release -notes v0.2.0 > ../notes.md":     "has a test of its own",
	"goreleaser release --release-notes=../notes.md":         "needs an account; tools/goreleaser makes what it makes",
}

// TestDocs runs the commands that the documentation prints in blocks of the shell, those of
// a page one after another, on a copy of a seed that is a repository of git. Between
// the blocks it commits.
func TestDocs(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for name, text := range docPages(t) {
		blocks := shellBlocks(t, name, text)
		var run bool
		for _, line := range slices.Concat(blocks...) {
			seen[uncommented(line)] = true
			run = run || notRun[uncommented(line)] == ""
		}
		if !run {
			continue
		}
		t.Run(strings.NewReplacer("../", "", "/", "-").Replace(filepath.ToSlash(name)), func(t *testing.T) {
			t.Parallel()
			shell := docShell(t, configFence.FindStringSubmatch(text))
			for _, b := range blocks {
				for _, line := range b {
					if notRun[uncommented(line)] == "" {
						runDoc(t, shell, line)
					}
				}
				if out, code := shell("git add . && git commit -qm run --allow-empty"); code != 0 {
					t.Fatal(out)
				}
			}
		})
	}
	for line := range notRun {
		if !seen[line] {
			t.Errorf("no page has the command %s", line)
		}
	}
}

// configFence is the configuration that a page shows whole.
var configFence = regexp.MustCompile("(?ms)^```yaml\n(# yaml-language-server: .*?)^```$")

// docShell makes the directory for the blocks of a page, with the page's configuration if
// it has one, and returns what runs a command there.
func docShell(t *testing.T, config []string) func(line string) (string, int) {
	dir := copySeed(t, "writelock")
	if config != nil {
		if err := os.WriteFile(filepath.Join(dir, ".lockvet.yaml"), []byte(config[1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "testdata", "seeds", "trajindex"), os.DirFS("../../testdata/seeds/trajindex")); err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(buildLockvet(t), filepath.Join(bin, "lockvet")); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", cacheVariable+"="+filepath.Join(bin, "cache"), "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	shell := func(line string) (string, int) {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = dir, env
		out, _ := cmd.CombinedOutput() // the exit code says it
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := shell("git init -q && git add . && git commit -qm seed && git update-ref refs/remotes/origin/main HEAD"); code != 0 {
		t.Fatal(out)
	}
	return shell
}

// runDoc runs a command, which has to end with 0, or with 1 if it looks for findings.
func runDoc(t *testing.T, shell func(string) (string, int), line string) {
	// The program of the tests is the same, and built.
	line = strings.Replace(line, "go run ./cmd/lockvet ", "lockvet ", 1)
	out, code := shell(line)
	looks := strings.HasPrefix(line, "lockvet ") || strings.HasPrefix(line, "go vet -vettool=") && categories.MatchString(out)
	if code != 0 && !(code == 1 && looks) {
		t.Errorf("%s ends with %d:\n%s", line, code, out)
	}
}

// categories are those of findings, as go vet shows them.
var categories = regexp.MustCompile(`(?m)\.go:\d+:\d+: \w+/\w+: `)

// docPages are the pages by their names.
func docPages(t *testing.T) map[string]string {
	pages := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/checks/*.md", "safeio/*.md"} {
		names, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			pages[name] = string(text)
		}
	}
	return pages
}

var (
	shellFence = regexp.MustCompile("(?ms)^```(sh|bash|console)\n(.*?)^```$")
	// Commands that are no block of the shell would be seen by no test.
	bareCommand = regexp.MustCompile(`(?m)^(    |\t)(\$ )?(lockvet|go (vet|run|test|install|get|fix)|golangci-lint|git|gh|\./custom-gcl|\.ci/run) .*$`)
)

// shellBlocks are the lines of the commands of each block of the shell.
func shellBlocks(t *testing.T, name, text string) (blocks [][]string) {
	for _, line := range bareCommand.FindAllString(text, -1) {
		t.Errorf("%s: %s stands in no block that is marked sh", name, strings.TrimSpace(line))
	}
	for _, m := range shellFence.FindAllStringSubmatch(text, -1) {
		var lines []string
		for line := range strings.Lines(strings.ReplaceAll(m[2], "\\\n", " ")) {
			line = strings.TrimSpace(line)
			if m[1] == "console" {
				var command bool
				if line, command = strings.CutPrefix(line, "$ "); !command {
					continue
				}
			}
			if uncommented(line) != "" {
				lines = append(lines, line)
			}
		}
		blocks = append(blocks, lines)
	}
	return blocks
}

// uncommented is a command without the comment behind it.
func uncommented(line string) string {
	if strings.HasPrefix(line, "#") {
		return ""
	}
	before, _, _ := strings.Cut(line, " #")
	return strings.TrimSpace(before)
}

// TestDocFlags: the commands that stand within a sentence, a table or a file for another
// tool name subcommands, flags, checks and formats that there are, and the table of flags
// names all of them.
func TestDocFlags(t *testing.T) {
	var o options
	fs := command{analyzer: analyzer.NewWithHelper}.flagSet(&o)
	exists := func(where, token string) {
		name, _, _ := strings.Cut(strings.TrimLeft(token, "-"), "=")
		if fs.Lookup(name) == nil {
			t.Errorf("%s: there is no flag -%s", where, name)
		}
	}
	row := regexp.MustCompile("(?m)^\\| ((`-[^`]+`(, )?)+) \\|")
	for name, text := range docPages(t) {
		for _, words := range docCommands(text) {
			if err := wrongCommand(words); err != nil {
				t.Errorf("%s: %s: %v", name, strings.Join(words, " "), err)
			}
		}
		for _, id := range regexp.MustCompile(`(?m)^ *- id: (\S+)`).FindAllStringSubmatch(text, -1) {
			if hooks, err := os.ReadFile("../../.pre-commit-hooks.yaml"); err != nil || !strings.Contains(string(hooks), "- id: "+id[1]+"\n") {
				t.Errorf("%s: there is no hook %s: %v", name, id[1], err)
			}
		}
	}
	usage := docPages(t)[filepath.Join("..", "..", "docs", "usage.md")]
	said := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(usage, -1) {
		for _, f := range regexp.MustCompile("`-([a-zA-Z-]+)").FindAllStringSubmatch(m[1], -1) {
			exists("docs/usage.md", f[1])
			said[f[1]] = true
		}
	}
	fs.VisitAll(func(f *flag.Flag) {
		if !said[f.Name] && !strings.Contains(f.Name, ".") {
			t.Errorf("docs/usage.md does not name -%s", f.Name)
		}
	})
}

// docCommands are the commands of lockvet, and the flags that go vet hands to it, which a
// page has in a sentence, a table or a file for another tool, as words that begin behind
// the name of the command.
func docCommands(text string) (commands [][]string) {
	add := func(pattern, text, head string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			commands = append(commands, strings.Fields(head+m[1]))
		}
	}
	add("`lockvet ([^`\n]+)`", text, "")
	add("`(-lockvet\\.[^`\n]+)`", text, "")
	add("`go (?:vet|fix) -(?:vet|fix)tool=\\S+ ([^`\n]+)`", text, "")
	for _, fence := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		switch language, text := fence[1], fence[2]; language {
		case "yaml":
			add(`(?m)(?:^ *- |&& )lockvet (.*)$`, text, "")
			if strings.Contains(text, "uses: lockvet/lockvet@") {
				add(`(?m)^ *args: (.*)$`, text, "")
			}
		case "vim":
			add(`'lockvet ([^']*)'`, text, "")
		case "lua", "elisp", "toml", "json":
			add(`(?:"lockvet",? |\nargs = \[|commandArguments": \[)"([^"]+)"`, text, "")
			if strings.HasPrefix(text, `{"`) { // options for the server
				add(`"([a-z-]+)": `, text, "lsp -")
			}
		}
	}
	return commands
}

// placeholder begins what stands for a value in the documentation.
var placeholder = regexp.MustCompile(`^([A-Z]|…|list$)`)

// wrongCommand is what does not exist of what a command names.
func wrongCommand(words []string) error {
	var o options
	fs := command{analyzer: analyzer.NewWithHelper}.flagSet(&o)
	if w := words[0]; regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(w) {
		if !slices.ContainsFunc(subcommands(), func(s subcommand) bool { return s.name == w }) {
			return errors.New("there is no such subcommand")
		}
		if w == "explain" && len(words) > 1 && !placeholder.MatchString(strings.TrimPrefix(words[1], "rule:")) {
			if _, err := explanation(words[1]); err != nil {
				return err
			}
		}
		if w == "completion" && len(words) > 1 && !slices.Contains(shellNames, words[1]) {
			return fmt.Errorf("there is no shell %s", words[1])
		}
	}
	for i, w := range words {
		if !strings.HasPrefix(w, "-") {
			continue
		}
		name, value, attached := strings.Cut(strings.TrimLeft(w, "-"), "=")
		if name == "lockvet.NAME" {
			continue
		}
		f := fs.Lookup(name)
		if f == nil {
			return fmt.Errorf("there is no flag %s", w)
		}
		if !attached && !isSwitch(f) && i+1 < len(words) {
			value, attached = words[i+1], true
		}
		if attached && !placeholder.MatchString(value) {
			if err := f.Value.Set(value); err != nil {
				return fmt.Errorf("%s: %w", w, err)
			}
		}
	}
	return nil
}

// TestWrongCommand: a slip in a page does not pass.
func TestWrongCommand(t *testing.T) {
	for _, page := range []string{
		"| `lockvet explain tornwritex` | the documentation |",
		"as in `-lockvet.disabel=latelock`",
		"as in `-lockvet.disable=latelok`",
		"with `lockvet -format gitlb=x ./...`",
		"`lockvet mann`",
		"`go vet -vettool=$(which lockvet) -lockvet.disabel=latelock ./...`",
		"```yaml\nscript:\n  - lockvet -format gitlb=x ./...\n```\n",
		"```yaml\n- uses: lockvet/lockvet@main\n  with:\n    args: -sinse origin/main\n```\n",
		"```toml\n[language-server.lockvet]\ncommand = \"lockvet\"\nargs = [\"lspx\"]\n```\n",
		"```lua\ncmd = { \"lockvet\", \"lspx\" }\n```\n",
		"```json\n{\"disabel\": [\"latelock\"]}\n```\n",
		"```vim\nlet &makeprg = 'lockvet -format shrt ./...'\n```\n",
	} {
		if !slices.ContainsFunc(docCommands(page), func(words []string) bool { return wrongCommand(words) != nil }) {
			t.Errorf("this passes: %s", page)
		}
	}
}

// TestDocPrograms: what a sentence runs of this repository are programs, and stand where
// it runs them. They are not built: their modules need not be on the machine.
func TestDocPrograms(t *testing.T) {
	t.Parallel()
	for name, text := range docPages(t) {
		for _, m := range regexp.MustCompile("`((?:[A-Z]+=\\S+ )*)go run ((?:-C \\S+ )?)(\\.[^\\s`]*)[^`]*`").FindAllStringSubmatch(text, -1) {
			cmd := exec.Command("sh", "-c", m[1]+"go list "+m[2]+"-find -f '{{.Name}}' "+m[3])
			cmd.Dir = filepath.Join("..", "..")
			if out, err := cmd.Output(); err != nil || string(out) != "main\n" {
				t.Errorf("%s: %s: %v\n%s", name, m[0], err, out)
			}
		}
	}
}
