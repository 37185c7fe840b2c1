package aside

import (
	"strings"
	"sync"
	"time"
)

// A fan has a channel that is not for its loop.
type fan struct {
	mu     sync.Mutex
	on     bool
	stop   chan bool
	events chan bool
}

func (f *fan) Run(t *time.Ticker) {
	for {
		if f.on { // ok: nobody is seen who changes it while the loop runs
			println("on")
		}
		select {
		case <-t.C:
		case <-f.stop:
			return
		}
	}
}

func (f *fan) Switch() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on = true
	f.events <- true
}

// A band has players that nothing but the band changes.
type band struct {
	mu      sync.Mutex
	players map[string]*player
}

type player struct {
	mu    sync.Mutex
	plays bool
}

func (b *band) ask(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.players[name]
	if p != nil && !p.plays { // ok: who changes it has the lock of the band, too
		p.play()
	}
}

func (p *player) play() {
	p.mu.Lock()
	p.plays = true
	p.mu.Unlock()
}

// A sign is shared with others who can take the lock.
type Sign struct {
	sync.Mutex
	text string
}

func (s *Sign) Read() string {
	if s.text != "" { // ok: who has the sign can have the lock
		return s.text
	}
	s.Lock()
	defer s.Unlock()
	s.text = strings.Repeat("-", 3)
	return s.text
}

// A flag is one word.
type flag struct {
	mu  sync.Mutex
	set *int
}

func (f *flag) get() *int {
	if f.set != nil { // ok: the pointer is the old one or the new one, and the same number
		return f.set
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 1
	f.set = &n
	return f.set
}

// A meter belongs to the goroutine that it starts.
type meter struct {
	mu   sync.Mutex
	text string
}

func newMeter() *meter {
	m := &meter{}
	go m.loop()
	return m
}

func (m *meter) loop() {
	for {
		m.mu.Lock()
		m.text = strings.ToUpper(m.text)
		m.mu.Unlock()
		println(m.text) // ok: one goroutine comes here
	}
}

// A ledger is used by another function without the lock, too.
type ledger struct {
	mu   sync.Mutex
	last string
}

func (l *ledger) next() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last += "'"
	return l.last
}

func (l *ledger) note(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	println(s)
}

func (l *ledger) show() { println(l.last) }

func noteLast(l *ledger) {
	l.note(l.last) // ok: others do not take the lock for it, either
}

// A mill is told by a channel how many stones it has now.
type mill struct {
	mu      sync.Mutex
	stones  int
	changed chan bool
	quit    chan bool
}

func (m *mill) Run() {
	for running := 0; ; {
		select {
		case <-m.changed:
			if m.stones != running { // ok: the change comes before the signal, and the look behind it
				running = m.stones
			}
		case <-m.quit:
			return
		}
	}
}

func (m *mill) SetStones(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stones = n
	m.changed <- true
}
