package state

import (
	"testing"
)

// TestEncodedAs lists what evidence says of an encoder, by its package.
func TestEncodedAs(t *testing.T) {
	for codec, want := range map[string]string{
		"json": "its content is encoded as json", "protojson": "its content is encoded as json",
		"parser": "its content comes from an encoder", "encoder": "its content comes from an encoder",
	} {
		if got := EncodedAs(codec); got != want {
			t.Errorf("%s: %q, want %q", codec, got, want)
		}
	}
}
