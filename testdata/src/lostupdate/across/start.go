package across

import "lostupdate/across/machine"

// start neither has the lock of the machine nor names its file.
func start(name, dir string) error {
	c, err := machine.Load(name, dir)
	if err != nil {
		return err
	}
	c.Starting = true
	return c.Write() // want `start loads path.name, changes it and saves it with no lock: what another process saves in between is lost`
}

// late takes it for the save alone.
func late(name, dir string) error {
	c, err := machine.Load(name, dir)
	if err != nil {
		return err
	}
	if err := c.Lock(); err != nil {
		return err
	}
	defer c.Unlock()
	c.Starting = true
	return c.Write() // want `late `
}

// refreshed has the lock when it loads the machine for the second time.
func refreshed(name, dir string) error {
	c, err := machine.Load(name, dir)
	if err != nil {
		return err
	}
	if err := c.Lock(); err != nil {
		return err
	}
	defer c.Unlock()
	if err := c.Refresh(); err != nil {
		return err
	}
	c.Starting = true
	return c.Write()
}

// show saves nothing.
func show(name, dir string) (int, error) {
	c, err := machine.Load(name, dir)
	if err != nil {
		return 0, err
	}
	c.CPUs++
	return c.CPUs, nil
}

// other saves another one than it has loaded.
func other(name, dir string, with *machine.Config) error {
	c, err := machine.Load(name, dir)
	if err != nil {
		return err
	}
	if c.Starting {
		return nil
	}
	return with.Write()
}
