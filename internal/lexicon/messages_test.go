package lexicon

import "testing"

func TestPhrase(t *testing.T) {
	for _, c := range []struct{ like, does, want string }{
		{"failed to read state: %w", "lock", "failed to lock"},
		{"Failed to read %s: %w", "decode", "Failed to decode"},
		{"could not open it: %w", "lock", "could not lock"},
		{"cannot open it: %w", "lock", "cannot lock"},
		{"can't open it: %w", "lock", "can't lock"},
		{"unable to open it: %w", "create", "unable to create"},
		{"reading state: %w", "decode", "decoding"},
		{"error reading state: %w", "create", "error creating"},
		{"Error reading state: %w", "lock", "Error locking"},
		{"error in state: %w", "lock", "lock"},
		{"read %s: %w", "lock", "lock"},
		{"Read %s: %w", "lock", "Lock"},
		{"Reading %s: %w", "lock", "Locking"},
		{"JSON of %s: %w", "lock", "lock"},
		{"%w", "lock", "lock"},
		{"", "lock", "lock"},
	} {
		if got := Phrase(c.like, c.does); got != c.want {
			t.Errorf("like %q: %q, want %q", c.like, got, c.want)
		}
	}
}
