package safeio

import "errors"

// An agent waits in a system call for the lock of another process, on behalf
// of a request that can be cancelled, which the call cannot. There is at most
// one for each queue and mode. Its client is whoever has the turn; after a
// client that was cancelled, it is the next with the turn and the same mode.
//
// The queues' mutex guards it.
type agent struct {
	queue  *queue
	mode   lockMode
	file   lockFile
	client chan agentReport // nil if there is none
	inside bool             // past the turnstile
}

// An agentReport is how the wait ended: the file is locked, or is closed
// because of err.
type agentReport struct {
	file lockFile
	err  error
}

// errAbandoned says that nobody wants the lock any more.
var errAbandoned = errors.New("no one waits")

// wait waits for another process to release file, and is otherwise like
// obtain.
func (r lockRequest) wait(q *queue, file lockFile) (lockFile, error) {
	report := make(chan agentReport, 1)
	a := r.employ(q, file, report)
	if a == nil {
		return r.block(file)
	}
	select {
	case end := <-report:
		return r.unlessCancelled(end)
	case <-r.ctx.Done():
		if a.leave(report) {
			return file, r.cancelled()
		}
		return r.unlessCancelled(<-report)
	}
}

// employ makes the queue's agent report here. A request that cannot be
// cancelled needs none, and gets only one that is there.
func (r lockRequest) employ(q *queue, file lockFile, report chan agentReport) *agent {
	queues.Lock()
	defer queues.Unlock()
	q.stick()
	if a := q.agents[r.mode]; a != nil {
		file.close()
		a.client = report
		if a.inside {
			a.file.reenterTurnstile()
		}
		return a
	}
	if r.ctx.Done() == nil {
		return nil
	}
	a := &agent{queue: q, mode: r.mode, file: file, client: report}
	q.agents[r.mode] = a
	go a.work(r.opts)
	return a
}

// block waits in the system call itself.
func (r lockRequest) block(file lockFile) (lockFile, error) {
	err := r.opts.block(file, r.mode, func() error { return nil })
	file.leaveTurnstile()
	if err != nil {
		file.close()
	}
	return file, err
}

// unlessCancelled is how a wait ended, if that is not too late.
func (r lockRequest) unlessCancelled(end agentReport) (lockFile, error) {
	err := r.cancelled()
	if err == nil || end.err != nil {
		return end.file, end.err
	}
	r.opts.letGo(end.file)
	return end.file, err
}

// block waits for the lock of the system on file. Between the turnstile and
// the lock it asks whether to go on.
func (o Options) block(file lockFile, mode lockMode, goOn func() error) error {
	if err := o.retry("lock.turnstile", file.enterTurnstile); err != nil {
		return lockFailure(err)
	}
	if err := goOn(); err != nil {
		return err
	}
	return lockFailure(o.retry("lock.wait", func() error { return file.flock(mode) }))
}

func (a *agent) work(o Options) {
	err := o.block(a.file, a.mode, a.enter)
	client := a.retire()
	switch {
	case err != nil:
		a.file.close()
	case client == nil:
		o.letGo(a.file)
	}
	if client != nil {
		client <- agentReport{a.file, err}
	}
}

// enter is called past the turnstile. An agent without a client goes no
// further, and is none from then on.
func (a *agent) enter() error {
	queues.Lock()
	defer queues.Unlock()
	if a.client == nil {
		a.queue.agents[a.mode] = nil
		return errAbandoned
	}
	a.inside = true
	return nil
}

// retire ends the wait. The client, if there is one, is to be told.
func (a *agent) retire() chan agentReport {
	queues.Lock()
	defer queues.Unlock()
	a.file.leaveTurnstile()
	if a.queue.agents[a.mode] == a {
		a.queue.agents[a.mode] = nil
	}
	client := a.client
	a.client = nil
	a.queue.next() // which may be forgotten now
	return client
}

// leave takes the client away, unless it is about to get its report. An agent
// without a client stays in the system call, but is in nobody's way there:
// only the turnstile keeps the order.
func (a *agent) leave(client chan agentReport) bool {
	queues.Lock()
	defer queues.Unlock()
	if a.client != client {
		return false
	}
	a.client = nil
	if a.inside {
		a.file.leaveTurnstile()
	}
	return true
}
