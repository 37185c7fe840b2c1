package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
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
	dir := os.Getenv(cacheVariable)
	if dir == "off" {
		return nil, nil
	}
	if dir != "" && !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("%s is %q, which is another directory for each place that lockvet is run in: name it absolutely, or \"off\"", cacheVariable, dir)
	}
	if dir != "" {
		c, err := analyse.OpenCache(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: name a directory that can be written, or \"off\"", cacheVariable, err)
		}
		return c, nil
	}
	home, err := os.UserCacheDir()
	if err != nil {
		return nil, nil
	}
	c, err := analyse.OpenCache(filepath.Join(home, "lockvet"))
	if err != nil {
		return nil, nil
	}
	return c, nil
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
