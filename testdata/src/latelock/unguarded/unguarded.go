package unguarded

import (
	"maps"
	"net/http"
	"sync"
)

// A desk is what visitors see: all but a few of its methods take the lock.
type desk struct {
	mu     sync.RWMutex
	badges map[string]int
	queue  []string
}

func (d *desk) admit(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.badges[name]++
	d.queue = append(d.queue, name)
}

func (d *desk) dismiss(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.badges, name)
	d.queue = d.queue[1:]
}

func (d *desk) count() (int, int) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.badges["all"], len(d.queue)
}

func (d *desk) first() string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.queue[0]
}

// badge looks into a map.
func (d *desk) badge(name string) int {
	return d.badges[name] // want `\(\*desk\).badge looks into badges without mu, under which \(\*desk\).admit changes it: Go ends the program when a map is used and changed at a time.*no fix: who calls the function may have the lock one day`
}

// waiting ranges over a slice.
func (d *desk) waiting() (n int) {
	for _, name := range d.queue { // want `\(\*desk\).waiting looks into queue without mu, under which \(\*desk\).admit changes it: it may read elements that are no longer or not yet there`
		n += len(name)
	}
	return n
}

// A gate has a method that changes the map, as nobody else does it.
type gate struct {
	mu   sync.Mutex
	open map[string]bool
}

func (g *gate) lift(name string) {
	g.mu.Lock()
	g.open[name] = true
	g.mu.Unlock()
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.open)
}

func (g *gate) isOpen(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open[name]
}

func (g *gate) drop(name string) {
	delete(g.open, name) // want `\(\*gate\).drop changes open without mu, under which \(\*gate\).lift changes it`
}

// A ring is looked at by a helper of a function that others call.
type ring struct {
	mu    sync.Mutex
	bells map[string]int
}

func (r *ring) hang(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bells[name] = 1
}

func (r *ring) unhang(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.bells, name)
}

func (r *ring) bell(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bells[name]
}

func (r *ring) Sum() int { return r.sum() }

func (r *ring) sum() (n int) {
	for _, x := range r.bells { // want `\(\*ring\).sum ranges over bells without mu`
		n += x
	}
	return n
}

// A tide changes the map under the lock, and looks before it takes that.
type tide struct {
	mu    sync.Mutex
	marks map[string]int
}

func (t *tide) mark(name string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.marks[name]
}

func (t *tide) set(name string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.marks[name] = n
}

// rise has had the lock on one way, and takes it behind the look.
func (t *tide) rise(name string, last int, fresh bool) {
	if !fresh {
		t.mu.Lock()
		last = max(last, t.marks[name])
		t.mu.Unlock()
	}
	if old, ok := t.marks[name]; !ok || old < last { // want `\(\*tide\).rise looks into marks without mu`
		t.mu.Lock()
		t.marks[name] = last
		t.mu.Unlock()
	}
}

// A quay hands the map to what ranges over it.
type quay struct {
	mu    sync.Mutex
	ships map[string]int
}

func (q *quay) ship(name string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ships[name]
}

func (q *quay) moor(name string, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ships[name] = n
}

// leave replaces the map.
func (q *quay) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ships = map[string]int{}
}

func (q *quay) copied() map[string]int {
	return maps.Clone(q.ships) // want `\(\*quay\).copied ranges over ships without mu`
}

var (
	tollMu sync.Mutex
	tolls  = map[string]int{}
)

func pay(name string) {
	tollMu.Lock()
	defer tollMu.Unlock()
	tolls[name]++
}

func paid(name string) int {
	tollMu.Lock()
	defer tollMu.Unlock()
	return tolls[name]
}

func refund(name string) {
	tollMu.Lock()
	defer tollMu.Unlock()
	delete(tolls, name)
}

// showTolls serves requests, many at a time.
func showTolls(w http.ResponseWriter, r *http.Request) {
	for name := range tolls { // want `showTolls ranges over tolls without tollMu`
		_, _ = w.Write([]byte(name))
	}
}

func routes(mux *http.ServeMux) {
	mux.HandleFunc("/tolls", showTolls)
	mux.HandleFunc("/pay", func(w http.ResponseWriter, r *http.Request) { pay(r.URL.Path) })
	mux.HandleFunc("/paid", func(w http.ResponseWriter, r *http.Request) { _ = paid(r.URL.Path) })
}

// A loom has a goroutine that looks, and methods that change.
type loom struct {
	mu      sync.Mutex
	threads map[string]int
}

func weave(l *loom, names, torn chan string) {
	go func() {
		for name := range names {
			if l.threads[name] > 3 { // want `weave looks into threads without mu`
				torn <- name
			}
		}
	}()
	l.add("first")
}

func (l *loom) add(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.threads[name]++
	if len(l.threads) > 9 {
		clear(l.threads)
	}
}

func (l *loom) has(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.threads[name] > 0
}

// A tower has a lock that heads the group of what it guards. Of four methods two take it.
type tower struct {
	name string

	mu    sync.RWMutex
	bells map[string]int

	other map[string]int
}

func (t *tower) ring(name string) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.bells[name] + t.other[name]
}

func (t *tower) hang(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bells[name] = 1
	t.other[name] = 1
}

func (t *tower) melt(name string) {
	delete(t.bells, name) // want `\(\*tower\).melt changes bells without mu, under which \(\*tower\).hang changes it`
	delete(t.other, name) // ok: it stands in no group with the lock
}

func (t *tower) count() int {
	n := 0
	for range t.bells { // ok: it only reads, and half of the others have no lock
		n++
	}
	for range t.other { // ok
		n++
	}
	return n
}
