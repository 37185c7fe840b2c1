package libraries

import (
	"os"
	"path/filepath"

	"gopkg.in/ini.v1"
)

// leave makes the file where there is none, and then reads it with options.
func leave(dir, profile string) error {
	path := filepath.Join(dir, "credentials.ini")
	if _, err := os.Stat(path); os.IsNotExist(err) {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	file, err := ini.LoadSources(ini.LoadOptions{AllowNestedValues: true}, path)
	if err != nil {
		return err
	}
	file.DeleteSection(profile)
	return file.SaveTo(path) // want `leave loads dir/credentials.ini, changes it and saves it with no lock` `leave rewrites dir/credentials.ini in place through ini.v1.File.SaveTo\(\)`
}
