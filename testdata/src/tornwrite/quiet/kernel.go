package quiet

import (
	"os"
	"strconv"
	"strings"
)

func saveScore(n int) error {
	return os.WriteFile("/proc/self/oom_score_adj", []byte(strconv.Itoa(n)), 0o644) // ok: the kernel takes it whole
}

func loadScore() (int, error) {
	b, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}

func saveLimit(group string, n int) error {
	return os.WriteFile("/sys/fs/cgroup/"+group+"/memory.max", []byte(strconv.Itoa(n)), 0o644) // ok: the kernel takes it whole
}

func loadLimit(group string) (int, error) {
	b, err := os.ReadFile("/sys/fs/cgroup/" + group + "/memory.max")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}

func saveMark(n int) error {
	return os.WriteFile("/var/lib/agentd/marker", []byte(strconv.Itoa(n)), 0o644) // want `saveMark truncates /var/lib/agentd/marker`
}

func loadMark() (int, error) {
	b, err := os.ReadFile("/var/lib/agentd/marker")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}
