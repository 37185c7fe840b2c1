package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
)

// cacheVariable names the directory in which results are kept for later runs, or is
// "off".
const cacheVariable = "LOCKVET_CACHE"

// analysisCache opens the cache of a run that reports: one that fixes, or tells of what is not reported, analyses everything.
func (s *session) analysisCache() (*analyse.Cache, error) {
	if s.fixes() || s.all {
		return nil, nil
	}
	return openCache()
}

// openCache opens the cache. Without a directory to keep results in, as where there is no home, nothing is kept,
// unless one was asked for.
func openCache() (*analyse.Cache, error) {
	dir, err := namedCache()
	if err != nil || dir == "off" {
		return nil, err
	}
	folder, err := cacheFolder(results)
	if err != nil {
		return nil, nil
	}
	c, err := analyse.OpenCache(folder)
	if err != nil && dir != "" {
		return nil, fmt.Errorf("%s: %w: name a directory that can be written, or \"off\"", cacheVariable, err)
	}
	return c, nil
}

// namedCache is what the user has said of the cache: an absolute name, "off", or nothing.
func namedCache() (string, error) {
	dir := os.Getenv(cacheVariable)
	if dir == "" || dir == "off" || filepath.IsAbs(dir) {
		return dir, nil
	}
	return "", fmt.Errorf("%s is %q, which depends on the directory that lockvet is run in: name it absolutely, or \"off\"", cacheVariable, dir)
}

// cacheFolder is a folder beside the results, also where these are not kept.
func cacheFolder(name string) (string, error) {
	dir := os.Getenv(cacheVariable)
	if !filepath.IsAbs(dir) { // "", "off"
		home, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("%w: name a directory in %s", err, cacheVariable)
		}
		dir = filepath.Join(home, "lockvet")
	}
	return filepath.Join(dir, name), nil
}

// results is the folder, in the cache directory, of what lockvet makes again where it is gone: what it keeps of packages,
// and of package os for lockvet prove. Lock files stand beside it: without one, nobody sees who holds the lock.
const results = "lockvet-results"

// cache says where results are kept, and how large that is, or removes them.
func (c command) cache(args []string) (int, error) {
	clean := slices.Equal(args, []string{"clean"})
	if len(args) > 0 && !clean {
		return 0, errors.New("usage: lockvet cache, or lockvet cache clean")
	}
	named, err := namedCache()
	if err != nil {
		return 0, err
	}
	dir, err := cacheFolder("")
	if err != nil {
		return 0, err
	}
	files, size := 0, int64(0)
	_ = filepath.WalkDir(filepath.Join(dir, results), func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // there is none, or it is going
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			files, size = files+1, size+info.Size()
		}
		return nil
	})
	said := fmt.Sprintf("%s, %.1f MB", report.Plural(files, "file"), float64(size)/1e6)
	switch {
	case clean:
		fmt.Fprintf(c.stdout, "%s: removed %s\n", dir, said)
		return exitClean, os.RemoveAll(filepath.Join(dir, results))
	case named == "off":
		said += "; " + cacheVariable + " is off: nothing is added"
	}
	fmt.Fprintf(c.stdout, "%s: %s\n", dir, said)
	return exitClean, nil
}
