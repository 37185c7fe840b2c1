package before

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

// A ledger keeps what was spent, in memory and in a file.
type ledger struct {
	path  string
	mu    sync.Mutex
	sums  map[string]int
	count int
	last  string
}

func openLedger(dir string) (*ledger, error) {
	l := &ledger{path: filepath.Join(dir, "ledger.json")}
	l.sums = map[string]int{}
	data, err := os.ReadFile(l.path)
	if err != nil {
		return nil, err
	}
	return l, json.Unmarshal(data, &l.sums)
}

// add changes a field that every other method changes under the lock.
func (l *ledger) add(name string, sum int) error {
	// One more.
	l.count++ // want `\(\*ledger\).add changes l.count before it takes l.mu`

	l.mu.Lock()
	defer l.mu.Unlock()

	l.sums[name] += sum
	return l.save()
}

// drop changes two fields, with a look at another one in between.
func (l *ledger) drop(name string) error {
	key := filepath.Clean(name)
	delete(l.sums, key) // want `\(\*ledger\).drop changes l.sums before it takes l.mu`
	l.last = key        // want `\(\*ledger\).drop changes l.last before it takes l.mu`
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.save()
}

// clear makes the map in a branch.
func (l *ledger) clear() error {
	if len(l.sums) > 0 {
		l.sums = map[string]int{} // want `\(\*ledger\).clear changes l.sums before it takes l.mu`
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count, l.last = 0, ""
	return l.save()
}

// rename returns before the lock if it has nothing to do: the change cannot
// move.
func (l *ledger) rename(from, to string) error {
	l.last = to // want `\(\*ledger\).rename changes l.last before it takes l.mu.*no fix: the function can leave`
	if from == to {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sums[to] = l.sums[from]
	return l.save()
}

// merge leaves the change to a helper.
func (l *ledger) merge(names []string) error {
	l.note(names) // want `\(\*ledger\).merge changes l.count, in \(\*ledger\).note, before it takes l.mu`
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.save()
}

func (l *ledger) note(names []string) { l.count += len(names) }

// total holds the lock for all it does.
func (l *ledger) total() (int, string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count, l.last
}

// sum reads under the lock, which a helper takes.
func (l *ledger) sum(name string) int {
	defer l.locked()()
	return l.sums[name] + l.count + len(l.last)
}

// locked takes the lock and returns what lets go of it.
func (l *ledger) locked() func() {
	l.mu.Lock()
	return l.mu.Unlock
}

// save is called under the lock.
func (l *ledger) save() error {
	data, err := json.Marshal(l.sums)
	if err != nil {
		return err
	}
	return safeio.WriteFile(l.path, data, 0o600)
}
