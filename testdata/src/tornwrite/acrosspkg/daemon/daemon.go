// Package daemon stands two packages away from the write.
package daemon

import "tornwrite/acrosspkg/known"

func saveConfig(dir string, v map[string]string) error {
	return known.Keep(dir+"/config.json", v) // want `saveConfig rewrites dir/config\.json in place through known\.Keep`
}
