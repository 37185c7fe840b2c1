// Package system stands in for github.com/cloudfoundry/bosh-utils/system.
package system

type FileSystem interface {
	WriteFileString(path, content string) error
	WriteFile(path string, content []byte) error
	ReadFile(path string) (content []byte, err error)
	FileExists(path string) bool
}
