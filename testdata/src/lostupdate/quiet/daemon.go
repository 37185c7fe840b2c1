package quiet

import (
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A keeper is alone in its directory for as long as it runs.
type keeper struct{ dir string }

func (k *keeper) Run() error {
	unlock, err := lock(filepath.Join(k.dir, "keeper"))
	if err != nil {
		return err
	}
	defer unlock()
	k.clear3() // more than is noted of one function
	for {
		k.round()
	}
}

func (k *keeper) round() { k.trim(stateFile(k.dir)) }

func (k *keeper) trim(path string) {
	s, err := load(path)
	if err != nil {
		return
	}
	s.Runs = s.Runs[1:]
	save(path, s)
}

func (k *keeper) clear() {
	for _, name := range []string{"a", "b"} {
		os.Remove(filepath.Join(k.dir, name))
		os.Remove(filepath.Join(k.dir, name, "1"))
		os.Remove(filepath.Join(k.dir, name, "2"))
		os.Remove(filepath.Join(k.dir, name, "3"))
		os.Remove(filepath.Join(k.dir, name, "4"))
		os.Remove(filepath.Join(k.dir, name, "5"))
		os.Remove(filepath.Join(k.dir, name, "6"))
		os.Remove(filepath.Join(k.dir, name, "7"))
	}
}

func (k *keeper) clear2() {
	k.clear()
	k.clear()
	k.clear()
	k.clear()
	k.clear()
	k.clear()
	k.clear()
	k.clear()
}

func (k *keeper) clear3() {
	k.clear2()
	k.clear2()
	k.clear2()
	k.clear2()
	k.clear2()
	k.clear2()
	k.clear2()
	k.clear2()
}

// each takes and lets go of a lock every time round, on several ways.
func each(dirs []string) {
	for _, dir := range dirs {
		path := stateFile(dir)
		unlock, err := lock(path)
		if err != nil {
			continue
		}
		s, err := load(path)
		if err != nil {
			unlock()
			continue
		}
		if len(s.Runs) > 9 {
			s.Runs = s.Runs[:9]
			save(path, s)
		}
		unlock()
	}
}

func Each() { each([]string{"a", "b"}) }

// whoAmI saves what it finds out where nothing was saved before, and asks once
// more before it does.
func whoAmI(dir string) (*state, error) {
	if s, err := load(stateFile(dir)); !os.IsNotExist(err) {
		return s, err
	}
	s, err := findOut(dir)
	if err != nil {
		return nil, err
	}
	return s, save(stateFile(dir), s)
}

func findOut(dir string) (*state, error) {
	if s, err := load(stateFile(dir)); !os.IsNotExist(err) {
		return s, err
	}
	return &state{Runs: []string{os.Getenv("USER")}}, nil
}

// key makes a new one where there is none that can be used.
func key(dir string) (*state, error) {
	var k state
	path := filepath.Join(dir, "key-state.json")
	data, err := os.ReadFile(path)
	if err == nil {
		if err := json.Unmarshal(data, &k); err == nil {
			return &k, nil
		} else if err := os.Rename(path, path+".bad"); err != nil {
			return nil, err
		}
	}
	k.N = len(k.Runs) + 1
	return &k, save(path, &k)
}

// ensure makes one where there is none.
func ensure(dir string) error {
	s, err := load(stateFile(dir))
	if !os.IsNotExist(err) {
		return err
	}
	if s == nil {
		s = &state{}
	}
	s.N = len(s.Runs) + 1
	return save(stateFile(dir), s)
}

// A check of the installation, which mends what it finds.
type check struct{ dir string }

func (c check) Fix() error { return c.dropEmpty(stateFile(c.dir)) }

func (c check) dropEmpty(path string) error {
	s, err := load(path)
	if err != nil {
		return err
	}
	for i, r := range s.Runs {
		s.Runs[i] = strings.TrimSpace(r)
	}
	return save(path, s) /* note */ // want `\(check\)\.dropEmpty loads path`
}

// open brings what an older version has left to the form of today.
func open(dir string) (*state, error) {
	path := stateFile(dir)
	s, err := load(path)
	if err != nil {
		return nil, err
	}
	if len(s.Runs) > 0 && !strings.HasPrefix(s.Runs[0], "run-") {
		for i, r := range s.Runs {
			s.Runs[i] = "run-" + r
		}
		err = save(path, s)
	}
	return s, err
}

// A shelf is opened by one server, which seals what an older one left open there.
type shelf struct {
	file string
	key  cipher.AEAD
	rows []string
}

func newShelf(dir string, key cipher.AEAD) (*shelf, error) {
	s := &shelf{file: filepath.Join(dir, "rows.db"), key: key}
	if buf, err := os.ReadFile(s.file); err == nil {
		if _, err := decodeRows(buf); err == nil {
			sealed, err := s.seal(buf)
			if err != nil {
				return nil, err
			}
			if err := replace(s.file, sealed); err != nil {
				return nil, err
			}
		}
	}
	return s, s.open()
}

func (s *shelf) seal(buf []byte) ([]byte, error) {
	if s.key == nil {
		return buf, nil
	}
	nonce := make([]byte, s.key.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return s.key.Seal(nonce, nonce, buf, nil), nil
}

func (s *shelf) open() error {
	buf, err := os.ReadFile(s.file)
	if err != nil {
		return err
	}
	if s.key != nil {
		if buf, err = s.key.Open(nil, buf[:s.key.NonceSize()], buf[s.key.NonceSize():], nil); err != nil {
			return err
		}
	}
	s.rows, err = decodeRows(buf)
	return err
}

func decodeRows(buf []byte) (rows []string, err error) { return rows, json.Unmarshal(buf, &rows) }

// migrateRuns is called by hand after an update.
func migrateRuns(dir, prefix string) error {
	s, err := load(stateFile(dir))
	if err != nil {
		return err
	}
	for i, r := range s.Runs {
		s.Runs[i] = prefix + r
	}
	return save(stateFile(dir), s) /* note */ // want `migrateRuns loads dir/state\.json`
}

// A server says of itself who it is and what it serves.
type server struct {
	PID  int
	Dirs []string
}

func loadServer(dir string) (*server, error) {
	data, err := os.ReadFile(filepath.Join(dir, "server-state.json"))
	if err != nil {
		return nil, err
	}
	var s server
	return &s, json.Unmarshal(data, &s)
}

func stopped(dir string) error {
	s, err := loadServer(dir)
	if err != nil {
		return err
	}
	s.PID = 0
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, "server-state.json"), data)
}

// holder is who has something, and how often it has said so.
type holder struct {
	Name string
	N    int
}

func loadHolder(path string) (*holder, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	h := &holder{}
	return h, json.Unmarshal(data, h)
}

func saveHolder(path string, h *holder) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// beat says that the program is alive.
func beat(dir string) error {
	path := filepath.Join(dir, "heartbeat.json")
	h, err := loadHolder(path)
	if err != nil {
		return err
	}
	h.N++
	return saveHolder(path, h)
}

var labelFiles = []string{"labels.json", "etc/labels.json"}

// Label adds to the first file that it finds in a place of which its callers alone
// know whose it is, and says how to take that back.
func Label(root, label string) (undo func() error, err error) {
	var path string
	for _, name := range labelFiles {
		p, err := filepath.Rel(root, name)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(p); err == nil {
			path = p
			break
		}
	}
	add := func(label string) error {
		s, err := load(path)
		if err != nil {
			return err
		}
		s.Runs = append(s.Runs, label)
		return save(path, s)
	}
	return func() error { return add("not " + label) }, add(label)
}

// mark says where the last run has come to, which nothing of the one before is
// kept for.
func mark(dir, at string) error {
	s, err := load(stateFile(dir))
	if err != nil {
		return err
	}
	if len(s.Runs) > 0 && s.Runs[0] == at {
		return nil
	}
	s.Runs = []string{at}
	s.N = len(at)
	return save(stateFile(dir), s)
}

// Static gives dhcpcd a line, which takes no lock that this program could.
func Static(line string) error {
	path := "/etc/dhcpcd.conf"
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Runs = append(s.Runs, line)
	return save(path, s)
}

// autoConfigure is a part of the set-up.
func autoConfigure(dir string) error {
	s, err := load(stateFile(dir))
	if err != nil {
		return err
	}
	s.Runs = append(s.Runs, "first")
	return save(stateFile(dir), s) /* note */ // want `autoConfigure loads dir/state\.json`
}

// An agent goes on where the one before it has ended.
type agent struct {
	dir  string
	tick <-chan time.Time
}

func (a *agent) run(done <-chan struct{}) error {
	path := filepath.Join(a.dir, "agent-state.json")
	s, err := load(path)
	if err != nil {
		return err
	}
	defer func() { save(path, s) }()
	for {
		s.N++
		select {
		case <-done:
			return nil
		case <-a.tick:
		}
	}
}

// A push says when it was last tried, and with what it came through.
type push struct{ Last, Commit string }

func loadPush(dir string) (*push, error) {
	data, err := os.ReadFile(filepath.Join(dir, "push-state.json"))
	if err != nil {
		return nil, err
	}
	var p push
	return &p, json.Unmarshal(data, &p)
}

func pushed(dir string) error {
	p, err := loadPush(dir)
	if err != nil {
		return err
	}
	p.Last = time.Now().UTC().Format(time.RFC3339)
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, "push-state.json"), data)
}

// A manifest says where an extension comes from.
type manifest struct {
	Host, Name, Tag string
}

func source(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return "", err
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return "", err
	}
	return m.Host + "/" + m.Name, nil
}

// upgrade asks for that alone, and makes a new one.
func upgrade(dir, tag string) error {
	from, err := source(dir)
	if err != nil {
		return err
	}
	host, name, _ := strings.Cut(from, "/")
	data, err := json.Marshal(manifest{Host: host, Name: name, Tag: tag})
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, "manifest.json"), data)
}

// A vault has a lock that readers share.
type vault struct{ dir string }

func (v *vault) lock(alone bool) (func(), error) {
	f, err := os.OpenFile(filepath.Join(v.dir, "keys.json.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

func (v *vault) set(key string) error {
	unlock, err := v.lock(true)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := load(filepath.Join(v.dir, "keys.json"))
	if err != nil {
		return err
	}
	s.Runs = append(s.Runs, key)
	return save(filepath.Join(v.dir, "keys.json"), s)
}
