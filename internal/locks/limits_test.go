package locks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// limits are shapes in which a lock is easily taken for another, or for held.
var limits = []struct{ name, src string }{
	{"a helper that lets go of the lock and takes it again", `
	func (s *S) pause() { s.mu.Unlock(); use(1); s.mu.Lock() }
	func (s *S) f() {
		s.n++ // unknown mu
		s.pause()
		s.n++ // held mu
	}`},
	{"a refused TryLock says nothing of the caller", `
	func (s *S) f() {
		if !s.mu.TryLock() {
			s.n++ // unknown mu
			return
		}
		s.mu.Unlock()
		if !s.mu.TryLock() {
			s.n++ // free mu
		}
	}`},
	{"TryLock with an error beside its answer", `
	type file struct{ fd int }
	func (f *file) TryLock() (bool, error)
	func (f *file) Lock() error
	func (f *file) Unlock() error
	type O struct { file file; n int }
	func (o *O) f() error {
		got, err := o.file.TryLock()
		if err != nil {
			o.n++ // unknown file
			return err
		}
		o.n++ // mixed file
		if !got {
			o.n++ // unknown file
			return nil
		}
		o.n++ // held file
		return o.file.Unlock()
	}
	func (o *O) try() (bool, error) { return o.file.TryLock() }
	func (o *O) g() {
		_, err := o.try()
		if err == nil {
			o.n++ // mixed file
		}
	}
	func (o *O) atOnce() error {
		if got, err := o.file.TryLock(); err != nil || !got { return err }
		o.n++ // held file
		return nil
	}`},
	{"through an interface with one implementation", `
	type guard interface{ enter(n int); leave(n int) }
	func (s *S) enter(n int) { s.mu.Lock() }
	func (s *S) leave(n int) { s.mu.Unlock() }
	func f(g guard, s *S) {
		g.enter(1)
		s.n++ // held g.mu, unknown s.mu
		g.leave(1)
		s.n++ // free g.mu
	}`},
	{"a lock that somebody else is given", `
	func step(l sync.Locker)
	func (s *S) f() {
		s.mu.Lock()
		step(&s.mu)
		s.n++ // mixed mu
		s.mu.Unlock()
		s.mu.Lock()
		c := sync.NewCond(&s.mu)
		c.Wait()
		s.n++ // held mu
	}`},
	{"objects that the package has made", `
	func fresh() *S { s := &S{}; s.n = 1; return s }
	type holder struct { s *S }
	func within() *S { s := &S{}; h := &holder{s: s}; m := map[string]*S{"s": s}; use(len(m)); use(h.s.n); return s }
	func f() {
		s := fresh()
		s.n++ // none
		w := within()
		w.n++ // none
	}`},
	{"objects made in loops", `
	func next() *S { s := &S{}; for cond() { if cond() { s = &S{} }; for cond() { use(s.n) } }; return s }
	func f() {
		s := next()
		s.n++ // none
	}`},
	{"a method that wraps the lock", `
	func (s *S) Lock() { s.mu.Lock(); s.items = nil }
	func (s *S) Unlock() { s.mu.Unlock() }
	func (s *S) f() {
		s.Lock()
		s.n++ // held s, held s.mu
		s.Unlock()
		s.n++ // free s, free s.mu
		defer s.Unlock()
		s.Lock()
		s.n++ // held s.mu
	}`},
	{"loops over functions", `
	func (s *S) each(yield func(int) bool) { for _, i := range s.items { if !yield(i) { return } } }
	func (s *S) f() {
		s.mu.Lock()
		for i := range maps.Keys(map[int]int{}) {
			s.n += i // held mu
		}
		s.mu.Unlock()
	}
	func (s *S) g() {
		for range s.each {
			s.mu.Lock()
			s.n++ // held mu
			s.mu.Unlock()
		}
	}`},
	{"select with default, empty and shared cases", `
	type C struct { sem chan struct{}; n int }
	func newC() *C { return &C{sem: make(chan struct{}, 1)} }
	func (c *C) pair() { c.sem <- struct{}{}; defer func() { <-c.sem }(); use(c.n) }
	func (c *C) try() bool {
		select {
		case c.sem <- struct{}{}:
			c.n++ // held sem
			<-c.sem
			return true
		default:
			c.n++ // unknown sem
			return false
		}
	}
	func (c *C) either(ctx context.Context) {
		select {
		case c.sem <- struct{}{}:
		case <-ctx.Done():
		}
		c.n++ // mixed sem
	}
	func (c *C) loop(ctx context.Context) {
	retry:
		for {
			select {
			case c.sem <- struct{}{}:
				break retry
			case <-ctx.Done():
				return
			default:
				continue retry
			}
		}
		c.n++ // held sem
		<-c.sem
	}`},
	{"a signal is no lock", `
	type C struct { note, twice, either chan struct{}; n int }
	func newC() *C { return &C{note: make(chan struct{}, 1), twice: make(chan struct{}, 1), either: make(chan struct{}, 1)} }
	func (c *C) kick() {
		select {
		case c.note <- struct{}{}:
		default:
		}
		c.n++ // unknown note
		<-c.note
	}
	func (c *C) busy() {
		select {
		case c.note <- struct{}{}:
		default:
			use(1)
		}
		<-c.note
	}
	func (c *C) switches(on bool) {
		if on {
			c.either <- struct{}{}
		} else {
			<-c.either
		}
		c.n++ // unknown either
	}`},
	{"a channel that is made with more room elsewhere", `
	type C struct { sem chan struct{}; n int }
	func newC() *C { return &C{sem: make(chan struct{}, 1)} }
	func wide() *C { return &C{sem: make(chan struct{}, 8)} }
	func (c *C) f() {
		c.sem <- struct{}{}
		c.n++ // unknown sem
		<-c.sem
	}`},
	{"a request and its answer are no lock", `
	type C struct { ask, answer, done, stop chan struct{}; n int }
	func newC() *C { return &C{ask: make(chan struct{}, 1), answer: make(chan struct{}, 1), done: make(chan struct{}, 1), stop: make(chan struct{}, 1)} }
	func (c *C) f() {
		c.ask <- struct{}{}
		c.n++ // unknown ask
		<-c.answer
	}
	func (c *C) serve() { for range c.ask { c.answer <- struct{}{} } }
	func (c *C) wait() {
		go func() { c.done <- struct{}{} }()
		<-c.done
		c.n++ // unknown done
	}
	func (c *C) Stop() { c.stop <- struct{}{} }
	func (c *C) loop() { for { select { case <-c.stop: return; default: c.n++ } } }
	func (c *C) Restart() {
		c.Stop()
		c.n++ // unknown stop
		go c.loop()
	}`},
	{"switches and labels", `
	func (s *S) f(k int) {
		switch k {
		case 1:
			s.mu.Lock()
		case 2:
			s.mu.Lock()
			fallthrough
		case 3:
			s.n++ // mixed mu
		default:
			return
		}
		s.n++ // mixed mu
	}
	func (s *S) g(k any) {
	outer:
		for _, i := range s.items {
			s.mu.Lock()
			for {
				switch k.(type) {
				case int:
					s.mu.Unlock()
					continue outer
				case string:
					break outer
				}
				s.n += i // held mu
			}
		}
		s.n++ // mixed mu
	}
	func (s *S) h() {
		s.mu.Lock()
	again:
		s.n++ // held mu
		if cond() { goto again }
		s.mu.Unlock()
	}`},
	{"generics", `
	func lockAll[L sync.Locker](l L) { l.Lock() }
	type box[T any] struct { mu sync.Mutex; v T; n int }
	func (b *box[T]) lock() func() { b.mu.Lock(); return b.mu.Unlock }
	func (b *box[T]) set(v T) {
		defer b.lock()()
		b.v = v // held mu
	}
	func (b *box[T]) free() { b.mu.Unlock() }
	func user(b *box[int]) {
		release := b.lock()
		b.n++ // held mu
		release()
		b.n++ // mixed mu
		b.set(1)
		b.mu.Lock()
		done := b.free
		done()
		b.n++ // free mu
	}
	func (s *S) g() {
		lockAll(&s.mu)
		s.n++ // held mu
	}`},
	{"embedded behind a pointer", `
	type base struct { sync.RWMutex; n int }
	type B struct { *base; m int }
	func (b *B) f() {
		b.RLock()
		b.n++ // reading base.RWMutex
		b.m++ // reading base.RWMutex
		b.RUnlock()
		b.Lock()
		b.n++ // held base.RWMutex
	}`},
	{"fields that nobody changes", `
	type I struct { mu sync.Mutex; name string; n int }
	func (i *I) f() {
		use(len(i.name)) // unknown mu
		i.mu.Lock()
		use(len(i.name)) // held mu
		i.mu.Unlock()
	}`},
	{"objects of a loop", `func f(list []*S) {
		for _, o := range list {
			o.n++ // unknown mu
			o.mu.Lock()
			o.n++ // held mu
			o.mu.Unlock()
			o.n++ // free mu
		}
	}
	func g(list []*S) {
		for i := range list {
			list[i].mu.Lock()
			list[i].n++ // held t4.mu
			list[i].mu.Unlock()
			list[i].n++ // mixed t4.mu
		}
	}
	func get(i int) *S
	func called(s *S) {
		get(1).mu.Lock()
		s.n++ // held t0.mu
		get(1).mu.Unlock()
		s.n++ // mixed t0.mu
	}`},
	{"a lock that is deferred on one way round a loop, and let go of on another", `
	func (s *S) f() {
		for cond() {
			if cond() {
				s.mu.Lock()
				defer s.mu.Unlock()
				continue
			}
			if cond() {
				s.mu.Unlock()
				continue
			}
			s.n++ // mixed mu
		}
		s.n++ // mixed mu
	}`},
	{"functions that call each other under the lock of one", `
	func (s *S) f(n int) { s.mu.Lock(); defer s.mu.Unlock(); s.g(n) } // held mu
	func (s *S) g(n int) { if n > 0 { s.h(n) }; s.n++ } // unknown mu
	func (s *S) h(n int) { s.items = nil; s.g(n-1) } // unknown mu`},
	{"a lock held over panics that are caught", `
	func (s *S) f() {
		defer func() { recover() }()
		s.mu.Lock()
		use(s.items[0])
		s.mu.Unlock()
	}
	func (s *S) g() {
		s.f()
		s.n++ // free mu
	}`},
}

// TestLimits checks shapes that are easily got wrong.
func TestLimits(t *testing.T) {
	for _, c := range limits {
		t.Run(c.name, func(t *testing.T) { checkMarks(t, c.src) })
	}
}

// account is what a package says of its functions, those of a line each.
func account(p *Package) []string {
	var list []string
	for _, f := range p.Funcs {
		for _, acc := range f.Accesses {
			var held []string
			for _, r := range Sorted(acc.Held) {
				held = append(held, r.String()+" "+wordOf(acc.Held[r].Mode))
			}
			list = append(list, fmt.Sprint(f.SSA.Name(), ": ", acc.Func.SSA.Name(), " at ", acc.Place, " ", acc.Write, " ", held))
		}
		for _, l := range f.net {
			list = append(list, fmt.Sprint(f.SSA.Name(), " leaves ", l.lock, " ", l.ok, l.fail))
		}
	}
	slices.Sort(list)
	return list
}

// TestOrder checks that what is known of functions that call each other does not depend
// on which is declared first.
func TestOrder(t *testing.T) {
	for _, funcs := range [][]string{
		{ // each of three lets go of the lock of the next
			`func (s *S) a(n int) { if n == 0 { s.mu.Unlock(); return }; s.b(n) }`,
			`func (s *S) b(n int) { s.mu.Lock(); s.n++; s.c(n-1); s.n-- }`,
			`func (s *S) c(n int) { s.items = nil; s.a(n); use(s.n) }`,
			`func (s *S) d() { s.rw.Lock(); s.b(3); s.rw.Unlock() }`,
		},
		{ // they come to other objects each time, and get functions
			`type node struct { mu sync.Mutex; next *node; n int }`,
			`func (x *node) walk(f func()) { x.mu.Lock(); f(); x.n++; x.mu.Unlock(); x.step(f) }`,
			`func (x *node) step(f func()) { if x.next != nil { x.next.walk(f) } }`,
			`func (x *node) run(s *S) { x.walk(func() { s.n++ }) }`,
		},
		{ // they call a function that they get, or each other with it
			`func (s *S) serve(w func(), n int) { if n > 9 { s.fail(w, n); return }; w() }`,
			`func (s *S) fail(w func(), n int) { if n > 0 { s.serve(w, n-1); return }; s.mu.Lock(); s.n = n; s.mu.Unlock(); w() }`,
			`func (s *S) handle() { s.serve(func() { s.items = nil }, 1) }`,
		},
		{ // functions that they return let go of the lock
			`func (s *S) take(n int) func() { if n > 0 { return s.give(n-1) }; s.mu.Lock(); return s.mu.Unlock }`,
			`func (s *S) give(n int) func() { return s.take(n) }`,
			`func (s *S) use() { done := s.take(2); s.n++; done(); s.n++ }`,
		},
	} {
		var first []string
		for n := range len(funcs) {
			for _, reversed := range []bool{false, true} {
				list := slices.Concat(funcs[n:], funcs[:n])
				if reversed {
					slices.Reverse(list)
				}
				p, _ := build(t, strings.Join(list, "\n"))
				if gaveUp := p.flow.GaveUp(); len(gaveUp) > 0 {
					t.Errorf("gave up on %v", gaveUp)
				}
				got := account(p)
				if first == nil {
					first = got
				}
				if !slices.Equal(got, first) {
					t.Errorf("%s\n\tsays\n%s\n\twant\n%s", strings.Join(list, "\n"), strings.Join(got, "\n"), strings.Join(first, "\n"))
				}
			}
		}
	}
}
