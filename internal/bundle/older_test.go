package bundle

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// compared is a program that compares what stands in for parts of the standard library with these.
const compared = `package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

func main() {
	path := &fs.PathError{Op: "open", Path: "a", Err: fs.ErrNotExist}
	for _, c := range [][2]error{
		{joined(), errors.Join()},
		{joined(nil, nil), errors.Join(nil, nil)},
		{joined(nil, io.EOF), errors.Join(nil, io.EOF)},
		{joined(io.EOF, nil, path, fs.ErrExist), errors.Join(io.EOF, nil, path, fs.ErrExist)},
		{both(io.EOF, path), fmt.Errorf("%w: %w", io.EOF, path)},
		{both(path, io.EOF), fmt.Errorf("%w: %w", path, io.EOF)},
		{both(errUnsupported, io.EOF), fmt.Errorf("%w: %w", errUnsupported, io.EOF)},
	} {
		if fmt.Sprint(c[0]) != fmt.Sprint(c[1]) {
			fmt.Printf("%q, and not %q\n", c[0], c[1])
		}
		for _, target := range []error{io.EOF, path, fs.ErrNotExist, fs.ErrExist, errUnsupported} {
			if errors.Is(c[0], target) != errors.Is(c[1], target) {
				fmt.Printf("%q is %q: %v\n", c[0], target, errors.Is(c[0], target))
			}
		}
		var one, other *fs.PathError
		if errors.As(c[0], &one) != errors.As(c[1], &other) || one != other {
			fmt.Printf("%q is a path error: %v\n", c[0], one)
		}
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range []io.Writer{&offsetWriter{f, 4}, io.NewOffsetWriter(f, 9)} {
		for _, s := range []string{"ab", "cde"} {
			if n, err := io.WriteString(w, s); n != len(s) || err != nil {
				fmt.Println(n, err)
			}
		}
	}
	if data, err := os.ReadFile(os.Args[1]); err != nil || string(data) != "\x00\x00\x00\x00abcdeabcde" {
		fmt.Printf("%q, %v\n", data, err)
	}
}
`

// TestStandIns: what stands in does as what it stands for.
func TestStandIns(t *testing.T) {
	src := compared
	for _, d := range older {
		src += d.text
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "main.go", filepath.Join(dir, "file"))
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
