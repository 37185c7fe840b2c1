// Command platforms type-checks packages and their tests as the systems read them on
// which this machine cannot run them: all of safeio for those that it promises, and the
// command for those that it is released for.
//
//	go run ./tools/platforms
//
// What is imported is read from source, too. The go command would compile the standard
// library for each of the systems, which takes many times as long.
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

// targets are what is checked for which systems.
var targets = []struct {
	systems  []string
	patterns []string
}{
	{[]string{"netbsd", "openbsd", "dragonfly", "solaris", "aix"}, []string{"./safeio"}},
	{[]string{"darwin", "freebsd", "windows"}, []string{"./safeio", "./cmd/lockvet/..."}},
}

func main() {
	failed := false
	for _, t := range targets {
		for _, system := range t.systems {
			n, err := check(system, t.patterns)
			if err == nil && n == 0 {
				err = fmt.Errorf("%v name no packages", t.patterns)
			}
			if err != nil {
				fmt.Fprintf(os.Stderr, "platforms: %s: %v\n", system, err)
				failed = true
				continue
			}
			fmt.Printf("%s: %d packages\n", system, n)
		}
	}
	if failed {
		os.Exit(1)
	}
}

// check type-checks packages for a system and returns how many there are. The error is
// the first one in a file of them.
func check(system string, patterns []string) (int, error) {
	arch := "amd64"
	if system == "aix" {
		arch = "ppc64" // there is no other
	}
	list, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0"),
		Tests: true,
	}, patterns...)
	if err != nil {
		return 0, err
	}
	for _, p := range list {
		if len(p.Errors) > 0 {
			return 0, p.Errors[0]
		}
	}
	return len(list), nil
}
