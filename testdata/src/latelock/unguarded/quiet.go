package unguarded

import (
	"encoding/json"
	"sync"
)

// A hutch has callers of which one has the lock.
type hutch struct {
	mu   sync.Mutex
	hens map[string]int
}

func (h *hutch) remove(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.hens, name)
}

func (h *hutch) add(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hens[name] = 1
}

func (h *hutch) hen(name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hens[name]
}

func (h *hutch) Feed() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.total()
}

func (h *hutch) Weigh() int { return h.total() }

func (h *hutch) total() (n int) {
	for _, x := range h.hens { // ok: Feed has the lock
		n += x
	}
	return n
}

// A forge is read where it is lit and put out.
type forge struct {
	mu    sync.Mutex
	irons map[string]int
	inUse map[string]bool
}

func (f *forge) remove(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.irons, name)
	delete(f.inUse, name)
}

func (f *forge) heat(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.irons[name]++
	f.inUse[name] = true
}

func (f *forge) heatOf(name string) (int, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.irons[name], f.inUse[name]
}

func (f *forge) Start() (n int) {
	for _, x := range f.irons { // ok: it starts
		n += x
	}
	return n
}

func (f *forge) Close() (n int) {
	for name := range f.inUse { // ok: it ends
		n += len(name)
	}
	return n
}

// A cache calls what it was made with under its lock.
type cache struct{ evict func(string) }

func newCache(evict func(string)) *cache { return &cache{evict} }

// A store has a cache.
type store struct {
	mu     sync.Mutex
	items  map[string]int
	names  map[string]string
	recent *cache
}

func (s *store) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.items, name)
	delete(s.names, name)
}

func (s *store) remember() { s.recent = newCache(s.forget) }

func (s *store) put(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[name] = 1
	s.names[name] = name
	s.recent.evict(name)
}

func (s *store) item(name string) (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.items[name], s.names[name]
}

func (s *store) forget(name string) {
	delete(s.items, name) // ok: put has the lock
}

// MarshalJSON is what save calls by json.Marshal.
func (s *store) MarshalJSON() ([]byte, error) {
	list := []string{}
	for name := range s.names { // ok: save has the lock
		list = append(list, name)
	}
	return json.Marshal(list)
}

func (s *store) save() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return json.Marshal(s)
}

// A Vault is locked by who uses it.
type Vault struct {
	sync.Mutex
	coins map[string]int
}

func (v *Vault) remove(name string) {
	v.Lock()
	defer v.Unlock()
	delete(v.coins, name)
}

func (v *Vault) put(name string) {
	v.Lock()
	defer v.Unlock()
	v.coins[name]++
}

func (v *Vault) has(name string) bool {
	v.Lock()
	defer v.Unlock()
	return v.coins[name] > 0
}

func (v *Vault) Count() (n int) {
	for _, x := range v.coins { // ok: its callers can take the lock
		n += x
	}
	return n
}

// A ferry returns with its lock.
type ferry struct {
	mu   sync.Mutex
	load map[string]int
	crew map[string]int
}

func (f *ferry) remove(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.load, name)
	delete(f.crew, name)
}

func (f *ferry) stow(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.load[name]++
	f.crew[name]++
}

func (f *ferry) stowed(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.load[name] + f.crew[name]
}

func (f *ferry) Board() *crossing {
	f.mu.Lock()
	return &crossing{f}
}

func (f *ferry) Weight() (n int) {
	for _, x := range f.load { // ok: who has called Board has the lock
		n += x
	}
	return n
}

// A crossing is there as long as somebody has the lock.
type crossing struct{ ferry *ferry }

func (c *crossing) crew() (n int) {
	for _, x := range c.ferry.crew { // ok: as Weight
		n += x
	}
	return n
}

// A barge comes to its lock in a transaction.
type barge struct {
	mu    sync.Mutex
	crate map[string]int
}

// A hold is what a barge is changed by.
type hold struct{ barge *barge }

func (b *barge) remove(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.crate, name)
}

func (b *barge) change(do func(*hold)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	do(&hold{b})
}

func (b *barge) put(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.crate[name]++
}

func (b *barge) has(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.crate[name] > 0
}

func (h *hold) Clear() {
	for name := range h.barge.crate { // ok: change has the lock
		delete(h.barge.crate, name)
	}
}

// A mill has one entry: what it does comes one after the other.
type mill struct {
	mu    sync.Mutex
	sacks map[string]int
}

func (m *mill) Grind(name string) int {
	m.fill(name)
	defer m.take(name)
	return m.sum() + m.sack(name)
}

func (m *mill) fill(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sacks[name]++
}

func (m *mill) take(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sacks, name)
}

func (m *mill) sack(name string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sacks[name]
}

func (m *mill) sum() (n int) {
	for _, x := range m.sacks { // ok: Grind fills them, and nobody else
		n += x
	}
	return n
}

// An oven has comments, and other ways.
type oven struct {
	mu, doorMu sync.Mutex
	loaves     map[string]int
	trays      map[string]int
	rolls      map[string]int
	cakes      map[string]int
	done       chan struct{}
}

func (o *oven) remove(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.loaves, name)
	delete(o.trays, name)
	delete(o.rolls, name)
	delete(o.cakes, name)
}

func (o *oven) bake(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.loaves[name]++
	o.trays[name]++
	o.rolls[name]++
	o.cakes[name]++
}

func (o *oven) baked(name string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.loaves[name] + o.trays[name] + o.rolls[name] + o.cakes[name]
}

func (o *oven) loaf(name string) int {
	// A stale number does no harm, and there is but one goroutine at this hour.
	return o.loaves[name] // ok: it says why
}

// tray is called with the lock held.
func (o *oven) tray(name string) int {
	return o.trays[name] // ok: it says so
}

func (o *oven) roll(name string) int {
	o.doorMu.Lock()
	defer o.doorMu.Unlock()
	return o.rolls[name] // ok: it has another lock
}

func (o *oven) cake(name string) int {
	<-o.done
	return o.cakes[name] // ok: it has waited
}

// A well has a lock that only its writers take.
type well struct {
	mu      sync.Mutex
	buckets map[string]int
}

func (w *well) draw(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buckets[name]++
}

func (w *well) empty(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.buckets, name)
}

func (w *well) bucket(name string) int {
	return w.buckets[name] // ok: the lock may be there to keep the writers apart
}

// A jar is filled, and counted when it is full.
type jar struct {
	mu    sync.Mutex
	beans map[string]int
	kinds []string
}

func (j *jar) drop(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.beans == nil {
		j.beans = map[string]int{}
	}
	j.beans[name]++
	j.kinds = append(j.kinds, name)
}

func (j *jar) bean(name string) (int, string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.beans[name], j.kinds[0]
}

func (j *jar) sum() (n int) {
	for _, x := range j.beans { // ok: all may be there
		n += x
	}
	return n
}

func (j *jar) last() string { return j.kinds[len(j.kinds)-1] } // ok: as above

// A barn is read without the lock by several.
type barn struct {
	mu   sync.Mutex
	cows map[string]int
	list []string
	size [4]int
}

func (b *barn) remove(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.cows, name)
}

func (b *barn) add(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cows[name]++
	b.list = nil
	b.size[0]++
}

func (b *barn) cow(name string) (int, []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cows[name], b.list[:1]
}

func (b *barn) one() int { return b.cows["one"] } // ok: so does two

func (b *barn) two() int { return b.cows["two"] } // ok: so does one

func (b *barn) line(i int) string { return b.list[i] } // ok: nobody adds to it

func (b *barn) small() bool { return len(b.cows) < 3 } // ok: it takes no element

func (b *barn) tail() int { return b.size[1] } // ok: an array is neither

// A silo has its rye in a struct of its own.
type silo struct {
	mu   sync.Mutex
	rye  struct{ bags map[string]int }
	oats map[string]int
}

func (s *silo) fill(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rye.bags[name]++
	s.oats[name]++
}

func (s *silo) empty(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.rye.bags, name)
	delete(s.oats, name)
}

func (s *silo) filled(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rye.bags[name] + s.oats[name]
}

func (s *silo) bags(name string) int { return s.rye.bags[name] } // ok: the struct may have another lock, or none

// oldest has the silo from somebody who may have made it.
func oldest(silo func() *silo, name string) int {
	s := silo()
	return s.oats[name] // ok: nobody else may have it
}
