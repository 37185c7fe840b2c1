package main

import (
	"bytes"
	"encoding/json"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/config"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/verdict"
)

// schema is the JSON schema of .lockvet.yaml, with the names of all checks, variants and
// rules, so that an editor completes them.
func schema() []byte {
	type object map[string]any
	var names, rules []string
	severities := object{}
	severity := object{"enum": []finding.Severity{finding.Error, finding.Warning, finding.Note}}
	for _, name := range analyzer.Names() {
		names = append(names, name)
		severities[name] = severity
	}
	for _, r := range verdict.Rules() {
		rules = append(rules, r.ID)
	}
	list := func(of any, why string) object {
		return object{"description": why, "type": "array", "items": of, "uniqueItems": true}
	}
	check := object{"enum": names}
	doc := object{
		"$schema":              "https://json-schema.org/draft/2020-12/schema",
		"$id":                  config.SchemaURL,
		"title":                "The configuration of lockvet, .lockvet.yaml",
		"type":                 "object",
		"additionalProperties": false,
		"properties": object{
			"enable":   list(check, config.Does("enable")),
			"disable":  list(check, config.Does("disable")),
			"severity": object{"description": config.Does("severity"), "type": "object", "properties": severities, "additionalProperties": false},
			"without":  list(object{"enum": rules}, config.Does("without")),
			"state":    list(object{"type": "string", "format": "regex"}, config.Does("state")),
			"tests":    object{"description": config.Does("tests"), "type": "boolean"},
			"safeio":   object{"description": config.Does("safeio"), "type": "string"},
			"exclude": list(object{
				"type":                 "object",
				"additionalProperties": false,
				"required":             []string{"path", "reason"},
				"properties": object{
					"path": object{"description": "A pattern of names of files or directories, relative to the " +
						"directory of this file; ** stands for any number of directories.", "type": "string", "minLength": 1},
					"checks": list(check, "The checks and variants that it is about; all, where there are none."),
					"reason": object{"description": "Why nothing is reported there.", "type": "string", "minLength": 1},
				},
			}, config.Does("exclude")),
		},
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		panic(err) // text and lists of text
	}
	return out.Bytes()
}
