package effects

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/srctest"
)

// locksOf spells the locks that function f takes and lets go: "+path -path".
func locksOf(f *Func) string {
	var list []string
	for _, e := range f.Effects {
		sign := ""
		switch e.Kind {
		case Lock:
			sign = "+"
			if e.Shared {
				sign = "*"
			}
		case Unlock:
			sign = "-"
		default:
			continue
		}
		list = append(list, fmt.Sprintf("%s%s", sign, e.Path))
	}
	return strings.Join(list, " ")
}

func lockWorld(t *testing.T) *world {
	w := newWorld(t)
	for path, src := range srctest.LockPackages {
		w.Pass(path, src)
	}
	w.build("example.com/agentd/lockutil", srctest.LockHelpers)
	return w
}

// TestLockFiles: a lock is on the file that its constructor was given, however
// the program keeps it.
func TestLockFiles(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"object", `func f(dir string) {
			l := flock.New(filepath.Join(dir, "daemon.lock"))
			l.Lock()
			l.Unlock()
		}`, "+dir/daemon.lock -dir/daemon.lock"},
		{"deferred", `func f(path string) {
			l := flock.New(path + ".lock")
			if ok, err := l.TryLock(); err != nil || !ok {
				return
			}
			defer func() { l.Unlock() }()
		}`, "+path.lock -path.lock"},
		{"shared", `func f(path string) {
			l := flock.New(path)
			l.RLock()
			l.Unlock()
		}`, "*path -path"},
		{"descriptor", `func f(path string) {
			g, _ := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
			syscall.Flock(int(g.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
			syscall.Flock(int(g.Fd()), syscall.LOCK_UN)
			g.Close()
		}`, "*path -path"},
		{"descriptor, how as a variable", `func f(path string, shared bool) {
			g, _ := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
			how := syscall.LOCK_EX
			if shared {
				how = syscall.LOCK_SH
			}
			syscall.Flock(int(g.Fd()), how|syscall.LOCK_NB)
		}`, "+path"},
		{"descriptor, how as an argument", `func do(g *os.File, how int) error { return syscall.Flock(int(g.Fd()), how) }
		func f(path string) {
			g, _ := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
			do(g, syscall.LOCK_SH)
			defer do(g, syscall.LOCK_UN)
		}`, "*path -path"},
		{"descriptor, how as an argument of another package", `func f(path string) {
			g, _ := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
			lockutil.Do(g, syscall.LOCK_EX)
			lockutil.Do(g, syscall.LOCK_UN)
		}`, "+path -path"},
		{"record", `func f(path string) {
			g, _ := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
			syscall.FcntlFlock(g.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK})
			syscall.FcntlFlock(g.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_RDLCK})
			syscall.FcntlFlock(g.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_UNLCK})
		}`, "+path *path -path"},
		{"record that is used again", `func f(path string) {
			g, _ := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
			r := syscall.Flock_t{Type: syscall.F_WRLCK}
			if err := syscall.FcntlFlock(g.Fd(), syscall.F_SETLKW, &r); err != nil {
				return
			}
			r.Type = syscall.F_UNLCK
			syscall.FcntlFlock(g.Fd(), syscall.F_SETLK, &r)
			r = syscall.Flock_t{Type: syscall.F_RDLCK}
			syscall.FcntlFlock(g.Fd(), syscall.F_SETLK, &r)
		}`, "+path -path *path"},
		{"record of a literal", `func f(path string) {
			g, _ := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
			r := syscall.Flock_t{Type: syscall.F_WRLCK}
			syscall.FcntlFlock(g.Fd(), syscall.F_SETLKW, &r)
			defer func() {
				r.Type = syscall.F_UNLCK
				syscall.FcntlFlock(g.Fd(), syscall.F_SETLK, &r)
			}()
		}`, "+path -path"},
		{"record that is only asked for", `func f(path string) {
			g, _ := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
			syscall.FcntlFlock(g.Fd(), syscall.F_GETLK, &syscall.Flock_t{Type: syscall.F_WRLCK})
		}`, ""},
		{"record, how as an argument of another package", `func f(path string) {
			g, _ := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
			lockutil.Record(g, lockutil.Write)
			lockutil.Record(g, syscall.F_UNLCK)
		}`, "+path -path"},
		{"windows", `func f(path string) {
			g, _ := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
			windows.LockFileEx(windows.Handle(g.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, nil)
			windows.UnlockFileEx(windows.Handle(g.Fd()), 0, 1, 0, nil)
			windows.LockFileEx(windows.Handle(g.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, nil)
			windows.LockFileEx(windows.Handle(g.Fd()), 0, 0, 1, 0, nil)
		}`, "+path -path *path *path"},
		{"helper of the package", `func take(dir string) (*flock.Flock, error) {
			l := flock.New(filepath.Join(dir, "shutdown.lock"))
			if ok, err := l.TryLock(); err != nil || !ok {
				return nil, err
			}
			return l, nil
		}
		func f(root string) {
			l, err := take(root)
			if err != nil {
				return
			}
			defer l.Unlock()
		}`, "+root/shutdown.lock -root/shutdown.lock"},
		{"returned function", `func f(path string) error {
			unlock, err := lockutil.Acquire(path + ".lock")
			if err != nil {
				return err
			}
			defer unlock()
			return nil
		}`, "+path.lock -path.lock"},
		{"helpers that are given the file", `func f(path string) {
			g, _ := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
			lockutil.Exclusive(g)
			lockutil.Release(g)
		}`, "+path -path"},
		{"mutex that returns its unlock", `func f(path string) {
			unlock, err := lockedfile.MutexAt(path).Lock()
			if err == nil {
				defer unlock()
			}
		}`, "+path -path"},
		{"safeio", `func f(path string) {
			h, err := safeio.Lock(path)
			if err != nil {
				return
			}
			defer h.Unlock()
		}`, "+path.lock -path.lock"},
		{"field that a method fills", `type boot struct {
			dir  string
			lock *flock.Flock
		}
		func (b *boot) marker() string { return filepath.Join(b.dir, "boot.lock") }
		func (b *boot) take() error {
			b.lock = flock.New(b.marker())
			_, err := b.lock.TryLock()
			return err
		}
		func (b *boot) f() {
			b.lock.Unlock()
			b.lock = nil
		}`, "-b.dir/boot.lock"},
		{"field that a constructor fills", `type store struct {
			dir  string
			lock *flock.Flock
		}
		func open(dir string) *store {
			return &store{dir: dir, lock: flock.New(filepath.Join(dir, "index.lock"))}
		}
		func (s *store) f() {
			s.lock.Lock()
			defer s.lock.Unlock()
		}`, "+s.dir/index.lock -s.dir/index.lock"},
		{"field with a path of its own", `type store struct{ lock *flock.Flock }
		func open(root string) *store {
			return &store{lock: flock.New(filepath.Join(root, "index.lock"))}
		}
		func (s *store) f() {
			s.lock.Lock()
			defer s.lock.Unlock()
		}`, "+root/index.lock -root/index.lock"},
		{"two fields", `type sync struct {
			path string
			file *os.File
		}
		func take(path string) (*sync, error) {
			g, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
			if err != nil {
				return nil, err
			}
			if err := lockutil.Exclusive(g); err != nil {
				return nil, err
			}
			return &sync{path: path, file: g}, nil
		}
		func (s *sync) f() {
			lockutil.Release(s.file)
			s.file = nil
		}`, "-s.path"},
		{"field that two constructors fill", `type either struct{ lock *flock.Flock }
		func one(p string) *either { return &either{lock: flock.New(p)} }
		func two(p string) *either { return &either{lock: flock.New(p + "2")} }
		func (e *either) f() { e.lock.Unlock() }`, "-e.lock"},
		{"package variable", `var guard = flock.New("/run/agentd.lock")
		func f() { guard.Lock() }`, "+/run/agentd.lock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := lockWorld(t).build("example.com/agentd/p", srctest.LockSource(c.src))
			if got := locksOf(find(t, p, "f")); got != c.want {
				t.Errorf("locks: %q, want %q", got, c.want)
			}
		})
	}
}

// TestTook: a lock that was only tried is taken where the call said so.
func TestTook(t *testing.T) {
	p := lockWorld(t).build("example.com/agentd/p", srctest.LockSource(`func f(path string) {
		l := flock.New(path)
		ok, err := l.TryLock()
		if err != nil {
			os.Remove("a")
			return
		}
		if !ok {
			os.Remove("b")
			return
		}
		os.Remove("c")
	}
	func g(path string) {
		l := flock.New(path)
		l.Lock()
		os.Remove("d")
	}`))
	took := map[string]bool{}
	for _, name := range []string{"f", "g"} {
		var lock *Effect
		for _, e := range find(t, p, name).Effects {
			if e.Kind == Lock {
				lock = e
			} else if e.Kind == Remove {
				took[e.Path.String()] = Took(lock, e)
			}
		}
	}
	if want := (map[string]bool{"a": false, "b": false, "c": true, "d": true}); fmt.Sprint(took) != fmt.Sprint(want) {
		t.Errorf("taken: %v, want %v", took, want)
	}
}
