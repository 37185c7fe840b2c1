package decode

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// An index lists what a store has.
type index struct {
	Version int               `json:"version"`
	Entries map[string]string `json:"entries"`
}

type store struct {
	indexPath string
}

// loadIndex reports an index that cannot be decoded and begins it again.
func (s *store) loadIndex() (*index, error) {
	data, err := os.ReadFile(s.indexPath)
	if errors.Is(err, fs.ErrNotExist) {
		return &index{Version: 1, Entries: map[string]string{}}, nil
	}
	if err != nil {
		return nil, err
	}
	idx := &index{}
	if err := json.Unmarshal(data, idx); err != nil {
		log.Printf("index %s is broken, beginning again: %v", s.indexPath, err)
		return &index{Version: 1, Entries: map[string]string{}}, nil // want `\(\*store\).loadIndex takes a file that cannot be decoded for an empty one, and \(\*store\).add saves that over s.indexPath: one bad edit erases all that it held`
	}
	return idx, nil
}

func (s *store) saveIndex(idx *index) error {
	data, err := json.MarshalIndent(idx, "", "  ")
	if err != nil {
		return fmt.Errorf("encode index: %w", err)
	}
	return replace(s.indexPath, data)
}

func (s *store) add(id, path string) error {
	unlock, err := lock(s.indexPath)
	if err != nil {
		return err
	}
	defer unlock()
	idx, err := s.loadIndex()
	if err != nil {
		return err
	}
	idx.Entries[id] = path
	return s.saveIndex(idx)
}

// setValue changes one value of a file whose other values it does not know.
func setValue(dir, key string, value any) error {
	path := filepath.Join(dir, "config.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	existing := map[string]any{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &existing) // want `setValue takes a file that cannot be decoded for an empty one, and saves that over dir/config.json`
	}
	existing[key] = value
	out, err := json.Marshal(existing)
	if err != nil {
		return err
	}
	return replace(path, out)
}

// trigger ignores the error with no sign of it.
func trigger(root, id string, force bool) error {
	path := filepath.Join(root, "state", "triggers.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	triggers := map[string]bool{}
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if len(data) > 0 {
		json.Unmarshal(data, &triggers) // want `trigger takes a file`
	}
	triggers[id] = triggers[id] || force
	out, err := json.Marshal(triggers)
	if err != nil {
		return err
	}
	return replace(path, out)
}

// warned goes on behind a warning.
func warned(root, name string) error {
	path := filepath.Join(root, "sessions.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	var sessions []string
	if data, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(data, &sessions); err != nil { // want `warned takes a file`
			fmt.Fprintf(os.Stderr, "ignoring sessions: %v\n", err)
			sessions = nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out, err := json.Marshal(append(sessions, name))
	if err != nil {
		return err
	}
	return replace(path, out)
}

// A counts is what a daemon remembers of the beads that it has begun again.
type counts struct {
	Beads map[string]int `json:"beads"`
}

func countsFile(town string) string { return filepath.Join(town, "witness", "counts.json") }

// loadCounts has no way to say that something is wrong.
func loadCounts(town string) *counts {
	data, err := os.ReadFile(countsFile(town))
	if err != nil {
		return &counts{Beads: map[string]int{}}
	}
	var c counts
	if err := json.Unmarshal(data, &c); err != nil {
		return &counts{Beads: map[string]int{}} // want `loadCounts takes a file that cannot be decoded for an empty one, and record saves that`
	}
	return &c
}

func record(town, bead string) error {
	unlock, err := lock(countsFile(town))
	if err != nil {
		return err
	}
	defer unlock()
	c := loadCounts(town)
	c.Beads[bead]++
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return replace(countsFile(town), data)
}

// Settings are loaded by one function and saved by another; who calls both stands
// in other packages.
type Settings struct {
	Projects []string
}

func settingsPath() string {
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".agent", "settings.json")
}

func Load() Settings {
	var s Settings
	data, err := os.ReadFile(settingsPath())
	if err != nil {
		return s
	}
	if err := json.Unmarshal(data, &s); err != nil {
		log.Print(err)
		return Settings{} // want `Load takes a file that cannot be decoded for an empty one, and Save saves that over`
	}
	return s
}

func Save(s Settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(settingsPath(), data)
}

// A keeper has in memory what its file holds.
type keeper struct {
	mu    sync.Mutex
	path  string
	notes map[string]string
}

func (k *keeper) open() {
	data, err := os.ReadFile(k.path)
	if err != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	_ = json.Unmarshal(data, &k.notes) // want `\(\*keeper\).open takes a file that cannot be decoded for an empty one, and \(\*keeper\).note saves that over k.path`
}

// reopen saves nothing but what it has loaded.
func (k *keeper) reopen() error {
	unlock, err := lock(k.path)
	if err != nil {
		return err
	}
	defer unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	data, err := os.ReadFile(k.path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &k.notes); err != nil {
		return err
	}
	k.notes["opened"] = "again"
	if data, err = json.Marshal(k.notes); err != nil {
		return err
	}
	return replace(k.path, data)
}

func (k *keeper) note(id, text string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.notes[id] = text
	data, err := json.Marshal(k.notes)
	if err != nil {
		return err
	}
	return replace(k.path, data)
}

// parsed loses the error in a helper that has a value for it.
type registry struct{ Agents []string }

func parseRegistry(data []byte) (registry, error) {
	var r registry
	err := json.Unmarshal(data, &r)
	if err != nil {
		return registry{}, nil // want `parseRegistry takes a file`
	}
	return r, nil
}

func register(dir, agent string) error {
	path := filepath.Join(dir, "registry.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	r, err := parseRegistry(data)
	if err != nil {
		return err
	}
	r.Agents = append(r.Agents, agent)
	out, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return replace(path, out)
}

// relied is called by one that goes on with what it has on an error.
type tally struct{ N map[string]int }

func readTally(path string) (tally, error) {
	t := tally{N: map[string]int{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return tally{N: map[string]int{}}, nil // want `readTally takes a file`
	}
	return t, nil
}

func total(dir string) int {
	t, err := readTally(tallyFile(dir))
	if err != nil {
		log.Print(err)
	}
	return len(t.N)
}

func tallyFile(dir string) string { return filepath.Join(dir, "state", "tally.json") }

func bump(dir, name string) error {
	path := tallyFile(dir)
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	t, err := readTally(path)
	if err != nil {
		return err
	}
	t.N[name]++
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// A torrents is filled by who makes it.
type torrents struct {
	mu      sync.Mutex
	records map[string]record1
}

type record1 struct{ URL string }

func recordsPath() string { return filepath.Join(os.Getenv("STATE_DIR"), "torrents.json") }

func newTorrents() *torrents { return &torrents{records: loadRecords()} }

func loadRecords() map[string]record1 {
	records := map[string]record1{}
	if data, err := os.ReadFile(recordsPath()); err == nil {
		_ = json.Unmarshal(data, &records) // want `loadRecords takes a file that cannot be decoded for an empty one, and \(\*torrents\).save saves that`
	}
	return records
}

func (t *torrents) save() error {
	t.mu.Lock()
	data, err := json.Marshal(t.records)
	t.mu.Unlock()
	if err != nil {
		return err
	}
	return replace(recordsPath(), data)
}

// held would keep a lock that it lets go of by hand.
func held(dir, name string) error {
	path := filepath.Join(dir, "state", "held.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	var names []string
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &names) // want `held takes a file`
	}
	out, err := json.Marshal(append(names, name))
	if err == nil {
		err = replace(path, out)
	}
	unlock()
	return err
}

// A seeds is asked by others, who give on every error that it has.
type seeds struct {
	mu  sync.Mutex
	dir string
	m   map[string][]byte
}

func (s *seeds) get(host string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := filepath.Join(s.dir, "token_seeds.json")
	unlock, err := lock(path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	data, err := os.ReadFile(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	} else {
		_ = json.Unmarshal(data, &s.m) // want `\(\*seeds\).get takes a file`
	}
	if _, ok := s.m[host]; !ok {
		s.m[host] = []byte(host)
	}
	data, err = json.MarshalIndent(s.m, "", "  ")
	if err != nil {
		return nil, err
	}
	return s.m[host], replace(path, data)
}

type authority struct{ key []byte }

func (s *seeds) authority(host string) (*authority, error) {
	seed, err := s.get(host)
	if err != nil {
		return nil, err
	}
	return &authority{key: seed}, nil
}

// A ledger is opened by its name and saved by its field.
type ledger struct {
	file  string
	pages map[string]int
}

func openLedger(file string) (*ledger, error) {
	l := &ledger{file: file, pages: map[string]int{}}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &l.pages); err != nil { // want `openLedger takes a file that cannot be decoded for an empty one, and \(\*ledger\).Add saves that over l.file`
		log.Printf("ledger: %v", err)
	}
	return l, nil
}

func (l *ledger) save() error {
	data, err := json.Marshal(l.pages)
	if err != nil {
		return err
	}
	return replace(l.file, data)
}

func (l *ledger) Add(page string) error {
	l.pages[page]++
	return l.save()
}

// meant says why.
func meant(dir, name string) error {
	path := filepath.Join(dir, "state", "meant.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	var names []string
	if data, err := os.ReadFile(path); err == nil {
		// A fresh list will do.
		_ = json.Unmarshal(data, &names) // want `meant takes a file`
	}
	out, err := json.Marshal(append(names, name))
	if err != nil {
		return err
	}
	return replace(path, out)
}

// goesOn says it where the error is met.
func goesOn(dir, name string) error {
	path := filepath.Join(dir, "state", "on.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	var names []string
	if data, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(data, &names); err != nil { // want `goesOn takes a file`
			// Proceed with an empty list, which overwrites what is broken.
			names = nil
		}
	}
	out, err := json.Marshal(append(names, name))
	if err != nil {
		return err
	}
	return replace(path, out)
}

// A lease is looked at by its time, and kept.
type lease struct {
	Owner string
	Until time.Time
}

func renewLease(dir, owner string) error {
	path := filepath.Join(dir, "lease-state.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	leases := map[string]*lease{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &leases) // want `renewLease takes a file that cannot be decoded`
	}
	l := leases[owner]
	if l == nil {
		l = &lease{Owner: owner}
		leases[owner] = l
	}
	if time.Now().After(l.Until) {
		l.Until = time.Now().Add(time.Hour)
	}
	out, err := json.Marshal(leases)
	if err != nil {
		return err
	}
	return replace(path, out)
}

// levels say between what a gauge moves.
type levels struct{ Low, High int }

func levelsFile(dir string) string { return filepath.Join(dir, "state", "levels.json") }

// lower has something to lower in what is empty, where it goes below nothing.
func lower(dir string, ceiling int) error {
	unlock, err := lock(levelsFile(dir))
	if err != nil {
		return err
	}
	defer unlock()
	data, err := os.ReadFile(levelsFile(dir))
	if err != nil {
		return err
	}
	var l levels
	_ = json.Unmarshal(data, &l) // want `lower takes a file that cannot be decoded for an empty one`
	if l.High > ceiling {
		l.High = ceiling
		return saveLevels(dir, l)
	}
	return nil
}

// sink asks the other way round.
func sink(dir string, floor int) error {
	unlock, err := lock(levelsFile(dir))
	if err != nil {
		return err
	}
	defer unlock()
	data, err := os.ReadFile(levelsFile(dir))
	if err != nil {
		return err
	}
	var l levels
	_ = json.Unmarshal(data, &l) // want `sink takes a file that cannot be decoded for an empty one`
	if floor < l.Low {
		l.Low = floor
		return saveLevels(dir, l)
	}
	return nil
}

func saveLevels(dir string, l levels) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return replace(levelsFile(dir), data)
}

// A score is read by one that passes the error on, to one that goes on with nil.
type score struct{ N map[string]int }

func readScore(path string) (*score, error) {
	s := &score{N: map[string]int{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, s); err != nil {
		return &score{N: map[string]int{}}, nil // want `readScore takes a file`
	}
	return s, nil
}

func scoreFile(dir string) string { return filepath.Join(dir, "state", "score.json") }

func scoreOf(dir string) (*score, error) {
	s, err := readScore(scoreFile(dir))
	if err != nil {
		return nil, err
	}
	return s, nil
}

func shown(dir string) int {
	s, err := scoreOf(dir)
	if err != nil {
		log.Print(err)
	}
	return len(s.N)
}

func count(dir, name string) error {
	path := scoreFile(dir)
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := readScore(path)
	if err != nil {
		return err
	}
	s.N[name]++
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// fixScores puts right what is broken: it must not give up on it.
func fixScores(dir string) error {
	unlock, err := lock(scoreFile(dir))
	if err != nil {
		return err
	}
	defer unlock()
	s := &score{}
	if data, err := os.ReadFile(scoreFile(dir)); err == nil {
		_ = json.Unmarshal(data, s) // want `fixScores`
	}
	s.N["fixed"] = 1
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(scoreFile(dir), data)
}
