package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestNoServer: the command needs no package of the network. A library that publishes
// counters or fetches a schema brings them along, and they would be a fifth of the time
// that the first "go run" takes to build, and have the users of a program that opens no
// connection look after each vulnerability of HTTP and TLS.
func TestNoServer(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "go/types") {
		t.Fatalf("these are not the dependencies: %q", deps)
	}
	for _, path := range []string{"net", "net/http", "crypto/tls", "crypto/x509", "expvar"} {
		if slices.Contains(deps, path) {
			t.Errorf("the command needs %s: go list -deps -f '{{.ImportPath}} {{.Imports}}' ./cmd/lockvet says for what", path)
		}
	}
}
