// Package place names a directory of the user, and does nothing with files.
package place

import "os"

// Home is that of the environment, or else of the user.
func Home() string {
	if dir := os.Getenv("HOME"); dir != "" {
		return dir
	}
	if dir, err := os.UserHomeDir(); err == nil {
		return dir
	}
	return ""
}
