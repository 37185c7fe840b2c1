package lsp

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// A job is folders of one module that are to be analysed, alone or with what imports
// them.
type job struct {
	root      string
	folders   []string
	importers bool
}

// A queue is what is to be analysed: first the folders of files that were opened or saved,
// so that what is found in them is told soon, then what imports these.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	own     map[string]map[string]bool // folders by root
	others  map[string]map[string]bool
	stopped bool
	cancel  context.CancelFunc // ends the job that is being done, nil where there is none
}

func newQueue() *queue {
	q := &queue{own: make(map[string]map[string]bool), others: make(map[string]map[string]bool)}
	q.changed.L = &q.mu
	return q
}

// add enters a job. Where files have changed, the one that is being done is about what is
// no more, and is ended.
func (q *queue) add(j job, filesChanged bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	jobs := q.own
	if j.importers {
		jobs = q.others
	}
	if jobs[j.root] == nil {
		jobs[j.root] = make(map[string]bool)
	}
	for _, f := range j.folders {
		jobs[j.root][f] = true
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
	for !q.stopped && len(q.own)+len(q.others) == 0 {
		q.changed.Wait()
	}
	if q.stopped {
		return nil, job{}, false
	}
	jobs, importers := q.own, false
	if len(jobs) == 0 {
		jobs, importers = q.others, true
	}
	root := slices.Min(slices.Collect(maps.Keys(jobs)))
	j := job{root, slices.Sorted(maps.Keys(jobs[root])), importers}
	delete(jobs, root)
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
