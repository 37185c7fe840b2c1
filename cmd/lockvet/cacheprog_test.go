package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A cacheRequest is what the go command asks of a program named by GOCACHEPROG.
type cacheRequest struct {
	ID                 int64
	Command            string
	ActionID, OutputID []byte
	BodySize           int64
}

// A cacheResponse answers a request; the first one says what is understood.
type cacheResponse struct {
	ID            int64
	Err           string   `json:",omitempty"`
	KnownCommands []string `json:",omitempty"`
	Miss          bool     `json:",omitempty"`
	OutputID      []byte   `json:",omitempty"`
	Size          int64    `json:",omitempty"`
	DiskPath      string   `json:",omitempty"`
}

// cacheProgram is a cache that several machines share: a directory, which is its
// first argument. The second one is the go command's own cache, from which it takes
// what a compiler has made, and nothing that a tool of go vet has told.
func cacheProgram() {
	if err := serveCache(os.Args[1], os.Args[2], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "cacheprog:", err)
		os.Exit(1)
	}
}

func serveCache(dir, compiledDir string, in io.Reader, out io.Writer) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	requests, answers := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	if err := answers.Encode(cacheResponse{KnownCommands: []string{"get", "put", "close"}}); err != nil {
		return err
	}
	archives := compiled{dir: compiledDir, beside: make(map[string]bool)}
	for {
		var r cacheRequest
		if err := requests.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answer := cacheResponse{ID: r.ID}
		var err error
		switch r.Command {
		case "get":
			answer, err = getCached(dir, r)
			if answer.Miss {
				answer = archives.get(r)
			}
		case "put":
			var body string
			if r.BodySize > 0 {
				if err := requests.Decode(&body); err != nil {
					return err
				}
			}
			answer, err = putCached(dir, r, body)
		}
		if err != nil {
			answer.Err = err.Error()
		}
		if err := answers.Encode(answer); err != nil || r.Command == "close" {
			return err
		}
	}
}

// getCached answers from the file of an action, which holds the name of the
// output behind it.
func getCached(dir string, r cacheRequest) (cacheResponse, error) {
	answer := cacheResponse{ID: r.ID}
	id, err := os.ReadFile(filepath.Join(dir, "a-"+hex.EncodeToString(r.ActionID)))
	if err != nil {
		answer.Miss = true
		return answer, nil
	}
	answer.DiskPath = filepath.Join(dir, "d-"+string(id))
	info, err := os.Stat(answer.DiskPath)
	if err != nil {
		return answer, err
	}
	answer.Size = info.Size()
	answer.OutputID, err = hex.DecodeString(string(id))
	return answer, err
}

// compiled is what is compiled in the cache of the go command: archives, and what it has
// beside them, without which it compiles again.
type compiled struct {
	dir    string
	beside map[string]bool // the actions of what is beside the archives that were had
}

// get answers from the file of an action, which says which output it has, and of what size.
func (c compiled) get(r cacheRequest) cacheResponse {
	miss := cacheResponse{ID: r.ID, Miss: true}
	in := func(id, suffix string) string { return filepath.Join(c.dir, id[:2], id+suffix) }
	action := hex.EncodeToString(r.ActionID)
	entry, err := os.ReadFile(in(action, "-a"))
	fields := strings.Fields(string(entry))
	if err != nil || len(fields) != 5 || fields[0] != "v1" {
		return miss
	}
	answer := cacheResponse{ID: r.ID, DiskPath: in(fields[2], "-d")}
	info, err := os.Stat(answer.DiskPath)
	if err != nil || fmt.Sprint(info.Size()) != fields[3] {
		return miss
	}
	switch {
	case c.beside[action]:
	case isArchive(answer.DiskPath):
		for _, name := range []string{"stdout", "srcfiles"} {
			key := sha256.Sum256(slices.Concat([]byte("subkey:"), r.ActionID, []byte(name)))
			c.beside[hex.EncodeToString(key[:])] = true
		}
	default:
		return miss
	}
	answer.Size = info.Size()
	if answer.OutputID, err = hex.DecodeString(fields[2]); err != nil {
		return miss
	}
	return answer
}

// isArchive reports whether a file is one, which is what a compiler makes.
func isArchive(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	const archive = "!<arch>\n"
	head := make([]byte, len(archive))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == archive
}

func putCached(dir string, r cacheRequest, body string) (cacheResponse, error) {
	id := hex.EncodeToString(r.OutputID)
	answer := cacheResponse{ID: r.ID, DiskPath: filepath.Join(dir, "d-"+id)}
	content, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, strings.NewReader(body)))
	if err != nil {
		return answer, err
	}
	if err := os.WriteFile(answer.DiskPath, content, 0o666); err != nil {
		return answer, err
	}
	return answer, os.WriteFile(filepath.Join(dir, "a-"+hex.EncodeToString(r.ActionID)), []byte(id), 0o666)
}
