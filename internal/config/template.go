package config

import (
	"fmt"
	"reflect"
	"strings"
)

// SchemaURL is where editors find the schema of the file.
const SchemaURL = "https://raw.githubusercontent.com/lockvet/lockvet/main/docs/lockvet.schema.json"

// does says what each key of the file is for.
var does = map[string]string{
	"enable":   "Run only these checks or variants.",
	"disable":  "Do not run these checks, or report these variants.",
	"severity": "What findings count, by check or variant. Only errors make a run fail; notes are not reported.",
	"without":  "Leave out these rules.",
	"state":    "Paths with a name that matches one of these regular expressions hold state.",
	"tests":    "Report findings in _test.go files, too.",
	"exclude":  "Report nothing at these places.",
	"safeio":   "The import path of package safeio in fixed code, or \"bundle\" for a copy in the module.",
}

// Does says what a key of the file is for.
func Does(key string) string { return does[key] }

// Template is the text of a file that has every key, and says nothing: each has its default.
func Template() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# yaml-language-server: $schema=%s\n", SchemaURL)
	defaults := map[reflect.Kind]string{reflect.Slice: "[]", reflect.Map: "{}", reflect.Bool: "false", reflect.String: `""`}
	file := reflect.TypeFor[File]()
	for i := range file.NumField() {
		if key := file.Field(i).Tag.Get("yaml"); key != "-" {
			fmt.Fprintf(&b, "\n# %s\n%s: %s\n", Does(key), key, defaults[file.Field(i).Type.Kind()])
		}
	}
	return b.String()
}
