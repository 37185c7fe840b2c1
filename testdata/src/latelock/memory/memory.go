// Package memory has objects that no file stands behind.
package memory

import (
	"container/list"
	"errors"
	"sync"
	"time"
)

type entry struct {
	mu    sync.Mutex
	count int
}

type table struct {
	mu      sync.RWMutex
	entries map[string]*entry
	spare   map[string]int
	order   *list.List
	total   int
	limit   int
	keys    []string
	running bool
	closed  bool
	done    chan struct{}
	ready   chan struct{}
	index   map[string]int
	once    sync.Once
	start   int
	changed time.Time
	room    int
}

// An option is called by who makes a table.
type option func(*table)

func withLimit(n int) option { return func(t *table) { t.limit = n } }

func withTotal(n int) option { return func(t *table) { t.total = n } }

// New makes a table.
func New(options ...option) *table {
	t := &table{entries: map[string]*entry{}, order: list.New(), done: make(chan struct{}), ready: make(chan struct{})}
	for _, o := range options {
		o(t)
	}
	return t
}

// Count changes under the lock of readers.
func (t *table) Count(key string) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	t.total++ // want `\(\*table\).Count changes t.total while it holds only the read lock of t.mu`
}

// Move changes a map that it has another name for.
func (t *table) Move(key string) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	m := t.spare
	m[key]++ // want `\(\*table\).Move changes t.spare while it holds only the read lock of t.mu`
}

// Deep has three functions below it, the last of which removes.
func (t *table) Deep(key string) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	t.first(key) // want `\(\*table\).Deep changes t.spare, in \(\*table\).third, while it holds only the read lock of t.mu`
	return t.spare[key]
}

func (t *table) first(key string)  { t.second(key) }
func (t *table) second(key string) { t.third(key) }
func (t *table) third(key string)  { delete(t.spare, key) }

// Clear has the lock.
func (t *table) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = map[string]*entry{}
	t.spare = map[string]int{}
	t.order.Init()
	t.total, t.limit, t.keys, t.running = 0, 0, nil, false
}

// Spare reads under the lock.
func (t *table) Spare(key string) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.spare[key] + t.total + t.limit + len(t.keys) + len(t.entries) + t.order.Len()
}

// Get enters what an earlier look did not find.
func (t *table) Get(key string) *entry {
	t.mu.RLock()
	e, ok := t.entries[key]
	t.mu.RUnlock()
	if ok {
		return e
	}
	e = &entry{}
	t.mu.Lock()
	t.entries[key] = e // want `\(\*table\).Get enters a new object into t.entries because an earlier look found none, but has released t.mu since`
	t.mu.Unlock()
	return e
}

// A note is what it was made of.
type note struct{ text string }

type notes struct {
	mu   sync.Mutex
	list map[string]*note
	last time.Time
}

// Note enters what another caller would enter, too.
func (n *notes) Note(text string) *note {
	n.mu.Lock()
	x, ok := n.list[text]
	n.mu.Unlock()
	if !ok {
		x = &note{text}
		n.mu.Lock()
		n.list[text] = x
		n.mu.Unlock()
	}
	return x
}

// Len has the lock.
func (n *notes) Len() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = time.Now()
	return len(n.list)
}

// Due makes a time of another, which changes nothing.
func (n *notes) Due() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.last.Add(time.Minute).Before(time.Now())
}

// Both looks again.
func (t *table) Both(key string) *entry {
	t.mu.RLock()
	e, ok := t.entries[key]
	t.mu.RUnlock()
	if ok {
		return e
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.entries[key]; ok {
		return e
	}
	e = &entry{}
	t.entries[key] = e
	return e
}

// Create says that there is one, by a look that had no lock.
func (t *table) Create(key string, e *entry) error {
	if _, ok := t.entries[key]; ok {
		return errors.New("there is one")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries[key] = e // want `\(\*table\).Create enters what it made into t.entries because a look found nothing there, but had not taken t.mu then`
	return nil
}

// Start begins what two callers may begin.
func (t *table) Start() error {
	t.mu.Lock()
	if t.running {
		t.mu.Unlock()
		return errors.New("running")
	}
	t.mu.Unlock()
	t.prepare()
	t.mu.Lock()
	t.running = true // want `\(\*table\).Start sets t.running because an earlier look found it unset, but has released t.mu since`
	t.mu.Unlock()
	return nil
}

func (t *table) prepare() {}

// Index makes a map where there is none.
func (t *table) Index(key string) int {
	if t.index == nil {
		t.mu.Lock()
		t.index = map[string]int{} // want `\(\*table\).Index sets t.index because an earlier look found it unset, but had not taken t.mu then`
		t.mu.Unlock()
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.index[key]
}

// Enter has others enter something.
func (t *table) Enter(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.index[key] = 1
}

// Indexed has it under the lock.
func (t *table) Indexed() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.index)
}

// Full goes by what it saw before the lock.
func (t *table) Full(key string) bool {
	if t.limit < 1 { // want `\(\*table\).Full looks at t.limit before it takes t.mu`
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.spare) > 2
}

// Fill runs f while it holds the lock for writing, and has no lock when it looks.
func (t *table) Fill(f func()) bool {
	if t.room < 2 { // want `\(\*table\).Fill looks at t.room before it takes t.mu`
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
	return len(t.spare) > 3
}

// Stale has somebody else compare what it saw before the lock.
func (t *table) Stale(at time.Time) bool {
	if t.changed.After(at) { // want `\(\*table\).Stale looks at t.changed before it takes t.mu`
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.spare) > 4
}

// Touch and Age have it under the lock.
func (t *table) Touch(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changed = at
}

func (t *table) Age(at time.Time) time.Duration {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return at.Sub(t.changed)
}

// Widen and Room have it under the lock.
func (t *table) Widen() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.room++
}

func (t *table) Room() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.room
}

// Add has the keys changed to what it made of them without the lock.
func (t *table) Add(key string) {
	keys := append(t.keys, key) // want `\(\*table\).Add looks at t.keys without t.mu, and has it changed under the lock to what it made of that`
	t.install(keys)
}

func (t *table) install(keys []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keys = keys
}

// Keys reads them under the lock.
func (t *table) Keys() []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.keys
}

// Wait changes what the lock is for, and takes the lock in what it calls.
func (t *table) Wait(n int) int {
	t.total += n // want `\(\*table\).Wait changes t.total before it takes t.mu`
	return t.Spare("")
}

// Begin runs what it does once before it takes the lock.
func (t *table) Begin() int {
	t.once.Do(func() { t.start = 1 })
	t.mu.Lock()
	defer t.mu.Unlock()
	t.start++
	return t.start
}

// Ahead has the lock.
func (t *table) Ahead() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.start += 2
	return t.start
}

// Behind has it, too.
func (t *table) Behind() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.start--
	return t.start
}

// A gate is closed by who lets go of the lock.
type gate struct {
	mu      sync.Mutex
	closed  bool
	waiting int
	turn    int
	ready   chan struct{}
}

// Close keeps others out before it looks.
func (g *gate) Close() bool {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	return g.waiting > 0 && g.left()
}

func (g *gate) left() bool { return true }

// Await looks at what it has waited for.
func (g *gate) Await() int {
	g.mu.Lock()
	ready := g.ready
	g.mu.Unlock()
	<-ready
	if g.waiting > 0 {
		return 1
	}
	return 0
}

// Enter changes it unless the gate is closed.
func (g *gate) Enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.waiting++
	}
}

// Leave changes it.
func (g *gate) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting--
}

// All leave.
func (g *gate) All() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = 0
}

// Waiting reads it.
func (g *gate) Waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiting
}

// Serve looks at what only it leads to.
func (g *gate) Serve() {
	// Whoever has it goes first.
	g.mu.Lock()
	g.mu.Unlock()
	if g.turn > 0 {
		return
	}
	g.next()
}

func (g *gate) next() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn++
}

// Turn reads it.
func (g *gate) Turn() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.turn
}

// A line says what its lock is for.
type line struct {
	// guards all mutable fields
	mu     sync.Mutex
	events []string
	last   string
}

// A store has a lock of its own.
type store struct {
	mu    sync.Mutex
	lines map[string]string
}

// Append has the lock of the store, and not that of the line.
func (s *store) Append(l *line, event string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.append(event)
	s.lines[event] = event
}

func (l *line) append(event string) {
	l.events = append(l.events, event) // want `\(\*line\).append changes events without mu, which its comment asks for`
	l.last = event
}

// Last reads under the lock.
func (l *line) Last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last + l.events[0]
}

// Nobody else changes the turns of a wheel under its lock: it may be for the speed.
type wheel struct {
	mu    sync.Mutex
	turns int
	speed int
}

func (w *wheel) Turn() {
	w.turns++
	w.mu.Lock()
	defer w.mu.Unlock()
	w.speed++
}

func (w *wheel) Back() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.speed--
	return w.turns
}

func (w *wheel) Speed() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.speed / w.turns
}
