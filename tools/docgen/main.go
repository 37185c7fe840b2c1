// Docgen writes what is documented of the checks in more than one place, from
// the doc.go of each: a page under docs/checks, and the table of the README.
//
//	go run ./tools/docgen [-C root]
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/internal/bundle/safeio"
)

func main() {
	root := flag.String("C", ".", "root `directory` of the repository")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	files, err := generate(root)
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := safeio.WriteFile(path, content, 0o666); err != nil {
			return err
		}
	}
	return nil
}
