// A node asks the one above it, up to the first.
package climb

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type Node struct {
	Parent  *Node
	Dir     string
	Session map[string]int
	help    func(*Node) error
}

func (n *Node) root() *Node {
	if n.Parent == nil {
		return n
	}
	return n.Parent.root()
}

func (n *Node) dir() string {
	if n.Parent == nil {
		return n.Dir
	}
	return n.Parent.dir()
}

func (n *Node) helper() func(*Node) error {
	if n.help != nil {
		return n.help
	}
	if n.Parent != nil {
		return n.Parent.helper()
	}
	return func(n *Node) error { return os.Remove(n.dir()) }
}

func (n *Node) Save() error {
	b, err := json.Marshal(n.root().Session)
	if err != nil {
		return n.helper()(n)
	}
	return os.WriteFile(filepath.Join(n.dir(), "session.json"), b, 0o600) // want tornwrite/inplace
}
