// Learn fits the weights of package state to labelled findings of public programs.
//
//	go run ./tools/learn [-list]
//	go run ./tools/learn -corpus DIR -reports DIR [-rules DIR]
//
// The first form writes internal/state/weights.go, and prints the figures by threshold and category; -list prints the
// rows, too, the surest first. The second form makes the rows anew before, as is needed when features change.
//
// The rows are in internal/state/testdata/labelled.jsonl: repository, commit, file, function, label and features, and
// no code. They are made from the labelled places of a corpus, a folder with the files bugs.jsonl, clean.jsonl,
// sample_writes.jsonl, sample_locks.jsonl, reports.jsonl, read.jsonl and field.jsonl, and from what lockvet says of the
// source there: -reports is a folder with the output of
//
//	lockvet -C DIR -json -all ./... >OWNER+NAME@COMMIT+MODULE.json
//
// for each of the commits, where COMMIT has ten digits, and MODULE is root, or the folder of a module with _ for /.
// What is in -rules was said when rules set the severities, and stays what the scores are compared with.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

const (
	labelled = "internal/state/testdata/labelled.jsonl"
	heldOut  = "internal/state/testdata/heldout.jsonl" // findings of programs that the weights are never fitted to
	weights  = "internal/state/weights.go"
)

func main() {
	corpus := flag.String("corpus", "", "make the rows anew from the labelled places in this `folder`")
	reports := flag.String("reports", "", "the `folder` with what lockvet says of the source")
	rules := flag.String("rules", "", "the `folder` with what lockvet said when rules set the severities, to compare with")
	list := flag.Bool("list", false, "print the rows, too, the surest first")
	flag.Parse()
	if err := run(*corpus, *reports, *rules, *list, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "learn:", err)
		os.Exit(1)
	}
}

func run(corpus, reports, rules string, list bool, out io.Writer) error {
	if corpus != "" {
		if err := collect(corpus, reports, rules, out); err != nil {
			return err
		}
	}
	rows, err := readRows(labelled)
	if err != nil {
		return fmt.Errorf("%w: run in the root of the repository", err)
	}
	l := learn(rows)
	l.print(out)
	unseen, err := readRows(heldOut)
	if err != nil {
		return err
	}
	l.printHeldOut(out, unseen)
	if list {
		l.printRows(out)
	}
	text, err := l.source()
	if err != nil {
		return err
	}
	return os.WriteFile(weights, text, 0o644)
}
