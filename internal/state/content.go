package state

import (
	"go/ast"
	"strings"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// content says what reaches the file: an encoder's output, a copy, a constant.
func (x *Index) content(root *effects.Func, w *effects.Effect, s *features) {
	writes, copies, constants := 0, 0, 0
	see := func(data *pathexpr.Term) {
		writes++
		data = root.MadeBy(data)
		if data != nil && (s.data == nil || data.Has(pathexpr.Made)) {
			s.data = data
		}
		switch {
		case data == nil:
		case memory.Encoder(data) != "":
			if s.encoder == "" {
				s.encoder = memory.Encoder(data)
				s.value = encodedType(data)
			}
		case data.Kind == pathexpr.Content && !memory.SameFile(data.Args[0], w.Path):
			copies++
		case data.Kind == pathexpr.Const || data.Kind == pathexpr.Global:
			constants++
		}
	}
	for _, e := range writesOf(root, w) {
		see(e.Data)
	}
	s.copied = writes > 0 && copies == writes
	s.constant = writes > 0 && constants == writes
}

// encodedType names the type of the value that is encoded.
func encodedType(data *pathexpr.Term) string {
	name := ""
	data.Any(func(t *pathexpr.Term) bool {
		if t.Kind == pathexpr.Encoded && len(t.Args) > 0 {
			name = t.Args[0].Type
			name = name[strings.LastIndexByte(name, '.')+1:]
		}
		return name != ""
	})
	return name
}

// formats are what the encoders of well-known packages make. The name of any
// other package says nothing of the format.
var formats = map[string]string{
	"json": "json", "jsoniter": "json", "sonic": "json", "protojson": "json", "jsonpb": "json",
	"yaml": "yaml", "toml": "toml", "xml": "xml", "csv": "csv", "ini": "ini", "plist": "plist", "prototext": "text proto",
	"gob": "gob", "proto": "proto", "cbor": "cbor", "msgpack": "msgpack", "bson": "bson", "asn1": "asn1", "rlp": "rlp",
	"pem": "pem", "hex": "hex", "base32": "base32", "base64": "base64",
	"png": "png", "jpeg": "jpeg", "gif": "gif",
}

// EncodedAs says of a content that an encoder made it, and which.
func EncodedAs(codec string) string {
	if format := formats[codec]; format != "" {
		return "its content is encoded as " + format
	}
	return "its content comes from an encoder"
}

// ident is the path as the source spells it, its last name only.
func ident(w *effects.Effect, how WriteContext) string {
	path := how.Target
	if !how.Published && w.Call != nil && len(w.Call.Args) > 0 {
		path = w.Call.Args[0]
	}
	switch a := path.(type) {
	case *ast.Ident:
		return a.Name
	case *ast.SelectorExpr:
		return a.Sel.Name
	case *ast.CallExpr:
		if sel, ok := a.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name != "Join" && sel.Sel.Name != "Sprintf" {
			return sel.Sel.Name
		}
		if id, ok := a.Fun.(*ast.Ident); ok {
			return id.Name
		}
	}
	return ""
}
