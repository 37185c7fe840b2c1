package known

import (
	"go/types"
	"strings"
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
