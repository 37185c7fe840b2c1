package analyse

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/lockvet/lockvet/internal/cgo"
)

// fingerprint names each finding by what does not change when code around it
// does: its package, file, function and category, and the found code without
// its layout. Findings that are alike in all of this are numbered in source
// order.
func (r Runner) fingerprint(found []*Found) {
	files := make(map[string][]byte)
	seen := make(map[string]int)
	for _, f := range found {
		sum := sha256.Sum256([]byte(strings.Join([]string{
			f.Pkg.PkgPath, filepath.Base(f.Position().Filename), f.Func, f.Category(), r.code(f, files),
		}, "\x00")))
		print := fmt.Sprintf("%x", sum[:16])
		seen[print]++
		f.Fingerprint = fmt.Sprintf("%s:%d", print, seen[print])
	}
}

// code is the found source, its white space reduced to single blanks. It is
// empty where the file cannot be read: a finding is worth printing without it.
func (r Runner) code(f *Found, files map[string][]byte) string {
	file := f.Pkg.Fset.File(f.Pos)
	content, read := files[file.Name()]
	if !read {
		content, _ = r.Load.ReadFile(file.Name())
		files[file.Name()] = content
	}
	start, end := file.Offset(f.Pos), file.Offset(f.Pos)
	if f.End.IsValid() {
		end = file.Offset(f.End)
	}
	if end > len(content) {
		return ""
	}
	return strings.Join(strings.Fields(string(cgo.Unplaced(content[start:end]))), " ")
}
