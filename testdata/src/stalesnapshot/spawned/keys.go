package spawned

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Keys notes when a key was used last.
type Keys struct {
	mu   sync.Mutex
	dir  string
	keys []Key
}

type Key struct {
	ID   string
	Used time.Time
}

func (k *Keys) load() error {
	data, err := os.ReadFile(filepath.Join(k.dir, "keys.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &k.keys)
}

// Check does not wait for the file.
func (k *Keys) Check(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.keys {
		if k.keys[i].ID == id {
			k.keys[i].Used = time.Now()
			snap := append([]Key(nil), k.keys...)
			go k.persist(snap) // want `\(\*Keys\).Check copies k.keys under k.mu and has a goroutine write it to k.dir/keys.json: one that was started earlier can write last, and puts an older state in the place of a newer one`
			return true
		}
	}
	return false
}

func (k *Keys) Add(id string) {
	k.mu.Lock()
	k.keys = append(k.keys, Key{ID: id})
	snap := make([]Key, 0, len(k.keys))
	for _, key := range k.keys {
		snap = append(snap, key)
	}
	k.mu.Unlock()
	go func() {
		if err := k.persist(snap); err != nil { // want `\(\*Keys\).Add copies k.keys under k.mu and has a goroutine write it`
			log.Print(err)
		}
	}()
}

func (k *Keys) persist(keys []Key) error {
	data, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	return replace(filepath.Join(k.dir, "keys.json"), data)
}
