package late

// locked runs fn under the lock of a file.
func locked(path string, fn func() error) error {
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	return fn()
}

// captured has the lock when it saves, and what was there before it had.
func captured(path, id, file string) error {
	x, err := loadIndex(path)
	if err != nil {
		return err
	}
	return locked(path, func() error {
		x.Sessions[id] = file
		return saveIndex(path, x) // want `captured takes the lock of path only after it has loaded it`
	})
}

// inside loads it in the callback.
func inside(path, id, file string) error {
	return locked(path, func() error {
		x, err := loadIndex(path)
		if err != nil {
			return err
		}
		x.Sessions[id] = file
		return saveIndex(path, x)
	})
}

// copied captures something made of what it has loaded.
func copied(path, id string) error {
	x, err := loadIndex(path)
	if err != nil {
		return err
	}
	sessions := map[string]string{}
	for name, file := range x.Sessions {
		if name != id {
			sessions[name] = file
		}
	}
	return locked(path, func() error {
		return saveIndex(path, &index{sessions}) // want `copied takes the lock of path only after it has loaded it`
	})
}

// looked only looks before it has the lock.
func looked(path, id, file string) error {
	if x, err := loadIndex(path); err != nil || x.Sessions[id] == file {
		return err
	}
	return locked(path, func() error {
		x, err := loadIndex(path)
		if err != nil {
			return err
		}
		x.Sessions[id] = file
		return saveIndex(path, x)
	})
}
