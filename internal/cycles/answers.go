package cycles

import (
	"go/types"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// ResultsOf are the values in which the results of a call come.
func ResultsOf(i ssa.Instruction) []ssa.Value {
	call, ok := i.(*ssa.Call)
	if !ok {
		return nil
	}
	list := []ssa.Value{call}
	for _, ref := range flow.Uses(call) {
		if x, ok := ref.(*ssa.Extract); ok {
			list = append(list, x)
		}
	}
	return list
}

// AnswersDetails reports whether what f gets of the file is nothing but texts and numbers
// out of what a helper decodes.
func AnswersDetails(f *effects.Func, c Cycle) bool {
	return answer(c) != nil && slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool {
		return e.Kind == effects.Decode && e.At == c.Read.At && effects.Reads(e.Data, c.File)
	})
}

// answer is the call of a helper that reads the file of a cycle and yields nothing but
// texts and numbers; nil for any other.
func answer(c Cycle) *ssa.Call {
	call, ok := c.Read.At.(*ssa.Call)
	if !ok || c.Read.Kind != effects.Read || len(c.Read.Via) == 0 || c.OneCall() || c.Write.Object != nil {
		return nil
	}
	sig := call.Call.Signature()
	if !OnlyDetails(sig) || sig.Results().Len() == 0 || memory.IsErrorType(sig.Results().At(0).Type()) {
		return nil
	}
	return call
}

// OnlyDetails reports whether the results of a function are nothing but texts, numbers and
// errors.
func OnlyDetails(sig *types.Signature) bool {
	for v := range sig.Results().Variables() {
		if !memory.IsSmall(v.Type()) && !memory.IsErrorType(v.Type()) {
			return false
		}
	}
	return true
}

// HasPid reports whether what the file of a cycle is loaded into has the number of a
// process: the next one writes the file anew.
func HasPid(c Cycle) bool {
	return slices.ContainsFunc(ResultsOf(c.Read.At), func(v ssa.Value) bool {
		s, ok := known.Pointee(v.Type()).Underlying().(*types.Struct)
		if !ok {
			return false
		}
		for field := range s.Fields() {
			if slices.Equal(lexicon.Words(field.Name()), []string{"pid"}) && memory.IsSmall(field.Type()) {
				return true
			}
		}
		return false
	})
}

// IsCache reports whether the file of a cycle is a cache by its name, the type that has its
// path, or its place: a whole word says so. A place does not say it of a file that is itself
// named for state.
func IsCache(file *pathexpr.Term) bool {
	if !pathexpr.Replaceable(file) {
		return false
	}
	byType := func(t *pathexpr.Term) bool { return lexicon.NamesCache(t.Type[strings.LastIndexByte(t.Type, '.')+1:]) }
	own := words(file.Last())
	if last := file.Last(); last.Kind == pathexpr.Const {
		own = []string{path.Base(last.Text)}
	}
	if file.Any(byType) || slices.ContainsFunc(own, lexicon.NamesCache) {
		return true
	}
	inCacheDir := file.Any(func(t *pathexpr.Term) bool { return t.Kind == pathexpr.Call && t.Text == "os.UserCacheDir" })
	return (inCacheDir || slices.ContainsFunc(words(file), lexicon.NamesCache)) && !slices.ContainsFunc(own, lexicon.NamesState)
}

// words are what a path is spelled with.
func words(t *pathexpr.Term) []string { return append(pathexpr.Names(t), pathexpr.Constants(t)...) }
