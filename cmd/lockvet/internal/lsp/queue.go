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
	more    chan struct{} // has something since the queue was looked at last
	mu      sync.Mutex
	folders map[kind]map[string]bool
	cancel  context.CancelFunc // ends the job that is being done
}

func newQueue() *queue {
	return &queue{more: make(chan struct{}, 1), folders: make(map[kind]map[string]bool), cancel: func() {}}
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
	if filesChanged {
		q.cancel()
	}
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// next waits for a job, the one before being done. The context that it returns ends when the job need not be done any
// more. It returns false when the given one has ended.
func (q *queue) next(ctx context.Context) (context.Context, job, bool) {
	for ctx.Err() == nil {
		if of, j, ok := q.take(ctx); ok {
			return of, j, true
		}
		select {
		case <-q.more:
		case <-ctx.Done():
		}
	}
	return nil, job{}, false
}

// take takes the first job out of the queue, if there is one.
func (q *queue) take(ctx context.Context) (of context.Context, j job, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for k := range q.folders {
		if !ok || !k.importers && j.importers || k.importers == j.importers && k.root < j.root {
			j.kind, ok = k, true
		}
	}
	if ok {
		j.folders = slices.Sorted(maps.Keys(q.folders[j.kind]))
		delete(q.folders, j.kind)
		q.cancel()
		of, q.cancel = context.WithCancel(ctx)
	}
	return of, j, ok
}
