package known

import (
	"go/types"
	"testing"
)

// TestMakesError: an error is made by a table, by a name that has the word, and by what is
// called for errors; a word that has the letters in it is another.
func TestMakesError(t *testing.T) {
	for _, c := range []struct {
		path, name string
		want       Certainty
	}{
		{"errors", "New", Certain},
		{"fmt", "Errorf", Certain},
		{"github.com/pkg/errors", "Wrap", ByName},
		{"example.com/agentd/internal/xerrors", "Mark", ByName},
		{"example.com/agentd", "newErr", ByName},
		{"example.com/agentd", "AsHTTPError", ByName},
		{"example.com/agentd", "user_error", ByName},
		{"example.com/agentd", "interrupt", No},
		{"example.com/agentd", "Errand", No},
		{"example.com/terraform/states", "Lookup", No},
		{"fmt", "Sprintf", No},
	} {
		fn := types.NewFunc(0, types.NewPackage(c.path, "p"), c.name, types.NewSignatureType(nil, nil, nil, nil, nil, false))
		if got := MakesError(fn); got != c.want {
			t.Errorf("%s.%s: %d, want %d", c.path, c.name, got, c.want)
		}
	}
}
