// Package staged collects files in directories that nobody knows of yet.
package staged

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

type manifest struct{ Files []string }

type store struct{ dir string }

func randomID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// stage moves the directory where it belongs.
func (s *store) stage(name string, m manifest) error {
	dir := filepath.Join(s.dir, "staging-"+randomID())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), data, 0o600); err != nil { // ok: nobody knows the directory
		return err
	}
	return os.Rename(dir, filepath.Join(s.dir, name))
}

// hand hands the directory on.
func (s *store) hand(m manifest) (string, error) {
	dir := filepath.Join(s.dir, fmt.Sprintf(".tmp-%d", time.Now().UnixNano()))
	data, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), data, 0o600); err != nil { // ok: nobody knows the directory
		return "", err
	}
	return dir, nil
}

// session is what its name says.
func (s *store) session(m manifest) (string, error) {
	dir := filepath.Join(s.dir, "session-"+randomID())
	data, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), data, 0o600); err != nil { // want `session truncates`
		return "", err
	}
	return dir, nil
}

// offer has random bytes in the name.
func (s *store) offer(m manifest) (string, error) {
	dir := filepath.Join(s.dir, "staging-"+randomID())
	data, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), data, 0o600); err != nil { // ok: nobody knows the directory
		return "", err
	}
	return dir, nil
}

func writeManifest(dir string, m manifest) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "manifest.json"), data, 0o600) // ok: who calls has the directory staged
}

func (s *store) swap(name string, m manifest) error {
	dir := filepath.Join(s.dir, name+".tmp")
	if err := writeManifest(dir, m); err != nil {
		return err
	}
	return os.Rename(dir, filepath.Join(s.dir, name))
}

func (s *store) lend(m manifest) (string, error) {
	dir := filepath.Join(s.dir, "scratch-"+randomID())
	return dir, writeManifest(dir, m)
}

// fixed moves the directory, too, the name of which every run has.
func (s *store) fixed(name string, m manifest) error {
	dir := filepath.Join(s.dir, name+".partial")
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), data, 0o600); err != nil { // ok: it is moved when it is whole
		return err
	}
	return os.Rename(dir, filepath.Join(s.dir, name))
}

// build makes the directory that it moves.
func (s *store) build(name string, m manifest) error {
	dir := filepath.Join(s.dir, "next")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), data, 0o600); err != nil { // ok: it is moved when it is whole
		return err
	}
	return os.Rename(dir, filepath.Join(s.dir, name))
}

// archive moves what was in use.
func (s *store) archive(name string, m manifest) error {
	dir := filepath.Join(s.dir, name)
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), data, 0o600); err != nil { // want `archive truncates`
		return err
	}
	return os.Rename(dir, filepath.Join(s.dir, "archive", name))
}

// rotate has moved the old one when it writes the next.
func (s *store) rotate(name string, m manifest) error {
	dir := filepath.Join(s.dir, "current.partial")
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.Rename(dir, filepath.Join(s.dir, name)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "manifest.json"), data, 0o600) // want `rotate truncates`
}

// note writes beside the directory that it moves.
func (s *store) note(name string, m manifest) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dir, "index.json"), data, 0o600); err != nil { // want `note truncates`
		return err
	}
	return os.Rename(filepath.Join(s.dir, name+".partial"), filepath.Join(s.dir, name))
}

// collect has a directory around that of the run, which says what that is for.
func (s *store) collect(m manifest) (string, error) {
	id := make([]byte, 16)
	if _, err := io.ReadFull(rand.Reader, id); err != nil {
		return "", err
	}
	dir := filepath.Join(s.dir, "incoming", hex.EncodeToString(id))
	data, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), data, 0o600); err != nil { // ok: nobody knows the directory
		return "", err
	}
	return dir, nil
}

// prepare has a staging directory for each name, which others have as well, and moves nothing.
func (s *store) prepare(name string, m manifest) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "staging", name, "manifest.json"), data, 0o600) // want `prepare truncates`
}

// writeIndex is called for what is in use, too.
func writeIndex(dir string, m manifest) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "index.json"), data, 0o600) // want `writeIndex truncates`
}

func (s *store) reindex(m manifest) error {
	if err := writeIndex(filepath.Join(s.dir, "staging-"+randomID()), m); err != nil {
		return err
	}
	return writeIndex(s.dir, m)
}

// putManifest is called for directories that are moved when they are done.
func putManifest(dir string, m manifest) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "manifest.json"), data, 0o600) // ok: whichever call it is, the directory is renamed afterwards
}

func (s *store) rebuild(m manifest) error {
	tmp := s.dir + ".tmp"
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return err
	}
	if err := putManifest(tmp, m); err != nil {
		return err
	}
	return s.replace(tmp)
}

func (s *store) replace(tmp string) error { return os.Rename(tmp, s.dir) }

// update comes to it by three ways, and returns after each.
func (s *store) update(all, some bool, m manifest) error {
	switch {
	case all:
		return s.rebuild(m)
	case some:
		m.Files = nil
		return s.rebuild(m)
	}
	return s.replace(s.dir + ".tmp")
}

func (s *store) ensure(all, some bool) error { return s.update(all, some, manifest{}) }

// putFirst is what nothing but tests calls: where its directory is says nothing of the program.
func putFirst(dir string, m manifest) error { return putManifest(dir, m) }

// putByName has a function that it is handed rename the file.
func (s *store) putByName(m manifest, rename func(from, to string) error) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	tmp := filepath.Join(s.dir, "manifest.json.tmp")
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // ok: nobody loads a file of that name
		return err
	}
	return rename(tmp, filepath.Join(s.dir, "manifest.json"))
}
