package readlock

import (
	"maps"
	"slices"
	"sort"
	"sync"
)

// A stack is put in order by functions of std.
type stack struct {
	mu     sync.RWMutex
	titles []string
	size   map[string]int
	file   string
}

type byLength []string

func (b byLength) Len() int           { return len(b) }
func (b byLength) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b byLength) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

func (s *stack) add(title string, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.titles = append(s.titles, title)
	s.size[title] = size
}

func (s *stack) bySize() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	sort.Slice(s.titles, func(i, j int) bool { return s.size[s.titles[i]] < s.size[s.titles[j]] }) // want `\(\*stack\).bySize changes s.titles while it holds only the read lock of s.mu`
	return slices.Clone(s.titles)
}

func (s *stack) byLength() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	sort.Sort(byLength(s.titles)) // want `\(\*stack\).byLength changes s.titles while it holds only the read lock of s.mu`
	return slices.Clone(s.titles)
}

func (s *stack) byName() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	slices.Sort(s.titles) // want `\(\*stack\).byName changes s.titles while it holds only the read lock of s.mu`
	return slices.Clone(s.titles)
}

func (s *stack) measure(sizes map[string]int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	maps.Copy(s.size, sizes) // want `\(\*stack\).measure changes s.size while it holds only the read lock of s.mu`
}

// sorted sorts a copy.
func (s *stack) sorted() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := slices.Clone(s.titles)
	sort.Strings(list)
	into := map[string]int{}
	maps.Copy(into, s.size)
	return slices.DeleteFunc(list, func(t string) bool { return into[t] == 0 })
}
