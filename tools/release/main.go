// Command release checks that the modules of this repository can be had as they
// would be released: lockvet, and safeio, which lockvet's module does not require.
// It zips each into a directory that serves as a module proxy, and lets an empty
// module get it from there.
//
//	go run ./tools/release
//	go run ./tools/release -notes v0.1.0   # only prints the section of the changelog for a tag
//
// safeio is built and run with the oldest Go that its go.mod promises, and with no
// other source: it must bring one line of go.mod and no other module. lockvet is
// installed with this Go; what it requires comes out of the module cache, which
// "go mod download" fills.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const (
	lockvet = "github.com/lockvet/lockvet"
	safeio  = lockvet + "/safeio"

	version = "v0.0.1"    // of both, in the proxy
	oldest  = "go1.23.12" // the last release of what safeio's go.mod says
)

func main() {
	tag := flag.String("notes", "", "print the section of CHANGELOG.md for a `tag`")
	flag.Parse()
	if err := run(*tag); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(tag string) error {
	if tag != "" {
		text, err := notes("CHANGELOG.md", tag)
		fmt.Print(text)
		return err
	}
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	c := check{dir: dir, proxy: "file://" + filepath.ToSlash(filepath.Join(dir, "proxy"))}
	err = c.all()
	// What the go command puts into a module cache cannot be written.
	c.command("", "go", "clean", "-modcache")
	return errors.Join(err, os.RemoveAll(dir))
}

// A check is where the modules are tried.
type check struct{ dir, proxy string }

func (c check) all() error {
	for path, root := range map[string]string{lockvet: ".", safeio: "safeio"} {
		if err := c.publish(path, root); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := c.tryPackage(); err != nil {
		return fmt.Errorf("%s: %w", safeio, err)
	}
	if err := c.tryCommand(); err != nil {
		return fmt.Errorf("%s: %w", lockvet, err)
	}
	return nil
}

// publish puts the module in the directory root into the proxy.
func (c check) publish(path, root string) error {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	if err := wellFormed(path, mod); err != nil {
		return err
	}
	if err := needed(root, mod); err != nil {
		return err
	}
	dir := filepath.Join(c.dir, "proxy", filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": version, "Time": time.Now().UTC()})
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": info, version + ".mod": mod} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return err
		}
	}
	out, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		return err
	}
	return errors.Join(zip.CreateFromDir(out, module.Version{Path: path, Version: version}, root), out.Close())
}

// wellFormed fails if the go.mod of a module keeps "go install …@version" from
// working, or if it requires the other module, whose tag would have to come first.
func wellFormed(path string, mod []byte) error {
	f, err := modfile.Parse("go.mod", mod, nil)
	if err != nil {
		return err
	}
	if f.Module.Mod.Path != path || len(f.Replace)+len(f.Exclude) > 0 {
		return fmt.Errorf("go.mod is of %s, with %d replacements and %d exclusions", f.Module.Mod.Path, len(f.Replace), len(f.Exclude))
	}
	for _, r := range f.Require {
		if path == safeio || strings.HasPrefix(r.Mod.Path, lockvet) {
			return fmt.Errorf("go.mod requires %s", r.Mod)
		}
	}
	return nil
}

// needed fails if the module in the directory root requires one that only its tests use:
// whoever gets the module would get that, too.
func needed(root string, mod []byte) error {
	f, err := modfile.Parse("go.mod", mod, nil)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./...")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%v: %w", cmd.Args, err)
	}
	used := strings.Fields(string(out))
	for _, r := range f.Require {
		if !slices.Contains(used, r.Mod.Path) {
			return fmt.Errorf("go.mod requires %s, which nothing but tests uses", r.Mod)
		}
	}
	return nil
}

// program is what an empty module does with safeio.
const program = `package main

import (
	"fmt"

	"github.com/lockvet/lockvet/safeio"
)

func main() {
	err := safeio.WriteFile("state", []byte("1"), 0o600)
	if err == nil {
		err = safeio.Update("state", 0o600, func(old []byte) ([]byte, error) { return append(old, '2'), nil })
	}
	fmt.Print(err)
}
`

// tryPackage lets an empty module of the oldest Go use safeio.
func (c check) tryPackage() error {
	root, err := c.command("", "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	gocmd := filepath.Join(strings.TrimSpace(root), "bin", "go")
	dir := filepath.Join(c.dir, "user")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o666); err != nil {
		return err
	}
	for _, args := range [][]string{{"mod", "init", "example.com/user"}, {"get", safeio + "@" + version}} {
		if _, err := c.command(dir, gocmd, args...); err != nil {
			return err
		}
	}
	all, err := c.command(dir, gocmd, "list", "-m", "all")
	if err != nil {
		return err
	}
	if want := "example.com/user\n" + safeio + " " + version + "\n"; all != want {
		return fmt.Errorf("the modules are %q, want %q", all, want)
	}
	if out, err := c.command(dir, gocmd, "run", "."); err != nil || out != "<nil>" {
		return fmt.Errorf("the program says %q, %w", out, err)
	}
	if state, err := os.ReadFile(filepath.Join(dir, "state")); err != nil || string(state) != "12" {
		return fmt.Errorf("the program leaves %q, %w", state, err)
	}
	return nil
}

// tryCommand installs lockvet.
func (c check) tryCommand() error {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return err
	}
	c.proxy += ",file://" + filepath.ToSlash(strings.TrimSpace(string(cache))) + "/cache/download"
	if _, err := c.command(c.dir, "go", "install", "-trimpath", lockvet+"/cmd/lockvet@"+version); err != nil {
		return err
	}
	out, err := c.command(c.dir, filepath.Join(c.dir, "bin", "lockvet"), "-version")
	if err == nil && !strings.Contains(out, version) {
		err = fmt.Errorf("its version is %q", out)
	}
	return err
}

// command runs a program that can get modules from nowhere but the proxy, and
// returns its output. Where no directory is given, the go command is the oldest.
func (c check) command(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN=local")
	if dir == "" && args[0] == "env" {
		cmd.Env = append(cmd.Env, "GOTOOLCHAIN="+oldest)
	} else {
		cmd.Env = append(cmd.Env, "GOPROXY="+c.proxy, "GOSUMDB=off", "CGO_ENABLED=0", // as the binaries of a release
			"GOMODCACHE="+filepath.Join(c.dir, "cache"), "GOBIN="+filepath.Join(c.dir, "bin"))
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return string(out), nil
}
