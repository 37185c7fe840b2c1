package safeio

import (
	"context"
	"path/filepath"
	"sync"
)

// What one process writes to a log at a time, so that other processes have
// their turn. A longer record goes alone.
const (
	batchRecords = 256
	batchBytes   = 1 << 20
)

// A pending is a record that waits to be appended.
type pending struct {
	ctx    context.Context
	opts   Options
	target target
	record []byte
	turn   chan bool // true: lead the next batch; false: it is done
	taken  bool      // part of a batch; guarded by the queues' mutex
	err    error     // of this record
}

// appends are the records that wait in this process, by the path of their
// file. The first of each queue leads: it writes for those behind it too.
var appends = struct {
	sync.Mutex
	queues map[string][]*pending
}{queues: map[string][]*pending{}}

// wait returns when p is written: by another, or by lead, which is called when
// it is p's turn and given what takes the batch to write.
func (p *pending) wait(lead func(batch func(most int) []*pending)) {
	key, err := filepath.Abs(p.target.path)
	if err != nil {
		key = p.target.path
	}
	key = p.opts.group() + key
	if !p.enqueue(key) && !p.await(key) {
		return
	}
	var batch []*pending
	lead(func(most int) []*pending {
		batch = firstOf(key, most)
		return batch
	})
	dequeue(key, len(batch))
	for _, other := range batch[1:] {
		other.turn <- false
	}
}

// await waits until p is written, or has to lead.
func (p *pending) await(key string) bool {
	select {
	case lead := <-p.turn:
		return lead
	case <-p.ctx.Done():
	}
	if p.leave(key) {
		p.err = p.target.wrap("append", lockRequest{ctx: p.ctx}.cancelled())
		return false
	}
	return <-p.turn
}

// leave takes p out of its queue, unless it is part of a batch or has to lead one.
func (p *pending) leave(key string) bool {
	appends.Lock()
	defer appends.Unlock()
	queue := appends.queues[key]
	for i, other := range queue {
		if other == p && i > 0 && !p.taken {
			appends.queues[key] = append(queue[:i:i], queue[i+1:]...)
			return true
		}
	}
	return false
}

// enqueue reports whether p is first in its queue.
func (p *pending) enqueue(key string) bool {
	appends.Lock()
	defer appends.Unlock()
	queue := append(appends.queues[key], p)
	appends.queues[key] = queue
	return len(queue) == 1
}

// firstOf returns as many of the queue's first as make a batch, at least one and
// not more than most. They stay in the queue.
func firstOf(key string, most int) []*pending {
	appends.Lock()
	defer appends.Unlock()
	queue := appends.queues[key]
	n, size := 0, 0
	for n < len(queue) && n < most {
		size += len(queue[n].record) + 1
		if n > 0 && size > batchBytes {
			break
		}
		queue[n].taken = true
		n++
	}
	return append([]*pending(nil), queue[:n]...)
}

// dequeue drops the first n of the queue and lets the next lead.
func dequeue(key string, n int) {
	appends.Lock()
	defer appends.Unlock()
	queue := appends.queues[key][n:]
	if len(queue) == 0 {
		delete(appends.queues, key)
		return
	}
	appends.queues[key] = queue
	queue[0].turn <- true
}
