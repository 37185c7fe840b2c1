// Package baseline remembers findings that are known and not to be reported
// again, so that a check can be turned on in an old tree. It knows findings by
// their fingerprints; it knows nothing of where they stand.
package baseline

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// version grows when fingerprints are made in another way.
const version = 1

// ErrOutdated is for a file that another version wrote, or nobody did.
var ErrOutdated = errors.New("-baseline-write makes it anew")

// A Baseline is the findings that are known.
type Baseline struct {
	Version  int     `json:"version"`
	Findings []Entry `json:"findings"`
}

// An Entry is one of them. Fingerprint tells it from others; the rest is for
// those who read the file.
type Entry struct {
	Fingerprint string `json:"fingerprint"`
	Category    string `json:"category"`
	Package     string `json:"package"`
	Func        string `json:"func"`
}

// Read reads the baseline in a file.
func Read(name string) (*Baseline, error) {
	content, err := untrusted.ReadFile(name, untrusted.MaxSource)
	if err != nil {
		return nil, fmt.Errorf("the baseline cannot be read: %w; -baseline-write makes it", err)
	}
	var b Baseline
	if err := json.Unmarshal(content, &b); err != nil {
		return nil, fmt.Errorf("the baseline %s cannot be decoded (%v): %w", name, err, ErrOutdated)
	}
	if b.Version != version {
		return nil, fmt.Errorf("the baseline %s has version %d, and this lockvet reads version %d: %w", name, b.Version, version, ErrOutdated)
	}
	return &b, nil
}

// Check is that which made the finding.
func (e Entry) Check() string {
	check, _, _ := strings.Cut(e.Category, "/")
	return check
}

// Unknown leaves out the findings that the baseline has. Gone is the number of
// its entries within the scope of the run that nothing was found for.
func (b *Baseline) Unknown(found []*analyse.Found, scope func(Entry) bool) (unknown []*analyse.Found, gone int) {
	known := make(map[string]bool)
	for _, e := range b.Findings {
		known[e.Fingerprint] = true
	}
	met := make(map[string]bool)
	for _, f := range found {
		if known[f.Fingerprint] {
			met[f.Fingerprint] = true
		} else {
			unknown = append(unknown, f)
		}
	}
	for _, e := range b.Findings {
		if scope(e) && !met[e.Fingerprint] {
			gone++
		}
	}
	return unknown, gone
}

// Replace makes the findings the entries within the scope of the run; others stay.
func (b *Baseline) Replace(found []*analyse.Found, scope func(Entry) bool) {
	b.Version = version
	b.Findings = slices.DeleteFunc(b.Findings, scope)
	for _, f := range found {
		b.Findings = append(b.Findings, Entry{f.Fingerprint, f.Category(), f.Pkg.PkgPath, f.Func})
	}
	slices.SortFunc(b.Findings, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.Package, y.Package), cmp.Compare(x.Func, y.Func),
			cmp.Compare(x.Category, y.Category), cmp.Compare(x.Fingerprint, y.Fingerprint))
	})
}

// Encode is the content of the file: an entry in a line of its own, so that
// changes of two branches merge.
func (b *Baseline) Encode() []byte {
	out := fmt.Appendf(nil, "{\"version\": %d, \"findings\": [", b.Version)
	for i, e := range b.Findings {
		line, _ := json.Marshal(e) // strings always can be
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, "\n\t"...), line...)
	}
	return append(out, "\n]}\n"...)
}
