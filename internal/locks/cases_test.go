package locks

var cases = []struct{ name, src string }{
	{"a lock and its release", `func (s *S) f() {
		s.n++ // unknown mu
		s.mu.Lock()
		s.n++ // held mu
		s.mu.Unlock()
		s.n++ // free mu
	}`},
	{"grouped fields", `
	type G struct { a, b int; mu, other sync.Mutex; c, d int }
	func (g *G) f() {
		g.mu.Lock()
		g.a++ // held mu, unknown other
		g.d++ // held mu, unknown other
		g.other.Lock()
		g.mu.Unlock()
		g.c++ // free mu, held other
		g.other.Unlock()
	}`},
	{"TryLock", `
	func (s *S) asked() {
		if s.mu.TryLock() {
			s.n++ // held mu
			s.mu.Unlock()
		}
	}
	func (s *S) refused() {
		if !s.mu.TryLock() {
			s.n++ // unknown mu
			return
		}
		s.n++ // held mu
		s.mu.Unlock()
	}
	func (s *S) later() {
		ok := s.mu.TryLock()
		s.n++ // mixed mu
		if cond() { use(1) }
		if ok {
			s.n++ // held mu
		}
	}
	func (s *S) released() {
		ok := s.mu.TryLock()
		if cond() { s.mu.Unlock() }
		if ok {
			s.n++ // mixed mu
		}
	}
	func (s *S) released2() {
		ok := s.mu.TryLock()
		if cond() { use(1) } else { s.mu.Unlock() }
		if ok {
			s.n++ // mixed mu
		}
	}
	func (s *S) unasked() {
		s.mu.TryLock()
		s.n++ // mixed mu
	}
	func (s *S) readers() {
		if s.rw.TryRLock() {
			s.n++ // reading rw
			s.rw.RUnlock()
		}
	}
	func (s *S) helper() bool { return s.mu.TryLock() }
	func (s *S) outer() {
		if !s.helper() {
			s.n++ // unknown mu
			return
		}
		s.n++ // held mu
	}`},
	{"a second deferred closure", `func (s *S) f() {
		s.mu.Lock()
		defer func() { s.mu.Unlock() }()
		defer func() { // held mu
			s.n++ // unknown mu
		}()
		s.n++ // held mu
	}
	func (s *S) behind() {
		defer func() { // free mu
			s.n++
		}()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.n++ // held mu
	}`},
	{"modes of a RWMutex", `func (s *S) f() {
		s.rw.RLock()
		s.n++ // reading rw
		s.rw.RUnlock()
		s.n++ // free rw
		s.rw.Lock()
		s.n++ // held rw
		s.rw.Unlock()
		if cond() { s.rw.Lock() } else { s.rw.RLock() }
		s.n++ // mixed rw
	}`},
	{"embedded, behind a pointer, behind an interface", `
	type E struct { sync.Mutex; n int }
	func (e *E) f() {
		e.Lock()
		e.n++ // held e.Mutex
		defer e.Unlock()
	}
	func (e *E) g() {
		e.Lock()
		done := e.Unlock
		done()
		e.n++ // mixed e.Mutex
	}
	func (s *S) f() {
		s.ptr.Lock()
		s.n++ // held ptr, unknown locker
		s.ptr.Unlock()
		s.locker.Lock()
		s.n++ // free ptr, held locker
		s.locker.Unlock()
		l := &s.mu
		l.Lock()
		s.n++ // held mu
	}`},
	{"defers in reverse order and in loops", `
	func (s *S) bump() { s.n++ }
	func (s *S) order() {
		s.mu.Lock()
		defer s.bump() // free mu
		defer s.mu.Unlock()
		defer s.bump() // held mu
	}
	func (s *S) loop(list []*S) {
		s.mu.Lock()
		defer s.bump() // mixed mu
		for cond() {
			defer s.mu.Unlock()
		}
		s.n++ // held mu
	}
	func (s *S) each(list []*S) {
		for _, o := range list {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.n++ // held mu
		}
		s.n++ // unknown s.mu
	}`},
	{"a release deferred on each way is not held behind", `
	func (s *S) let() { s.mu.Unlock() }
	func (s *S) f() {
		s.mu.Lock()
		if cond() { defer s.mu.Unlock() } else { defer s.let() }
		s.n++ // held mu
	}
	func (s *S) g() {
		s.f()
		s.n++ // mixed mu
	}`},
	{"many defers", `
	func (s *S) f() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for range 3 { defer use(1) }
		defer use(1); defer use(1); defer use(1); defer use(1); defer use(1); defer use(1); defer use(1); defer use(1)
		defer use(1); defer use(1); defer use(1); defer use(1); defer use(1); defer use(1); defer use(1); defer use(1)
		defer use(1); defer use(1); defer use(1); defer use(1); defer use(1); defer use(1); defer use(1); defer use(1)
		defer use(1); defer use(1); defer use(1); defer use(1); defer use(1); defer use(1); defer use(1); defer use(1)
	}
	func (s *S) g() {
		s.f()
		s.n++ // free mu
	}`},
	{"conditional locking", `func (s *S) f(locked bool) {
		if !locked {
			s.mu.Lock()
			defer s.mu.Unlock()
		}
		s.n++ // mixed mu
	}
	func (s *S) loop() {
		for cond() {
			s.n++ // mixed mu
			s.mu.Lock()
		}
	}`},
	{"helpers", `
	func (s *S) lock() { s.mu.Lock() }
	func (s *S) unlock() { s.mu.Unlock() }
	func (s *S) lock2() { s.lock() }
	func (s *S) unlock2() { s.unlock() }
	func (s *S) bump() {
		s.n++ // unknown mu
	}
	func (s *S) bump2() { s.bump() }
	func (s *S) f() {
		s.bump() // unknown mu
		s.lock2()
		s.bump2() // held mu
		s.unlock2()
		s.bump() // free mu
	}`},
	{"helpers that can fail", `
	func (s *S) lock() error {
		if err := fail(); err != nil { return err }
		s.mu.Lock()
		return nil
	}
	func (s *S) lock2() error {
		if err := s.lock(); err != nil { return fmt.Errorf("lock: %w", err) }
		return nil
	}
	func (s *S) lock3() error { return s.lock() }
	func (s *S) lock4() (bool, error) { return cond(), s.lock() }
	func (s *S) finish() error {
		if err := fail(); err != nil { return err }
		s.mu.Unlock()
		return nil
	}
	func (s *S) either() error {
		if cond() { return fail() }
		s.mu.Lock()
		return fail()
	}
	func (s *S) f() {
		if err := s.lock2(); err != nil {
			s.n++ // free mu
			return
		}
		s.n++ // held mu
		if s.finish() != nil {
			s.n++ // held mu
			return
		}
		s.n++ // free mu
	}
	func (s *S) g() {
		err := s.lock3()
		s.n++ // mixed mu
		if cond() { use(2) }
		if err == nil {
			s.n++ // held mu
			s.mu.Unlock()
		}
	}
	func (s *S) h() {
		ok, err := s.lock4()
		if ok {
			s.n++ // mixed mu
		}
		if err == nil {
			s.n++ // held mu
		}
	}
	func (s *S) named() (err error) {
		defer func() { if err != nil { use(1) } }()
		if err = s.lock3(); err != nil {
			s.n++ // mixed mu
			return err
		}
		s.n++ // mixed mu
		return nil
	}
	func (s *S) overwritten() {
		var err error
		forget := func() { err = nil }
		err = s.lock3()
		forget()
		if err == nil {
			s.n++ // mixed mu
		}
	}
	func (s *S) bumps() error {
		if cond() { return fail() }
		s.mu.Lock()
		s.mu.Unlock()
		return nil
	}
	func (s *S) bumped() {
		err := s.bumps()
		s.n++ // unknown mu
		if err == nil {
			s.n++ // unknown mu
		}
	}
	func (s *S) twice() {
		err := fail()
		if err == nil { err = s.lock() }
		if err != nil {
			s.n++ // mixed mu
			return
		}
		s.n++ // mixed mu
	}
	func (s *S) lost() {
		s.lock()
		s.n++ // mixed mu
	}
	func (s *S) perhaps() error {
		if cond() { s.mu.Lock(); return nil }
		return fail()
	}
	func (s *S) asked() {
		if s.perhaps() == nil {
			s.n++ // mixed mu
		}
	}
	func (s *S) mayBe() {
		if s.either() == nil {
			s.n++ // mixed mu
		}
	}
	func (s *S) atEnd() {
		defer func() { // mixed mu
			s.n++
		}()
		defer s.lock()
	}`},
	{"a result that tells nothing of the lock", `
	type lease struct{ s *S }
	func (s *S) take() *lease { s.mu.Lock(); if cond() { return nil }; return &lease{s} }
	func (s *S) create() (bool, error) { if err := fail(); err != nil { return false, err }; s.mu.Lock(); return cond(), nil }
	func (s *S) f() {
		l := s.take()
		if l != nil {
			s.n++ // held mu
		}
	}
	func (s *S) g() {
		made, err := s.create()
		if err != nil { return }
		if !made {
			s.n++ // held mu
		}
	}`},
	{"recursion", `
	func (s *S) walk(n int) {
		s.n++ // unknown mu
		if n > 0 { s.walk(n-1) }
	}
	func (s *S) f() {
		s.mu.Lock()
		s.walk(3) // held mu
		s.mu.Unlock()
	}
	func (s *S) a(n int) { if n == 0 { s.mu.Unlock(); return }; s.b(n) }
	func (s *S) b(n int) {
		s.mu.Lock()
		s.a(n-1)
		s.n++ // mixed mu
	}`},
	{"callbacks of std", `func (s *S) f(once *sync.Once) {
		s.mu.Lock()
		sort.Slice(s.items, func(i, j int) bool { // held mu
			return s.items[i] < s.items[j] // unknown mu
		})
		slices.SortFunc(s.items, func(a, b int) int { // held mu
			return s.n
		})
		once.Do(func() { // held mu
			s.n++
		})
		s.mu.Unlock()
		once.Do(func() { s.mu.Lock() })
		s.n++ // mixed mu
	}
	func keep(func())
	func (s *S) g() {
		s.mu.Lock()
		keep(func() {
			s.n++ // unknown mu
		})
		s.n++ // held mu
	}`},
	{"goroutines hold nothing", `func (s *S) f() {
		s.mu.Lock()
		go func() {
			s.n++ // unknown mu
			s.mu.Lock()
			s.n++ // held mu
			s.mu.Unlock()
		}()
		s.n++ // held mu
	}`},
	{"channels with room for one", `
	type C struct { sem, full, stop, note chan struct{}; n int }
	func newC() *C {
		c := &C{sem: make(chan struct{}, 1), full: make(chan struct{}, 1), stop: make(chan struct{}, 1), note: make(chan struct{}, 1)}
		c.full <- struct{}{}
		return c
	}
	func (c *C) sends() {
		c.sem <- struct{}{}
		c.n++ // held sem, unknown full
		<-c.sem
		c.n++ // free sem
	}
	func (c *C) waits() {
		<-c.full
		defer func() { c.full <- struct{}{} }()
		c.n++ // held full
	}
	func (c *C) gives(ctx context.Context) error {
		select {
		case <-c.full:
		case <-ctx.Done():
			c.n++ // unknown full
			return ctx.Err()
		}
		c.n++ // held full
		c.full <- struct{}{}
		return nil
	}
	func (c *C) acquire(ctx context.Context) error {
		select {
		case c.sem <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	func (c *C) release() { <-c.sem }
	func (c *C) f(ctx context.Context) {
		if err := c.acquire(ctx); err != nil {
			c.n++ // free sem
			return
		}
		c.n++ // held sem
		c.release()
	}
	func (c *C) Stop() {
		c.stop <- struct{}{}
		c.n++ // unknown stop
	}
	func (c *C) loop() {
		for {
			select {
			case <-c.stop:
				c.n++ // unknown stop
				return
			case <-c.note:
				c.n++ // unknown note
			}
		}
	}
	func (c *C) start() { go c.loop(); c.Stop() }
	func (c *C) tell() {
		select {
		case c.note <- struct{}{}:
			c.n++ // unknown note
		default:
		}
	}`},
	{"a channel that only helpers take and give", `
	type C struct { sem, up chan struct{}; n int }
	func newC() *C { return &C{sem: make(chan struct{}, 1), up: make(chan struct{}, 1)} }
	func (c *C) lock() { c.sem <- struct{}{} }
	func (c *C) unlock() { <-c.sem }
	func (c *C) lock2() func() { c.up <- struct{}{}; return func() { <-c.up } }
	func (c *C) f() {
		c.lock()
		defer c.unlock()
		c.n++ // held sem
	}
	func (c *C) g() {
		defer c.lock2()()
		c.n++ // held up
	}`},
	{"a signal that is kept if there is room", `
	type C struct { note chan struct{}; n int }
	func newC() *C { return &C{note: make(chan struct{}, 1)} }
	func (c *C) f() {
		select {
		case c.note <- struct{}{}:
		default:
		}
		<-c.note
		c.n++ // unknown note
	}`},
	{"a global channel", `
	var sem = make(chan struct{}, 1)
	var full = make(chan struct{}, 1)
	var n int
	func init() { os.Remove("full"); full <- struct{}{} }
	func f() {
		sem <- struct{}{}
		n++ // held sem
		<-sem
		<-full
		n++ // held full
		full <- struct{}{}
	}`},
	{"own locks by their methods", `
	type file struct{ mu sync.Mutex }
	func (f *file) Lock() error { f.mu.Lock(); return nil }
	func (f *file) Unlock() error { f.mu.Unlock(); return nil }
	type other struct{}
	func (*other) Lock() func() { return nil }
	func (*other) Unlock() {}
	type keyed struct{}
	func (*keyed) Lock() {}
	func (*keyed) Unlock() {}
	func (*keyed) RLock(key string) {}
	type O struct { file file; other other; keyed keyed; n int }
	func (o *O) g() {
		o.keyed.RLock("k")
		o.n++ // unknown keyed
	}
	func (o *O) f() {
		if err := o.file.Lock(); err != nil {
			o.n++ // free file
			return
		}
		o.n++ // held file
		o.file.Unlock()
		o.other.Lock()
		o.n++ // free file, held other
	}`},
	{"two objects", `func f(a, b *S) {
		a.mu.Lock()
		a.n++ // held a.mu, unknown b.mu
		b.n++ // held a.mu, unknown b.mu
		b.mu.Lock()
		a.mu.Unlock()
		b.n++ // free a.mu, held b.mu
	}
	func (s *S) bump() { s.n++ }
	func g(a, b *S) {
		a.mu.Lock()
		b.bump() // held a.mu, unknown b.mu
	}`},
	{"captured variables and globals", `
	var mu sync.Mutex
	var n int
	func f() {
		mu.Lock()
		n++ // held mu
		mu.Unlock()
	}
	func (s *S) g() {
		func() {
			s.mu.Lock()
			s.n++ // held mu
		}()
		s.n++ // held mu
	}
	func lock() { mu.Lock() }
	func h() {
		lock()
		n++ // held mu
	}`},
	{"objects that the function made", `
	func newS() *S { return &S{} }
	func (s *S) f() {
		o, q := &S{}, newS()
		o.mu.Lock()
		o.n = q.n
		s.n++ // unknown s.mu
	}`},
	{"ends without a return", `
	func (s *S) panics() {
		if !s.mu.TryLock() { panic("x") }
		s.n++ // held mu
	}
	func (s *S) exits() {
		if !s.mu.TryLock() { os.Exit(1) }
		s.n++ // held mu
		s.mu.Unlock()
		if cond() { s.mu.Lock(); log.Fatal("x") }
		s.n++ // free mu
		if cond() { s.mu.Lock(); runtime.Goexit() }
		s.n++ // free mu
	}
	func die() { use(1); os.Exit(2) }
	func forever() { for { use(1) } }
	func (s *S) helped() {
		if !s.mu.TryLock() { die() }
		s.n++ // held mu
		s.mu.Unlock()
		if cond() { s.mu.Lock(); forever() }
		s.n++ // free mu
		if cond() { s.mu.Lock(); func() { os.Exit(3) }() }
		s.n++ // free mu
	}
	func (s *S) spins() {
		s.mu.Lock()
		for {
			s.n++ // held mu
			if cond() { break }
		}
		s.mu.Unlock()
		for {
			s.n++ // free mu
		}
	}`},
}
