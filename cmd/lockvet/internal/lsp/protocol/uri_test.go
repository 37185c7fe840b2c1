package protocol

import "testing"

func TestURI(t *testing.T) {
	for _, c := range []struct {
		uri  URI
		name string // as on Unix
		same bool   // File makes the URI of it
	}{
		{"file:///a/b.go", "/a/b.go", true},
		{"file:///a%20b/%C3%A4%23%3F%25.go", "/a b/ä#?%.go", true},
		{"file:///a/c%2B%2B@v1/+.go", "/a/c++@v1/+.go", false},
		{"file://localhost/a.go", "/a.go", false},
		{"untitled:Untitled-1", "", false},
		{"file://server/share/a.go", "", false},
		{"git:/a.go?x", "", false},
		{"%", "", false},
	} {
		name, ok := c.uri.File()
		if name != c.name || ok != (c.name != "") {
			t.Errorf("%s: %q, %t", c.uri, name, ok)
		}
		if c.same && File(c.name) != c.uri {
			t.Errorf("%q: %s", c.name, File(c.name))
		}
	}
}
