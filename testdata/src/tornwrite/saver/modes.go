package saver

import (
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
)

// oldStyle has modes without an o, and so have those that it gets.
func oldStyle(dir string, c clientcmd.Config) error {
	if err := os.MkdirAll(dir, 0700); err != nil {
		return err
	}
	return clientcmd.WriteToFile(c, filepath.Join(dir, ".kube", "config")) // want `oldStyle rewrites dir/\.kube/config in place through clientcmd\.WriteToFile\(\)`
}
