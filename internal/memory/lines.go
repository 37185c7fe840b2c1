package memory

import (
	"cmp"
	"go/constant"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// LineOf is what the text or bytes of v are.
func (p *Values) LineOf(v ssa.Value) Line { return p.lines.Ask(v) }

func (p *Values) makeLine(v ssa.Value) Line {
	switch v := v.(type) {
	case *ssa.Const:
		return lineOfConst(v)
	case *ssa.Convert:
		return p.LineOf(v.X)
	case *ssa.ChangeType:
		return p.LineOf(v.X)
	case *ssa.MakeInterface:
		return p.LineOf(v.X)
	case *ssa.Slice:
		if v.Low == nil && v.High == nil {
			return p.lineOfElements(v)
		}
	case *ssa.BinOp:
		if v.Op == token.ADD {
			return lineBehind(p.LineOf(v.Y))
		}
	case *ssa.Phi:
		return p.lineOfEdges(v)
	case *ssa.UnOp:
		if g, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL && p.Globals[g] != nil {
			return p.LineOf(p.Globals[g])
		}
	case *ssa.Call:
		return p.lineOfCall(v)
	}
	return LineUnknown
}

// lineBehind is what text is that ends in what the argument is about.
func lineBehind(last Line) Line {
	if last == LineBreak {
		return LineWhole
	}
	return last
}

// lineOfConst is what a constant text, byte or rune is.
func lineOfConst(v *ssa.Const) Line {
	if v.Value == nil {
		return LineUnknown
	}
	switch v.Value.Kind() {
	case constant.String:
		return lineOfText(constant.StringVal(v.Value))
	case constant.Int:
		if v.Int64() == '\n' {
			return LineBreak
		}
		return LinePart
	}
	return LineUnknown
}

func lineOfText(s string) Line {
	switch {
	case s == "":
		return LineUnknown
	case strings.Trim(s, "\r\n,;") == "" && strings.HasSuffix(s, "\n"):
		return LineBreak
	case strings.HasSuffix(s, "\n"):
		return LineWhole
	}
	return LinePart
}

// lineOfElements is what a slice literal of bytes is, or the variadic arguments
// of a call that writes them one after the other.
func (p *Values) lineOfElements(v *ssa.Slice) Line {
	arr, ok := v.X.(*ssa.Alloc)
	if !ok {
		return LineUnknown
	}
	elements := flow.Elements(arr)
	if len(elements) == 0 || slices.ContainsFunc(elements, func(e flow.Element) bool { return e.Index < 0 }) {
		return LineUnknown
	}
	last := slices.MaxFunc(elements, func(a, b flow.Element) int { return cmp.Compare(a.Index, b.Index) })
	line := p.LineOf(last.Store.Val)
	if len(elements) > 1 {
		return lineBehind(line)
	}
	return line
}

func (p *Values) lineOfEdges(v *ssa.Phi) Line {
	edges := flow.Edges(p.Flow.Budget, v)
	if len(edges) == 0 {
		return LineUnknown
	}
	first := p.LineOf(edges[0])
	for _, e := range edges[1:] {
		if p.LineOf(e) != first {
			return LineUnknown
		}
	}
	return first
}

// lineOfCall is what the bytes are that a call makes of others.
func (p *Values) lineOfCall(call *ssa.Call) Line {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" && len(call.Call.Args) == 2 {
			return lineBehind(p.LineOf(call.Call.Args[1]))
		}
		return LineUnknown
	}
	fn := p.CalleeOf(&call.Call)
	switch {
	case known.Is(fn, "fmt.Sprintf"):
		return p.lineOfFormat(call.Call.Args[0])
	case known.Is(fn, "fmt.Sprintln"):
		return LineWhole
	}
	return LineUnknown
}

// lineOfFormat is what a format makes, as far as its constant end tells.
func (p *Values) lineOfFormat(v ssa.Value) Line {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.String {
		return LineUnknown
	}
	text := constant.StringVal(c.Value)
	if i := strings.LastIndexByte(text, '%'); i >= 0 && len(strings.TrimLeft(text[i+1:], "+-# 0123456789.[]*")) <= 1 {
		return LineUnknown // it ends in a value
	}
	return lineOfText(text)
}

// LineOfRender is what a function of package fmt writes.
func (p *Values) LineOfRender(row known.Row, args []ssa.Value) Line {
	if len(args) <= row.B {
		return LineUnknown
	}
	if row.Op == known.RenderLine {
		if IsNil(args[row.B]) {
			return LineBreak
		}
		return LineWhole
	}
	if IsString(args[row.B].Type()) {
		return p.lineOfFormat(args[row.B])
	}
	if sl, ok := args[row.B].(*ssa.Slice); ok {
		return p.lineOfElements(sl)
	}
	return LineUnknown
}

// lineEncoders are the encoders that end what they write in a newline.
var lineEncoders = map[string]bool{"json": true, "jsoniter": true, "csv": true}

// LineOfEncoder is what an encoder writes.
func LineOfEncoder(codec string) Line {
	if lineEncoders[codec] {
		return LineWhole
	}
	return LineUnknown
}

// buffers are the packages whose writers keep bytes back and write them when
// they have enough, wherever a record ends.
var buffers = map[string]bool{
	"bufio":     true,
	"csv":       true,
	"gzip":      true,
	"zlib":      true,
	"flate":     true,
	"zstd":      true,
	"lz4":       true,
	"snappy":    true,
	"tabwriter": true,
}

// Buffer names the buffered writer between who writes to the handle and its
// file, the one nearest to the file; empty where there is none.
func Buffer(h *pathexpr.Term) string {
	name := ""
	for ; h != nil && h.Kind == pathexpr.Wrap && len(h.Args) > 0; h = h.Args[0] {
		if buffers[h.Text] {
			name = h.Text
		}
	}
	return name
}
