package safeio_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockvet/lockvet/safeio"
)

// inTempDir is where the examples write.
func inTempDir(name string) (path string, clean func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	return filepath.Join(dir, name), func() { os.RemoveAll(dir) }
}

func show(path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		fmt.Println("no file")
		return
	}
	fmt.Println(strings.TrimSpace(string(data)))
}

func ExampleWriteFile() {
	path, clean := inTempDir("session.json")
	defer clean()

	if err := safeio.WriteFile(path, []byte(`{"user":"ada"}`), 0o600); err != nil {
		log.Fatal(err)
	}
	show(path)
	// Output: {"user":"ada"}
}

// An error after which the new content is in place is not the same as one
// after which the old one is.
func ExampleWriteFile_error() {
	path, clean := inTempDir("missing/session.json")
	defer clean()

	err := safeio.WriteFile(path, []byte("new"), 0o600)
	switch {
	case err == nil:
		fmt.Println("saved")
	case errors.Is(err, safeio.ErrPublished):
		fmt.Println("saved, but a power cut may undo it")
	case errors.Is(err, os.ErrNotExist):
		fmt.Println("not saved: no such directory")
	default:
		fmt.Println("not saved")
	}
	// Output: not saved: no such directory
}

// A library's function that opens the file by itself, in place, writes another file first.
func ExampleReplace() {
	path, clean := inTempDir("session.json")
	defer clean()

	saveTo := func(name string) error { // as of a library
		return os.WriteFile(name, []byte(`{"user":"ada"}`), 0o600)
	}
	if err := safeio.Replace(path, saveTo); err != nil {
		log.Fatal(err)
	}
	show(path)
	// Output: {"user":"ada"}
}

func ExampleCreate() {
	path, clean := inTempDir("config.json")
	defer clean()

	save := func(v any) error {
		f, err := safeio.Create(path)
		if err != nil {
			return err
		}
		defer f.Close() // discards, unless Commit came first
		if err := json.NewEncoder(f).Encode(v); err != nil {
			return err
		}
		return f.Commit()
	}

	fmt.Println(save(map[string]int{"version": 1}))
	fmt.Println(save(map[string]any{"version": make(chan int)}))
	show(path)
	// Output:
	// <nil>
	// json: unsupported type: chan int
	// {"version":1}
}

func ExampleCreatePerm() {
	path, clean := inTempDir("token")
	defer clean()

	f, err := safeio.CreatePerm(path, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	fmt.Fprint(f, "secret")
	if err := f.Commit(); err != nil {
		log.Fatal(err)
	}
	show(path)
	// Output: secret
}

func ExampleFile_Commit() {
	path, clean := inTempDir("index")
	defer clean()

	f, err := safeio.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	f.WriteString("all of it")
	show(path)
	fmt.Println(f.Commit())
	show(path)
	// Output:
	// no file
	// <nil>
	// all of it
}

func ExampleFile_Close() {
	path, clean := inTempDir("index")
	defer clean()

	f, err := safeio.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	f.WriteString("half of it")
	fmt.Println(errors.Is(f.Close(), safeio.ErrDiscarded))
	show(path)
	// Output:
	// true
	// no file
}

func ExampleFile_ReadFrom() {
	path, clean := inTempDir("download")
	defer clean()

	f, err := safeio.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, strings.NewReader("from the network")); err != nil {
		log.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		log.Fatal(err)
	}
	show(path)
	// Output: from the network
}

func ExampleOptions_WriteFile() {
	strict := safeio.Options{Strict: true}

	err := strict.WriteFile(os.DevNull, []byte("x"), 0o600)
	fmt.Println(errors.Is(err, safeio.ErrNotAtomic))
	// Output: true
}

func ExampleOptions_Create() {
	path, clean := inTempDir("ledger")
	defer clean()

	f, err := safeio.Options{Strict: true}.Create(path, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	f.WriteString("balanced")
	if err := f.Commit(); err != nil {
		log.Fatal(err)
	}
	show(path)
	// Output: balanced
}
