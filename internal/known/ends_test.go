package known

import (
	"go/types"
	"testing"
)

// TestAsserts goes by the names of functions whose bodies are not at hand.
func TestAsserts(t *testing.T) {
	err, text := types.Universe.Lookup("error").Type(), types.Typ[types.String]
	anything := types.NewInterfaceType(nil, nil)
	for _, test := range []struct {
		path, name string
		params     []types.Type
		results    []types.Type
		want       int
	}{
		{"github.com/spf13/cobra", "CheckErr", []types.Type{anything}, nil, 0},
		{"example.com/lib", "CheckErr", []types.Type{anything}, nil, -1},
		{"example.com/lib", "CheckErr", []types.Type{err}, nil, 0},
		{"example.com/lib", "CheckErr", []types.Type{err}, []types.Type{err}, -1},
		{"example.com/lib", "CheckErr", []types.Type{text}, nil, -1},
		{"example.com/lib", "FatalIfError", []types.Type{text, err}, nil, 1},
		{"example.com/lib", "ExitOnErr", []types.Type{err, text}, nil, 0},
		{"example.com/lib", "Must", []types.Type{err}, nil, 0},
		{"example.com/lib", "Must", []types.Type{text, err}, []types.Type{text}, 1},
		{"example.com/lib", "Must2", []types.Type{text, text, err}, []types.Type{text, text}, 2},
		{"example.com/lib", "Must", []types.Type{text, err}, []types.Type{text, err}, -1},
		{"example.com/lib", "Must", []types.Type{text, anything}, []types.Type{text}, -1},
		{"example.com/lib", "OrZero", []types.Type{text, err}, []types.Type{text}, -1},
		{"example.com/lib", "LogError", []types.Type{err}, nil, -1},
	} {
		tuple := func(list []types.Type) *types.Tuple {
			var vars []*types.Var
			for _, typ := range list {
				vars = append(vars, types.NewParam(0, nil, "", typ))
			}
			return types.NewTuple(vars...)
		}
		fn := types.NewFunc(
			0,
			types.NewPackage(test.path, "lib"),
			test.name,
			types.NewSignatureType(nil, nil, nil, tuple(test.params), tuple(test.results), false),
		)
		if got := Asserts(fn); got != test.want {
			t.Errorf("%s.%s of %v: %d, want %d", test.path, test.name, test.params, got, test.want)
		}
	}
}

// TestAssertsOfAny: lo.Must[T any](val T, err any, messageArgs ...any) T takes an error or a condition.
func TestAssertsOfAny(t *testing.T) {
	any := types.Universe.Lookup("any").Type()
	val := types.NewTypeParam(types.NewTypeName(0, nil, "T", nil), any)
	param := func(name string, typ types.Type) *types.Var { return types.NewParam(0, nil, name, typ) }
	sig := types.NewSignatureType(nil, nil, []*types.TypeParam{val},
		types.NewTuple(param("val", val), param("err", any), param("messageArgs", types.NewSlice(any))),
		types.NewTuple(param("", val)), true)
	fn := types.NewFunc(0, types.NewPackage("github.com/samber/lo", "lo"), "Must", sig)
	if got := Asserts(fn); got != 1 {
		t.Errorf("%d, want 1", got)
	}
}
