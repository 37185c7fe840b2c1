package quiet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type state struct {
	Runs    []string
	Created time.Time
	N       int
	Visits  map[string]int
}

func statePath(dir, name string) string { return filepath.Join(dir, "state", name+".json") }

func save(path string, s *state) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// missing begins empty where there is no file, and only there.
func missing(dir, run string) error {
	path := statePath(dir, "missing")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s := &state{}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if err := json.Unmarshal(data, s); err != nil {
			return fmt.Errorf("state: %w", err)
		}
	}
	s.Runs = append(s.Runs, run)
	return save(path, s)
}

func load(path string) (*state, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	return &s, nil
}

// named asks the error for its text.
func named(dir string) error {
	path := statePath(dir, "named")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := load(path)
	if err != nil {
		if os.IsNotExist(err) || strings.Contains(err.Error(), "not found") {
			s = &state{}
		} else {
			return err
		}
	}
	s.N++
	return save(path, s)
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// asked has a question of its own for what is missing.
func asked(dir string) error {
	path := statePath(dir, "asked")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := load(path)
	if isMissing(err) {
		s = &state{}
	} else if err != nil {
		return err
	}
	s.N++
	return save(path, s)
}

// aside keeps what it cannot decode.
func aside(dir string) error {
	path := statePath(dir, "aside")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s := &state{}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, s); err != nil {
		if err := os.Rename(path, path+".corrupt"); err != nil {
			return err
		}
		s = &state{}
	}
	s.N++
	return save(path, s)
}

// copied writes the broken content to a second file.
func copied(dir string) error {
	path := statePath(dir, "copied")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s := &state{}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if json.Unmarshal(data, s) != nil {
		if err := replace(path+".bak", data); err != nil {
			return err
		}
	}
	s.N++
	return save(path, s)
}

// older knows two formats.
func older(dir string) error {
	path := statePath(dir, "older")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s := &state{}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, s); err != nil {
		var runs []string
		if err := json.Unmarshal(data, &runs); err != nil {
			return err
		}
		s = &state{Runs: runs}
	}
	s.N++
	return save(path, s)
}

// looked warns of a key and decodes for nothing else.
func looked(dir string) error {
	path := statePath(dir, "looked")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	warn(data, path)
	s.N++
	return save(path, &s)
}

func warn(data []byte, path string) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return
	}
	if _, ok := raw["old"]; ok {
		log.Printf("%s: old is ignored", path)
	}
}

// born writes all anew but for a time.
func born(dir string, runs []string) error {
	path := statePath(dir, "born")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s := &state{Runs: runs, Created: time.Now()}
	if old, err := load(path); err == nil {
		s.Created = old.Created
	}
	return save(path, s)
}

// refused has nothing to remove from what is empty.
func refused(dir string) error {
	path := statePath(dir, "refused")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s := &state{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, s)
	}
	if len(s.Runs) == 0 {
		return errors.New("there are no runs")
	}
	s.Runs = s.Runs[1:]
	return save(path, s)
}

// ended has nothing to end in what is empty.
func ended(dir, run string) error {
	path := statePath(dir, "ended")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s := &state{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, s)
	}
	for i, r := range s.Runs {
		if r == run {
			s.Runs[i] = run + " (ended)"
			return save(path, s)
		}
	}
	return fmt.Errorf("%s does not run", run)
}

// counted has nobody to count in what is empty.
func counted(dir, run string) error {
	path := statePath(dir, "counted")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s := &state{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, s)
	}
	if _, ok := s.Visits[run]; !ok {
		return fmt.Errorf("%s does not run", run)
	}
	s.Visits[run]++
	return save(path, s)
}

// dropped has nothing to drop there.
func dropped(dir, run string) error {
	path := statePath(dir, "dropped")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s := &state{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, s)
	}
	if !slices.Contains(s.Runs, run) && !slices.ContainsFunc(s.Runs, func(r string) bool { return strings.HasPrefix(r, run+"/") }) {
		return nil
	}
	s.Runs = nil
	return save(path, s)
}

// records skips the lines that it cannot decode.
func records(dir string, s state) error {
	path := filepath.Join(dir, "state", "records.jsonl")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var s state
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			continue
		}
		line, _ := json.Marshal(s)
		out.Write(line)
	}
	return replace(path, out.Bytes())
}

// ends the program.
func ends(dir string) error {
	path := statePath(dir, "ends")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := load(path)
	if err != nil {
		log.Fatal(err)
	}
	s.N++
	return save(path, s)
}

// A session remembers why it could not be loaded.
type session struct {
	sessionFile string
	runs        []string
	err         error
}

func openSession(file string) *session {
	l := &session{sessionFile: file}
	data, err := os.ReadFile(file)
	if err != nil {
		return l
	}
	if err := json.Unmarshal(data, &l.runs); err != nil {
		l.err = err
	}
	return l
}

func (l *session) save() error {
	if l.err != nil {
		return l.err
	}
	data, err := json.Marshal(l.runs)
	if err != nil {
		return err
	}
	return replace(l.sessionFile, data)
}

// found says by its second result whether there is a state.
func found(path string) (*state, bool) {
	s, err := load(path)
	if err != nil {
		return nil, false
	}
	return s, true
}

func ifFound(dir string) error {
	path := statePath(dir, "found")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s, ok := found(path)
	if !ok {
		return errors.New("there is no state")
	}
	s.N++
	return save(path, s)
}

// remember keeps what can be had again.
func remember(run string) error {
	dir, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "agent", "runs.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s := &state{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, s)
	}
	s.Runs = append(s.Runs, run)
	return save(path, s)
}

// restored reads the copy that every save leaves.
func restored(dir string) error {
	path := statePath(dir, "restored")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := load(path)
	if err != nil {
		if s, err = load(path + ".bak"); err != nil {
			return err
		}
	}
	s.N++
	return save(path, s)
}

// each skips the files of a family that it cannot decode.
func each(dir string, names iter.Seq[string]) []state {
	var list []state
	for name := range names {
		data, err := os.ReadFile(statePath(dir, name))
		if err != nil {
			continue
		}
		var s state
		if err := json.Unmarshal(data, &s); err != nil {
			continue
		}
		list = append(list, s)
	}
	return list
}

// A journal is saved by another function than loads it, in place of one that is
// moved aside.
type journal struct {
	path string
	days map[string]string
}

func openJournal(path string) (*journal, error) {
	j := &journal{path: path, days: map[string]string{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &j.days); err != nil {
		log.Printf("journal %s is broken", path)
		if err := os.Rename(path, path+".broken"); err != nil {
			return nil, err
		}
		return &journal{path: path, days: map[string]string{}}, nil
	}
	return j, nil
}

func (j *journal) save() error {
	data, err := json.Marshal(j.days)
	if err != nil {
		return err
	}
	return replace(j.path, data)
}

// rotated leaves the old content beside the new.
func rotated(dir string) error {
	path := statePath(dir, "rotated")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s := &state{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, s)
	}
	s.N++
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return rotate(path, data)
}

func rotate(path string, data []byte) error {
	if err := os.Link(path, path+".1"); err != nil {
		return err
	}
	return replace(path, data)
}

var errBroken = errors.New("the state is broken")

// renamed gives an error of its own.
func renamed(path string) (*state, error) {
	s, err := load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &state{}, nil
	}
	if err != nil {
		return &state{}, errBroken
	}
	return s, nil
}

// worded says in words of its own what is wrong.
func worded(path string) (*state, error) {
	s, err := renamed(path)
	if err != nil {
		return &state{}, errors.New("no state in " + path)
	}
	return s, nil
}

// harmless knows more of errors than can be seen.
func harmless(err error) bool { return len(err.Error()) < 3 }

func count(dir string) error {
	path := statePath(dir, "count")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := worded(path)
	if err != nil && !harmless(err) {
		return err
	}
	s.N++
	return save(path, s)
}

// detectState looks for what else there is.
func detectState(dir string) *state {
	names, _ := filepath.Glob(filepath.Join(dir, "*.run"))
	return &state{Runs: names}
}

func detected(dir string) error {
	path := statePath(dir, "detected")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := load(path)
	if err != nil {
		s = detectState(dir)
	}
	s.N++
	return save(path, s)
}

// stream ends at the first record that it cannot decode.
func stream(dir string) error {
	path := filepath.Join(dir, "state", "stream.jsonl")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var list []*state
	dec := json.NewDecoder(f)
	for {
		s := &state{}
		err := dec.Decode(s)
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Print(err)
			break
		}
		list = append(list, s)
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// A book is shown only where it can be loaded.
type book struct {
	path  string
	pages map[string]string
}

func (b *book) load() error {
	data, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &b.pages)
}

func (b *book) show() {
	if err := b.load(); err != nil {
		log.Print(err)
		return
	}
	log.Print(len(b.pages))
}

func (b *book) save() error {
	data, err := json.Marshal(b.pages)
	if err != nil {
		return err
	}
	return replace(b.path, data)
}

func openBook(path string) *book {
	b := &book{path: path}
	if err := b.load(); err != nil {
		return nil
	}
	return b
}

// Routes are good for an hour each.
type route struct {
	ID    string
	Until time.Time
}

type routes struct {
	path string
	byID map[string]route
}

func openRoutes(path string) *routes {
	r := &routes{path: path, byID: map[string]route{}}
	_ = r.load()
	return r
}

func (r *routes) load() error {
	data, err := os.ReadFile(r.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &r.byID)
}

func (r *routes) Put(id string) error {
	now := time.Now()
	for id, old := range r.byID {
		if !old.Until.IsZero() && now.After(old.Until) {
			delete(r.byID, id)
		}
	}
	r.byID[id] = route{id, now.Add(time.Hour)}
	data, err := json.Marshal(r.byID)
	if err != nil {
		return err
	}
	return replace(r.path, data)
}

// A breaker forgets by itself that something has failed.
type failures struct {
	N    int
	Last time.Time
}

func readFailures(path string) failures {
	data, err := os.ReadFile(path)
	if err != nil {
		return failures{}
	}
	var f failures
	if err := json.Unmarshal(data, &f); err != nil {
		return failures{}
	}
	if time.Since(f.Last) > time.Hour {
		return failures{}
	}
	return f
}

func failed(dir string) error {
	path := statePath(dir, "failures")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	f := readFailures(path)
	f.N++
	f.Last = time.Now()
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// A worker tells whose the state of it is.
type worker struct {
	Pid  int
	Runs []string
}

func loadWorker(path string) (*worker, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var w worker
	return &w, json.Unmarshal(data, &w)
}

func stopped(dir string) error {
	path := statePath(dir, "worker")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	w, _ := loadWorker(path)
	if w == nil {
		w = &worker{}
	}
	w.Pid = 0
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return replace(path, data)
}
