// Price says what each rule of lockvet costs and brings on labelled rows of other people's
// code: the bugs that are reported without it and not with it, and the places that need no
// report and get one.
//
//	go run ./tools/bench/price -root DIR -module DIR [-without ID,…] [-prices] packages…
//
// analyses packages of a checkout, as far as they are of a main module, and prints what it
// reports as one JSON document: with all rules, and, with -prices, without each rule that spoke
// of anything there. What is imported is type-checked from source, so that nothing is compiled.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	root := flag.String("root", ".", "the folder of the checkout")
	module := flag.String("module", ".", "the folder of the module, relative to -root")
	without := flag.String("without", "", "leave out these rules")
	prices := flag.Bool("prices", false, "analyse without each rule that spoke, too")
	flag.Parse()
	var ids []string
	if *without != "" {
		ids = strings.Split(*without, ",")
	}
	var o *Outcome
	abs, err := filepath.Abs(*root)
	if err == nil {
		o, err = newWorker(abs, *module, ids, *prices).run(flag.Args())
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "price:", err)
		os.Exit(1)
	}
}
