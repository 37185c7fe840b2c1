// Bareload is the floor of the standalone measurements: it loads packages, with
// syntax and types, and looks at none of them.
//
//	bareload -C DIR PATTERN...
package main

import (
	"flag"
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	dir := flag.String("C", "", "load in this `directory`")
	flag.Parse()
	cfg := &packages.Config{Mode: packages.LoadSyntax, Dir: *dir}
	pkgs, err := packages.Load(cfg, flag.Args()...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bareload:", err)
		os.Exit(2)
	}
	fmt.Println(len(pkgs), "packages")
}
