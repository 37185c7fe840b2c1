package soft

import "os"

func ensure(dir string) error { return os.MkdirAll(dir, 0o700) }
