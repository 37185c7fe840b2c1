package safeio

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// someone is a holder that is not known.
const someone = "another process"

// findHolder names the holder of the lock file id.
func findHolder(id lockID) string {
	f, err := os.Open("/proc/locks")
	if err != nil {
		return someone
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if pid := flockOwner(lines.Text(), id); pid > 0 {
			return describe(pid)
		}
	}
	return someone
}

// flockOwner is the process that line says to have the lock file id, or 0. A
// line is "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF"; with "->"
// before FLOCK, the process only waits.
func flockOwner(line string, id lockID) int {
	field := strings.Fields(line)
	if len(field) < 6 || field[1] != "FLOCK" {
		return 0
	}
	major := id.dev>>8&0xfff | id.dev>>32&^uint64(0xfff)
	minor := id.dev&0xff | id.dev>>12&^uint64(0xff)&0xffffffff
	if field[5] != fmt.Sprintf("%02x:%02x:%d", major, minor, id.ino) {
		return 0
	}
	pid, _ := strconv.Atoi(field[4])
	return pid
}

func describe(pid int) string {
	if pid == os.Getpid() {
		return "this process"
	}
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return fmt.Sprintf("process %d", pid)
	}
	return fmt.Sprintf("process %d (%s)", pid, strings.TrimSpace(string(name)))
}
