package main

import (
	"cmp"
	"os/exec"
	"runtime"
	"strings"
)

// tellSettings says what a run goes by: its configuration, the go command, and where results are kept.
func (s *session) tellSettings() {
	s.complain("configuration: %s", cmp.Or(s.config.Name, "none"))
	cmd := exec.Command("go", "env", "GOVERSION")
	cmd.Dir = s.dir
	out, err := cmd.Output()
	if err != nil {
		out = []byte(err.Error())
	}
	s.complain("Go: %s; lockvet is built with %s", strings.TrimSpace(string(out)), runtime.Version())
	cache, err := cacheFolder("")
	switch named, _ := namedCache(); {
	case err != nil || named == "off":
		cache = "none"
	case s.fixes() || s.all:
		cache = "none: all is analysed with -fix, -diff or -all"
	}
	s.complain("cache: %s", cache)
}

// tellTook says what took how long.
func (s *session) tellTook() {
	took := s.progress.took()
	s.progress.clear()
	for _, line := range took {
		s.complain("%s", line)
	}
}
