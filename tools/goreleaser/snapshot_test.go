package snapshot

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// shared is where the hooks put what packages have beside the program.
const shared = "dist-docs"

// project reads the configuration, in which every key has to be one of goreleaser's, from
// the root of the repository.
func project(t *testing.T) config.Project {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
	p, err := config.Load(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if p.Version != 2 || len(p.Builds) != 1 || len(p.Archives) != 1 || len(p.NFPMs) != 1 {
		t.Fatalf("version %d, %d builds, %d archives, %d kinds of packages", p.Version, len(p.Builds), len(p.Archives), len(p.NFPMs))
	}
	if p.Changelog.Disable != "" {
		t.Error("with changelog.disable, a release has no notes, not even those of --release-notes")
	}
	return p
}

// TestCheck has goreleaser look at its configuration, where it is installed.
func TestCheck(t *testing.T) {
	project(t)
	goreleaser, err := exec.LookPath("goreleaser")
	if err != nil {
		t.Skip("goreleaser is not installed")
	}
	if out, err := exec.Command(goreleaser, "check").CombinedOutput(); err != nil {
		t.Errorf("goreleaser check: %v\n%s", err, out)
	}
}

// TestSnapshot builds the program as a release does, and packages of it.
func TestSnapshot(t *testing.T) {
	p := project(t)
	if _, err := os.Stat(shared); os.IsNotExist(err) {
		t.Cleanup(func() { os.RemoveAll(shared) })
	}
	for _, hook := range p.Before.Hooks {
		run(t, nil, strings.Fields(hook)...)
	}
	program := build(t, p.Builds[0])
	archive(t, p)
	for _, format := range p.NFPMs[0].Formats {
		pack(t, p.NFPMs[0], program, format)
	}
	for _, d := range p.DockersV2 {
		if text, err := os.ReadFile(d.Dockerfile); err != nil || !bytes.Contains(text, []byte("COPY $TARGETPLATFORM/"+p.ProjectName+" ")) {
			t.Errorf("%s does not copy the program: %v", d.Dockerfile, err)
		}
	}
}

// run runs a command in the root of the repository, and returns what it writes.
func run(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// build builds the program for this system, with the flags of the configuration.
func build(t *testing.T, b config.Build) (program string) {
	t.Helper()
	if !slices.Contains(b.Goos, runtime.GOOS) || !slices.Contains(b.Goarch, runtime.GOARCH) {
		t.Skipf("there is no release for %s on %s", runtime.GOOS, runtime.GOARCH)
	}
	program = filepath.Join(t.TempDir(), "lockvet")
	args := append([]string{"go", "build"}, b.Flags...)
	run(t, b.Env, append(args, "-ldflags="+strings.Join(b.Ldflags, " "), "-o", program, b.Main)...)
	if out := run(t, nil, program, "-version"); !strings.HasPrefix(out, "lockvet ") {
		t.Errorf("its version is %q", out)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	git, err := os.Stat(".git")
	stamped := settings["vcs.revision"] != "" || err != nil || !git.IsDir() // of a work tree, the go command knows nothing
	if settings["CGO_ENABLED"] != "0" || settings["-trimpath"] != "true" || !stamped {
		t.Errorf("it was built with %v", settings)
	}
	return program
}

// archive looks for the files of the archives, and for those of them that the cask names.
func archive(t *testing.T, p config.Project) {
	t.Helper()
	has := map[string]bool{}
	for _, f := range p.Archives[0].Files {
		names, err := filepath.Glob(f.Source)
		if err != nil || len(names) == 0 {
			t.Errorf("the archives have no %s: %v", f.Source, err)
		}
		for _, name := range names {
			if f.StripParent {
				name = path.Join(f.Destination, filepath.Base(name))
			}
			has[name] = true
		}
	}
	for _, c := range p.Casks {
		for _, name := range append(c.Manpages, c.Completions.Bash, c.Completions.Zsh, c.Completions.Fish) {
			if !has[name] {
				t.Errorf("the cask has %q, and the archives have not", name)
			}
		}
	}
}

// pack makes a package of a format, and looks into it where a program of this system can.
func pack(t *testing.T, c config.NFPM, program, format string) {
	t.Helper()
	info := &nfpm.Info{
		Name: c.PackageName, Arch: runtime.GOARCH, Platform: runtime.GOOS, Version: "0.0.1", Section: c.Section,
		Maintainer: c.Maintainer, Description: c.Description, Vendor: c.Vendor, Homepage: c.Homepage, License: c.License,
		Overridables: nfpm.Overridables{Depends: c.Dependencies, Recommends: c.Recommends},
	}
	want := []string{"/usr/bin/lockvet"}
	info.Contents = files.Contents{{Source: program, Destination: want[0], FileInfo: &files.ContentFileInfo{Mode: 0o755}}}
	for _, f := range c.Contents {
		info.Contents = append(info.Contents, &files.Content{Source: f.Source, Destination: f.Destination, Type: f.Type})
		want = append(want, f.Destination)
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := nfpm.Validate(nfpm.WithDefaults(info)); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	if err := packager.Package(info, &out); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	reader := map[string][]string{"deb": {"dpkg-deb", "--contents"}, "rpm": {"rpm", "-qlp"}, "apk": {"tar", "-tzf"}}[format]
	if _, err := exec.LookPath(reader[0]); err != nil {
		return
	}
	name := filepath.Join(t.TempDir(), packager.ConventionalFileName(info))
	if err := os.WriteFile(name, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	list := run(t, nil, append(reader, name)...)
	for _, f := range want {
		if !strings.Contains(list, strings.TrimPrefix(f, "/")) {
			t.Errorf("%s: there is no %s in\n%s", format, f, list)
		}
	}
}
