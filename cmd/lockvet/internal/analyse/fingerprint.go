package analyse

import (
	"cmp"
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
	read := func(name string) []byte {
		content, known := files[name]
		if !known {
			content, _ = r.Load.ReadFile(name) // a finding is worth printing without it
			files[name] = content
		}
		return content
	}
	seen := make(map[string]int)
	for _, f := range found {
		code := strings.Join(strings.Fields(f.Source(read)), " ")
		sum := sha256.Sum256([]byte(strings.Join([]string{
			f.Pkg.PkgPath, filepath.Base(f.Position().Filename), f.Func, f.Category(), code,
		}, "\x00")))
		print := fmt.Sprintf("%x", sum[:16])
		seen[print]++
		f.Fingerprint = fmt.Sprintf("%s:%d", print, seen[print])
	}
}

// Source is the found code, empty where the file does not hold it.
func (f *Found) Source(read func(name string) []byte) string {
	file := f.Pkg.Fset.File(f.Pos)
	content := read(file.Name())
	start, end := file.Offset(f.Pos), file.Offset(cmp.Or(f.End, f.Pos))
	if end > len(content) {
		return ""
	}
	return string(cgo.Unplaced(content[start:end]))
}
