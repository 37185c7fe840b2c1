package known

import (
	"go/types"
	"strings"

	"github.com/lockvet/lockvet/internal/pattern"
)

// Certainty is how sure it is that a function does something.
type Certainty uint8

// A function does it, as far as is known, not; or it does by the convention that its name
// follows; or it certainly does.
const (
	No Certainty = iota
	ByName
	Certain
)

// EndsProgram says whether a function whose body is not at hand ends the program, or the
// goroutine, so that nothing comes after its call. By convention loggers do in what they
// call Fatal and Panic, and a function without results that is called Exit or die.
func EndsProgram(fn *types.Func) Certainty {
	name := fn.Name()
	fatal := strings.HasPrefix(name, "Fatal") || strings.HasPrefix(name, "Panic")
	switch Path(fn) {
	case "os", "syscall":
		if name == "Exit" {
			return Certain
		}
		return No
	case "runtime":
		if name == "Goexit" {
			return Certain
		}
		return No
	case "log":
		if fatal {
			return Certain
		}
		return No
	case "testing":
		if strings.HasPrefix(name, "Fatal") || strings.HasPrefix(name, "Skip") && name != "Skipped" || name == "FailNow" {
			return Certain
		}
		return No
	}
	switch sig := fn.Signature(); {
	case sig.Results().Len() > 0:
		return No
	case fatal:
		return ByName
	case sig.Recv() == nil && (strings.HasPrefix(name, "Exit") || strings.HasPrefix(strings.ToLower(name), "die")):
		return ByName
	}
	return No
}

// Asserts is the number of the parameter for which a function whose body is not at hand ends the program if
// that is an error, -1 for none. By convention one without results is called CheckErr, ExitOnError, FatalIf
// or the like, as in github.com/spf13/cobra, and one that yields what it is given beside the error Must, as in text/template
// and github.com/samber/lo.
func Asserts(fn *types.Func) int {
	sig := fn.Signature()
	results := sig.Results().Len()
	yields := results > 0
	if yields && (!yielding.MatchString(fn.Name()) || IsError(sig.Results().At(results-1).Type())) || !yields && !asserting.MatchString(fn.Name()) {
		return -1
	}
	i := 0
	for par := range sig.Params().Variables() {
		if IsError(par.Type()) {
			return i
		}
		// cobra takes any message, lo any error or condition.
		if _, ok := par.Type().Underlying().(*types.Interface); ok && (Path(fn) == "github.com/spf13/cobra" || yields && par.Name() == "err") {
			return i
		}
		i++
	}
	return -1
}

// IsError reports whether a type is error itself.
func IsError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

var (
	asserting = pattern.New(`^(Check(If)?Err(or)?|(Exit|Fatal|Panic|Die)(If|On)(Err(or)?)?|Must(Not(Err(or)?)?)?)$`)
	yielding  = pattern.New(`^Must\d*$`)
)
