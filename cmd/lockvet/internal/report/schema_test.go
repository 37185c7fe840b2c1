package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

var update = flag.Bool("update", false, "rewrite the schema of the documentation")

const schemaFile = "../../../../docs/report.schema.json"

// TestSchema: docs/report.schema.json is the schema of the document, and what is written
// follows it.
func TestSchema(t *testing.T) {
	schema, err := jsonschema.For[Document](nil)
	if err != nil {
		t.Fatal(err)
	}
	schema.Schema, schema.Title = "https://json-schema.org/draft/2020-12/schema", "The JSON document of lockvet -json"
	open(schema)
	want, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not the schema of the document: run this test with -update (%v)", schemaFile, err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	p, doc := sample(t)
	doc.Tool, doc.Fixed, doc.GaveUp = "lockvet v1", doc.Findings, []GaveUp{{Package: "m", Question: "effects"}}
	doc.Candidates = []Candidate{{Pos: &Pos{"m.go", 1, 1}}}
	for _, doc := range []*Document{doc, p.Document(nil, nil, nil)} {
		var out bytes.Buffer
		if err := JSON(&out, doc); err != nil {
			t.Fatal(err)
		}
		var instance any
		if err := json.Unmarshal(out.Bytes(), &instance); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(instance); err != nil {
			t.Errorf("%v\n%s", err, out.Bytes())
		}
	}
	if err := resolved.Validate(map[string]any{"version": 1, "tool": "lockvet", "findings": []any{map[string]any{"check": 1}}}); err == nil {
		t.Error("a finding without anything is valid")
	}
}

// open lets objects have fields that are new.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Properties != nil {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		open(p)
	}
	open(s.Items)
}
