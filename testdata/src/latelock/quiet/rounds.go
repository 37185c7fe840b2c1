package quiet

import (
	"os"
	"strconv"
	"sync"
)

// A link is read by one goroutine and written to by others.
type link struct {
	mu     sync.Mutex
	acks   string
	round  int // what the reader has met in this round, nobody else looks at it
	last   int
	topics map[string]bool
	hits   int
}

// serve is the reader.
func (l *link) serve(next func() string) {
	for {
		l.round = 0
		switch next() {
		case "join":
			l.join("a")
		case "leave":
			l.leave("a")
		case "forward":
			l.forward("a")
		case "ack":
			l.ack()
		}
		l.mu.Lock()
		if l.round > 0 {
			l.last++
		}
		l.mu.Unlock()
	}
}

func (l *link) join(topic string) {
	l.mu.Lock()
	l.round++
	l.topics[topic] = true
	l.mu.Unlock()
}

func (l *link) leave(topic string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.round++
	delete(l.topics, topic)
}

// forward is ahead of the lock, which does not guard what it counts.
func (l *link) forward(topic string) {
	l.round++
	l.mu.Lock()
	l.topics[topic] = true
	l.mu.Unlock()
}

func (l *link) ack() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return os.WriteFile(l.acks, []byte(strconv.Itoa(l.last)), 0o600)
}

// hit and the others below count without the lock as often as with it.
func (l *link) hit() {
	l.hits++
	l.mu.Lock()
	l.last++
	l.mu.Unlock()
}

func (l *link) miss() {
	l.hits--
	l.mu.Lock()
	l.last--
	l.mu.Unlock()
}

func (l *link) graze() {
	l.mu.Lock()
	l.last = 0
	l.mu.Unlock()
	l.hits++
}

func (l *link) touch() {
	l.mu.Lock()
	l.hits++
	l.mu.Unlock()
}

func (l *link) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hits
}

// A line says at its lock what it is for, which holds for the fields that others use.
type line struct {
	mu    sync.Mutex // protects the fields below
	round int
	acks  map[string]bool
	file  string
}

// serve is the only goroutine that counts.
func (l *line) serve(next func() string) {
	for {
		l.round = 0
		topic := next()
		l.count(topic)
		l.mu.Lock()
		if l.round > 0 {
			l.acks[topic] = true
		}
		l.mu.Unlock()
	}
}

func (l *line) count(topic string) {
	l.round++
	l.mu.Lock()
	l.acks[topic] = false
	l.mu.Unlock()
}

func (l *line) save() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return os.WriteFile(l.file, []byte(strconv.Itoa(len(l.acks))), 0o600)
}
