package effects

import (
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Outside restates a term of a literal in terms of the function around it.
func Outside(t *pathexpr.Term) *pathexpr.Term { return memory.Lower(t, nil) }
