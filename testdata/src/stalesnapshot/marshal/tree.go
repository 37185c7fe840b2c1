package marshal

import (
	"encoding/json"
	"maps"
	"os"
	"sync"
)

// A value takes the lock when it is encoded.
type Tree struct {
	mu    sync.Mutex
	path  string
	nodes map[string]*Node
}

type Node struct {
	tree *Tree
	Name string
}

func (n *Node) MarshalJSON() ([]byte, error) {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	return json.Marshal(n.Name)
}

func (t *Tree) load() error {
	data, err := os.ReadFile(t.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &t.nodes)
}

func (t *Tree) Add(name string) error {
	t.mu.Lock()
	t.nodes[name] = &Node{t, name}
	snapshot := maps.Clone(t.nodes)
	t.mu.Unlock()
	data, err := json.Marshal(snapshot)
	if err != nil {
		return err
	}
	return replace(t.path, data) // want `\(\*Tree\).Add copies t.nodes .*\(\*Node\).MarshalJSON takes a lock, and may be called to encode`
}
