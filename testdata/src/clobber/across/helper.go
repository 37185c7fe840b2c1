package across

import "clobber/across/files"

type visits struct {
	dir  string
	seen map[string]string
}

// start loses the error of the other package, whoever calls it.
func (v *visits) start() {
	v.seen, _ = files.Read(sessionFile(v.dir)) // want `\(\*visits\)\.start takes a file that cannot be loaded for an empty one, and \(\*visits\)\.\w+ saves that`
	if v.seen == nil {
		v.seen = map[string]string{}
	}
}

func (v *visits) keep() error { return files.Save(sessionFile(v.dir), v.seen) }

func (v *visits) arrive(id string) error {
	unlock, err := lock(sessionFile(v.dir))
	if err != nil {
		return err
	}
	defer unlock()
	v.start()
	v.seen[id] = "here"
	return v.keep()
}

func (v *visits) depart(id string) error {
	unlock, err := lock(sessionFile(v.dir))
	if err != nil {
		return err
	}
	defer unlock()
	v.start()
	delete(v.seen, id)
	return v.keep()
}
