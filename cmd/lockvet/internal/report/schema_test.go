package report

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A schema is what this test reads of a JSON schema.
type schema struct {
	Properties map[string]schema
	Required   []string
	Items      *schema
}

// TestSchema: docs/report.schema.json has the fields of the document, and requires those
// that are always written. Documents of the command are checked by it in tools/e2e.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	s.check(t, "Document", reflect.TypeFor[Document]())
}

// check compares a schema with the type that is written.
func (s schema) check(t *testing.T, at string, typ reflect.Type) {
	t.Helper()
	switch typ.Kind() {
	case reflect.Pointer:
		s.check(t, at, typ.Elem())
	case reflect.Slice:
		if s.Items == nil {
			t.Errorf("%s: the schema has no items", at)
			return
		}
		s.Items.check(t, at, typ.Elem())
	case reflect.Struct:
		n := 0
		for i := range typ.NumField() {
			name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			n++
			property, ok := s.Properties[name]
			if required := slices.Contains(s.Required, name); !ok || required == strings.Contains(options, "omitempty") {
				t.Errorf("%s.%s: in the schema %t, required %t", at, name, ok, required)
			}
			property.check(t, at+"."+name, typ.Field(i).Type)
		}
		if n != len(s.Properties) {
			t.Errorf("%s: the schema has %d properties, want %d", at, len(s.Properties), n)
		}
	}
}
