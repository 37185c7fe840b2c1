// Package bounds has types that refer to themselves, in each way that Go has.
package bounds

import (
	"encoding/json"
	"os"
)

type ordered[T any] interface{ Less(T) bool }

type pair[A other[B, A], B other[A, B]] struct {
	First  A
	Second B
}

type other[X, Y any] interface{ Of(X, Y) }

type list[T ordered[T]] struct {
	Next *list[T]
	All  map[string]*list[T]
}

type step func(step) (step, error)

type node interface {
	Next() node
	Each(func(node) []node)
}

type number int

func (n number) Less(o number) bool { return n < o }

func (n number) Of(a, b number) {}

type state struct {
	Numbers list[number]
	Pair    pair[number, number]
	Parents map[string]*state
}

func least[T ordered[T]](all ...T) (t T) {
	for _, o := range all {
		if o.Less(t) {
			t = o
		}
	}
	return t
}

func run(s step, n node) error {
	for _, c := range []node{n, n.Next()} {
		c.Each(func(n node) []node { return []node{n, n.Next()} })
	}
	next, err := s(s)
	if err != nil {
		return err
	}
	return run(next, n)
}

func load(dir string) (*state, error) {
	data, err := os.ReadFile(dir + "/state.json")
	if err != nil {
		return nil, err
	}
	s := &state{}
	return s, json.Unmarshal(data, s)
}

func save(dir string, s *state) error {
	s.Pair.First = least(s.Pair.First, s.Pair.Second)
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(dir+"/state.json", data, 0o600) // want tornwrite/inplace
}

var _, _, _ = load, save, run
