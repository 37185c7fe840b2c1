// Package fixedtemp replaces files through a temporary file that every writer
// calls the same.
package fixedtemp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
)

type index struct{ Entries map[string]int64 }

func (x *index) store(dir string) error {
	target := filepath.Join(dir, "index.json")
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	tmp := target + ".tmp"
	if err := os.WriteFile(tmp, data, 0o644); err != nil { // want `\(\*index\)\.store writes dir/index\.json through dir/index\.json\.tmp, a name that every writer shares`
		return err
	}
	return os.Rename(tmp, target)
}

// A synced file with a shared name is still a shared file.
func (x *index) storeSynced(dir string) error {
	tmp := filepath.Join(dir, "index.new")
	f, err := os.Create(tmp) // want `\(\*index\)\.storeSynced writes dir/index\.json through dir/index\.new`
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(x); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(dir, "index.json"))
}

type mirror struct {
	mu    sync.Mutex
	known index
}

// push runs one store at a time: two would meet at the shared tmp
// file of storeMirror.
func (m *mirror) push(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.storeMirror(dir)
}

// storeMirror is told of above, in words that its author has to change.
func (m *mirror) storeMirror(dir string) error {
	data, err := json.Marshal(m.known)
	if err != nil {
		return err
	}
	target := filepath.Join(dir, "index.json")
	if err := os.WriteFile(target+".next", data, 0o644); err != nil { // want `storeMirror writes dir/index\.json through dir/index\.json\.next`
		return err
	}
	return os.Rename(target+".next", target)
}

// A comment goes with what it stands on, in a language whose words nobody knows here, too.
func (x *index) storeForeign(dir string) error {
	target := filepath.Join(dir, "foreign-index.json")
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	tmp := target + ".tmp"
	// 保存索引
	if err := os.WriteFile(tmp, data, 0o644); err != nil { // want `\(\*index\)\.storeForeign writes dir/foreign-index\.json through dir/foreign-index\.json\.tmp`
		return err
	}

	// 原子性地重命名临时文件为目标文件
	if err := os.Rename(tmp, target); err != nil {
		_ = os.Remove(tmp)
		return err
	}

	return nil
}
