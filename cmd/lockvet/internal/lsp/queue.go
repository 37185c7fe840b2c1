package lsp

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// A job is folders of one module that are to be analysed, or what imports them.
type job struct {
	kind
	folders []string
}

// A kind tells which jobs are done together.
type kind struct {
	importers bool
	root      string
}

// A queue is what is to be analysed: first the folders of files that were opened or saved,
// so that what is found in them is told soon, then what imports these.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	folders map[kind]map[string]bool
	stopped bool
	cancel  context.CancelFunc // ends the job that is being done, nil where there is none
}

func newQueue() *queue {
	q := &queue{folders: make(map[kind]map[string]bool)}
	q.changed.L = &q.mu
	return q
}

// add enters a job. Where files have changed, the one that is being done is about what is
// no more, and is ended.
func (q *queue) add(j job, filesChanged bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.folders[j.kind] == nil {
		q.folders[j.kind] = make(map[string]bool)
	}
	for _, f := range j.folders {
		q.folders[j.kind][f] = true
	}
	if filesChanged && q.cancel != nil {
		q.cancel()
	}
	q.changed.Signal()
}

// next waits for a job: the context ends when it need not be done any more. It returns
// false when the queue has stopped.
func (q *queue) next(ctx context.Context) (context.Context, job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.stopped && len(q.folders) == 0 {
		q.changed.Wait()
	}
	if q.stopped {
		return nil, job{}, false
	}
	var first kind
	for k := range q.folders {
		if first.root == "" || !k.importers && first.importers || k.importers == first.importers && k.root < first.root {
			first = k
		}
	}
	j := job{first, slices.Sorted(maps.Keys(q.folders[first]))}
	delete(q.folders, first)
	ctx, q.cancel = context.WithCancel(ctx)
	return ctx, j, true
}

// done says that the job is.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.cancel()
	q.cancel = nil
}

// stop ends the job that is being done, and the queue.
func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
	if q.cancel != nil {
		q.cancel()
	}
	q.changed.Signal()
}
