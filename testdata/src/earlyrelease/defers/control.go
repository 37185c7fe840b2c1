package defers

import (
	"os"
	"path/filepath"
	"sync"
)

// A unit has its processes ended by a control file of the kernel, which has no content to lose.
type unit struct {
	mu        sync.Mutex
	cgroupDir string
	ended     bool
}

func (u *unit) kill() {
	os.WriteFile(filepath.Join(u.cgroupDir, "cgroup.kill"), []byte("1"), 0)
}

// End kills under the mutex.
func (u *unit) End() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = true
	u.kill()
}

// Drop kills when it has released it.
func (u *unit) Drop() {
	defer u.kill() // ok: it is a kernel file
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = true
}
