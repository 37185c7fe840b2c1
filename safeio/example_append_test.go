package safeio_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

func ExampleAppend() {
	path, clean := inTempDir("history")
	defer clean()

	for _, command := range []string{"make", "make test"} {
		if err := safeio.Append(path, []byte(command), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	err := safeio.Append(path, []byte("two\nlines"), 0o600)
	fmt.Println(errors.Is(err, fs.ErrInvalid))
	show(path)
	// Output:
	// true
	// make
	// make test
}

func ExampleAppendJSON() {
	path, clean := inTempDir("events.jsonl")
	defer clean()

	type event struct {
		User string `json:"user"`
		Text string `json:"text"`
	}
	if err := safeio.AppendJSON(path, event{"ada", "one\ntwo"}, 0o600); err != nil {
		log.Fatal(err)
	}
	show(path)
	// Output: {"user":"ada","text":"one\ntwo"}
}

// A writer that died in the middle of a record loses that one, and no other.
func ExampleRecords() {
	path, clean := inTempDir("history")
	defer clean()

	os.WriteFile(path, []byte("make\nmake te"), 0o600)
	if err := safeio.Append(path, []byte("make install"), 0o600); err != nil {
		log.Fatal(err)
	}
	for record, err := range safeio.Records(path) {
		var torn *safeio.TornError
		switch {
		case errors.As(err, &torn):
			fmt.Printf("line %d is torn: %q\n", torn.Line, torn.Piece)
		case err != nil:
			log.Fatal(err)
		default:
			fmt.Printf("%s\n", record)
		}
	}
	// Output:
	// make
	// line 2 is torn: "make te"
	// make install
}

func ExampleRecordsJSON() {
	path, clean := inTempDir("events.jsonl")
	defer clean()

	for n := 1; n <= 3; n++ {
		if err := safeio.AppendJSON(path, map[string]int{"n": n}, 0o600); err != nil {
			log.Fatal(err)
		}
	}
	sum := 0
	for event, err := range safeio.RecordsJSON[struct{ N int }](path) {
		if errors.Is(err, safeio.ErrTorn) {
			continue // was never acknowledged
		}
		if err != nil {
			log.Fatal(err)
		}
		sum += event.N
	}
	fmt.Println(sum)
	// Output: 6
}

func ExampleTornError() {
	path, clean := inTempDir("events.jsonl")
	defer clean()

	os.WriteFile(path, []byte(`{"n":1}`+"\n"+`{"n":`), 0o600)
	for _, err := range safeio.Records(path) {
		var torn *safeio.TornError
		if errors.As(err, &torn) {
			fmt.Println(torn)
		}
	}
	// Output: line 2: torn record of 5 bytes at offset 8
}

func ExampleSweep() {
	path, clean := inTempDir("index")
	defer clean()

	f, err := safeio.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()

	// Nothing of a dead writer is there, and f lives.
	removed, err := safeio.Sweep(filepath.Dir(path))
	fmt.Println(removed, err)
	// Output: 0 <nil>
}

func ExampleRemove() {
	path, clean := inTempDir("history")
	defer clean()

	if err := safeio.Append(path, []byte("make"), 0o600); err != nil {
		log.Fatal(err)
	}
	fmt.Println(safeio.Remove(path))
	err := safeio.Remove(path)
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	left, _ := filepath.Glob(path + "*")
	fmt.Println(left)
	// Output:
	// <nil>
	// true
	// []
}
