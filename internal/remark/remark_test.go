package remark

import (
	"strings"
	"testing"
)

func TestComments(t *testing.T) {
	for _, test := range []struct {
		comment string
		topics  []Topic
		gone    bool
	}{
		{"write to a temporary file first", []Topic{Replacing}, true},
		{"write to a temporary file first", []Topic{Locking}, false},
		{"write to a temporary file first", []Topic{Locking, Replacing}, true},
		{"the temporary file has 0600, since the token is in it", []Topic{Replacing}, false},
		{"a temporary file with a mode of 0600", []Topic{Replacing}, true},
		{"a temporary file beside it, so that no other file system is asked", []Topic{Replacing}, true},
		{"the rename is atomic", []Topic{Replacing}, false},
		{"rename it\n\nsince readers\nmay come", []Topic{Replacing}, false},
		{"on Windows the old one goes before the rename", []Topic{Replacing}, true},
		{"rename it, see issue #12", []Topic{Replacing}, false},
		{"TODO: fsync", []Topic{Replacing}, false},
		{"hold the flock", []Topic{Locking}, true},
		{"the name is known", []Topic{Replacing, Locking, Removing}, false},
		{"nolint:errcheck", []Topic{Removing}, true},
		{"//nolint:errcheck // it is closed", nil, true},
		{"#nosec G304 -- a path of ours", []Topic{Removing}, true},
		{"", []Topic{Removing}, false},
		{"rename it", []Topic{Removing}, false},
		{"os.Rename fails where the file is, so it goes first; that fails, too, because it may not be there", []Topic{Replacing}, true},
		{"flush it before the rename for crash safety", []Topic{Replacing}, true},
		{"rename it for crash safety", []Topic{Replacing}, false},
		{"TODO: os.Rename fails here", []Topic{Replacing}, false},
		{"a failed Close can mean a truncated file", []Topic{Closing}, true},
		{"TODO: close it twice", []Topic{Closing}, false},
	} {
		if got := About(test.topics...)(test.comment); got != test.gone {
			t.Errorf("%q: gone is %v", test.comment, got)
		}
	}
}

// TestAbove: which words a comment of another script has is not known.
func TestAbove(t *testing.T) {
	for comment, gone := range map[string]bool{
		"// 原子性地重命名临时文件":                  true,
		"// переименовать временный файл": true,
		"// 用 os.Rename 重命名":              true,
		"// TODO 原子性地":                    false,
		"// 一\n// 二\n// 三":                false,
		"// the settings":                 false,
		"// ---":                          false,
	} {
		if Above(Replacing)(comment) != gone {
			t.Errorf("%q: gone is %v", comment, !gone)
		}
	}
	if About(Replacing)("// 保存配置") {
		t.Error("a comment on code that another takes the place of is not read")
	}
}

func TestSteps(t *testing.T) {
	for comment, gone := range map[string]bool{
		"Write to a temporary file, sync it and rename it.":                                       true,
		"Write to a temporary file, since a reader may come.":                                     true,
		"// 4. Atomic write (temp file + rename)":                                                 true,
		"Step 2: rename it.":                                                                      true,
		"Write to a temporary file that is private, so that nobody reads the password meanwhile.": false,
	} {
		if Steps(comment) != gone {
			t.Errorf("%q: gone is %v", comment, !gone)
		}
	}
	lines := []string{"// A temporary file comes first. Only its owner may read", "// the temporary file, since a token is in it. Then it is renamed."}
	if got := strings.Join(Untold(lines), " "); !strings.Contains(got, "since a token") || strings.Contains(got, "comes first") || strings.Contains(got, "renamed") {
		t.Errorf("what stays is %q", got)
	}
}

func TestWished(t *testing.T) {
	for comment, fulfilled := range map[string]bool{
		"// TODO: write + rename":                               true,
		"// TODO(anna): make this atomic.":                      true,
		"// FIXME write to a temp file and rename it":           true,
		"// TODO: make this atomic, and lock the other process": false,
		"// TODO: use the atomic counter of the pool":           false,
		"// write + rename":                                     false,
		"// TODO: rename the field":                             false,
	} {
		if Wished(comment) != fulfilled {
			t.Errorf("%q: fulfilled is %v", comment, !fulfilled)
		}
	}
}
