package known

import (
	"go/types"
	"strings"
	"unicode"
)

// MakesError says whether a function makes an error, of whatever it is given. By
// convention one does that has the word in its name, as newErr and Errorf, or is of a
// package that is called for errors. Those may give back what they are given, nil too.
func MakesError(fn *types.Func) Certainty {
	if fn == nil {
		return No
	}
	path := Path(fn)
	switch path {
	case "errors", "github.com/pkg/errors", "golang.org/x/xerrors":
		if name := fn.Name(); name == "New" || name == "Errorf" {
			return Certain
		}
		return ByName
	case "fmt":
		if fn.Name() == "Errorf" {
			return Certain
		}
		return No
	}
	last := path[strings.LastIndexByte(path, '/')+1:]
	if namesError(fn.Name()) || strings.HasSuffix(last, "errors") || strings.HasSuffix(last, "errs") {
		return ByName
	}
	return No
}

// namesError reports whether a name has the word: Err, Errs, Error, Errors or Errorf, at
// its beginning or behind a small letter, and not as a part of a longer one.
func namesError(name string) bool {
	for i := range len(name) {
		if rest := name[i:]; i == 0 || unicode.IsUpper(rune(rest[0])) || name[i-1] == '_' {
			word := rest
			if end := strings.IndexFunc(rest[1:], func(r rune) bool { return !unicode.IsLower(r) }); end >= 0 {
				word = rest[:end+1]
			}
			switch strings.ToLower(word) {
			case "err", "errs", "error", "errors", "errorf", "errorw", "errorln":
				return true
			}
		}
	}
	return false
}
