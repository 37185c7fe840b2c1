package report

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
)

// Fingerprints names each finding by what does not change when code around it
// does: its package, file, function and category, and the found code without
// its layout. Findings that are alike in all of this are numbered in source
// order.
func Fingerprints(found []*analyse.Found) []string {
	files := make(map[string][]byte)
	seen := make(map[string]int)
	prints := make([]string, len(found))
	for i, f := range found {
		sum := sha256.Sum256([]byte(strings.Join([]string{
			f.Pkg.PkgPath, filepath.Base(f.Position().Filename), f.Func, f.Category(), code(f, files),
		}, "\x00")))
		print := fmt.Sprintf("%x", sum[:16])
		seen[print]++
		prints[i] = fmt.Sprintf("%s:%d", print, seen[print])
	}
	return prints
}

// code is the found source, its white space reduced to single blanks. It is
// empty where the file cannot be read: a finding is worth printing without it.
func code(f *analyse.Found, files map[string][]byte) string {
	file := f.Pkg.Fset.File(f.Pos)
	content, read := files[file.Name()]
	if !read {
		content, _ = os.ReadFile(file.Name())
		files[file.Name()] = content
	}
	start, end := file.Offset(f.Pos), file.Offset(f.Pos)
	if f.End.IsValid() {
		end = file.Offset(f.End)
	}
	if end > len(content) {
		return ""
	}
	return strings.Join(strings.Fields(string(content[start:end])), " ")
}
