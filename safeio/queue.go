package safeio

import (
	"context"
	"sync"
)

// A queue is where the goroutines of this process wait for one lock file, by
// whatever name they came. Its head has the turn: it acquires the lock of the
// system, then becomes a holder, or passes the turn on.
//
// Turns are given in order of arrival, so nobody who shares gets past one who
// waits for the exclusive lock.
type queue struct {
	id      lockID
	turn    bool // someone has it
	stuck   bool // whoever has it waits for another process
	writer  bool // a holder
	readers int  // holders
	first   *waiter
	last    *waiter
	strict  int       // of all these and the turn, how many are for the exclusive lock
	agents  [2]*agent // by mode
	held    Held      // of the first holder: mostly nobody else comes
	taken   bool      // somebody has that
}

// queues has the queues in which anyone is. Its mutex guards them all; what is
// done under it is short, and waits for nothing.
var queues struct {
	sync.Mutex
	byID map[lockID]*queue
}

// A waiter is one that waits for a turn in a queue.
type waiter struct {
	mode    lockMode
	try     bool
	prev    *waiter
	next    *waiter
	ready   chan struct{} // closed when it leaves the queue
	refused bool          // it left without the turn; only if try
}

// joinQueue lines up. Without a waiter, the turn has come. The error is for
// one who does not want to wait, and a *LockedError.
func joinQueue(id lockID, mode lockMode, try bool) (*queue, *waiter, error) {
	queues.Lock()
	defer queues.Unlock()
	q := queues.byID[id]
	if q == nil {
		q = &queue{id: id}
		if queues.byID == nil {
			queues.byID = make(map[lockID]*queue)
		}
		queues.byID[id] = q
	}
	if q.admits(mode) && q.first == nil {
		q.turn = true
		q.count(mode, 1)
		return q, nil, nil
	}
	if try && (mode == exclusive || q.strict > 0 || q.stuck) {
		return nil, nil, &LockedError{id: id, ours: q.writer || q.readers > 0}
	}
	w := &waiter{mode: mode, try: try, ready: make(chan struct{})}
	q.push(w)
	return q, w, nil
}

// await waits until w has the turn. If it does not get it, w has left.
func (q *queue) await(ctx context.Context, w *waiter) error {
	select {
	case <-w.ready:
		if w.refused {
			return &LockedError{id: q.id}
		}
		return nil
	case <-ctx.Done():
	}
	queues.Lock()
	defer queues.Unlock()
	select {
	case <-w.ready: // too late to leave: the caller sees that ctx is done
		return nil
	default:
	}
	q.remove(w)
	q.count(w.mode, -1)
	q.next() // w may have been in the way
	return lockRequest{ctx: ctx}.cancelled()
}

// grant makes the one who has the turn a holder, of a Held to be filled in.
func (q *queue) grant(mode lockMode) *Held {
	queues.Lock()
	defer queues.Unlock()
	q.turn, q.stuck = false, false
	if mode == exclusive {
		q.writer = true
	} else {
		q.readers++
	}
	q.next()
	if q.taken {
		return new(Held)
	}
	q.taken = true
	return &q.held
}

// pass ends a turn that failed.
func (q *queue) pass(mode lockMode) {
	queues.Lock()
	defer queues.Unlock()
	q.turn, q.stuck = false, false
	q.count(mode, -1)
	q.next()
}

// release takes a holder out.
func (q *queue) release(mode lockMode) {
	queues.Lock()
	defer queues.Unlock()
	if mode == exclusive {
		q.writer = false
	} else {
		q.readers--
	}
	q.count(mode, -1)
	q.next()
}

// next gives the turn to the first that waits, if that is possible. A queue in
// which nobody is left is forgotten.
func (q *queue) next() {
	w := q.first
	switch {
	case w == nil:
		q.forget()
	case q.admits(w.mode):
		q.remove(w)
		q.turn = true
		close(w.ready)
	}
}

// forget drops a queue in which nobody is. An agent that goes home late may do
// so again, when there is already another queue for the file.
func (q *queue) forget() {
	idle := !q.turn && !q.writer && q.readers == 0 && q.agents == [2]*agent{}
	if idle && queues.byID[q.id] == q {
		delete(queues.byID, q.id)
	}
}

// admits reports whether mode goes together with the holders.
func (q *queue) admits(mode lockMode) bool {
	return !q.turn && !q.writer && (mode == shared || q.readers == 0)
}

func (q *queue) count(mode lockMode, n int) {
	if mode == exclusive {
		q.strict += n
	}
}

// stick notes that the turn waits for another process: those who only try
// have to leave.
func (q *queue) stick() {
	q.stuck = true
	for w := q.first; w != nil; w = w.next {
		if w.try {
			q.remove(w)
			q.count(w.mode, -1)
			w.refused = true
			close(w.ready)
		}
	}
}

func (q *queue) push(w *waiter) {
	q.count(w.mode, 1)
	w.prev = q.last
	if q.last == nil {
		q.first = w
	} else {
		q.last.next = w
	}
	q.last = w
}

// remove takes w out of the line. Its own links stay, for who walks along
// them.
func (q *queue) remove(w *waiter) {
	if w.prev == nil {
		q.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		q.last = w.prev
	} else {
		w.next.prev = w.prev
	}
}
