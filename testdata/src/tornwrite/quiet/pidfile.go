package quiet

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func writePid(dir string) error {
	return os.WriteFile(filepath.Join(dir, "agent.pid"), []byte(strconv.Itoa(os.Getpid())), 0o644) // ok: a pid file
}

func readPid(dir string) (int, error) {
	b, err := os.ReadFile(filepath.Join(dir, "agent.pid"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}

func writePort(dir string, n int) error {
	return os.WriteFile(filepath.Join(dir, "agent.port"), []byte(strconv.Itoa(n)), 0o644) // want `writePort truncates dir/agent\.port`
}

func readPort(dir string) (int, error) {
	b, err := os.ReadFile(filepath.Join(dir, "agent.port"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}
