package prove

import (
	"go/ast"

	"github.com/lockvet/lockvet/internal/finding"
)

// replaceCall turns
//
//	os.WriteFile(path, data, perm)
//	~~~~~~~~~~~~
//	safeio.WriteFile
//
// Both have the same signature, so the call may stand anywhere.
func (s *File) replaceCall(r finding.ReplaceCall) (*Proof, error) {
	if !s.pass.writesFile(r.Call) {
		return nil, Refusal("the write is not a call of os.WriteFile")
	}
	return s.swapped("Replace the file with "+s.safeio+".WriteFile", r.Call.Fun.Pos(), r.Call.Fun.End(), s.safeio+".WriteFile"), nil
}

// writesFile reports whether a call is one of os.WriteFile, under any name.
func (p Pass) writesFile(call *ast.CallExpr) bool {
	return p.calls(call, "os", "WriteFile") || p.calls(call, "io/ioutil", "WriteFile")
}
