package state

// A Row is a labelled place of a program: facts about it, and none of its code.
type Row struct {
	// Repository and Commit say which source it is, File, Line and Func where.
	Repository string `json:"repository"`
	Commit     string `json:"commit"`
	File       string `json:"file"`
	Line       int    `json:"line"`
	Func       string `json:"func,omitempty"`
	// From is where the label comes from: "bug" of a fix, "clean" of a place that is right, "sample" of a write and
	// "lock" of a lock that were drawn by lot, "report" of a finding that was read, "field" of one by somebody who has lost data, "user" of what lockvet label
	// wrote.
	From string `json:"from"`
	// Label says what a maintainer thinks of the place.
	Label Label `json:"label"`
	// Reader tells apart several who read the same finding; empty where there is one.
	Reader string `json:"reader,omitempty"`
	// Category is what lockvet reports of the place, or would report; empty where it sees no candidate.
	Category string `json:"category,omitempty"`
	// Reported says that it is reported. Before is the severity that it had when rules set that; empty for none.
	Reported bool   `json:"reported,omitempty"`
	Before   string `json:"before,omitempty"`
	// Features are the IDs of the rules that spoke of the candidate.
	Features []string `json:"features,omitempty"`
	// Reason is why the label is this one, in words; empty where nobody says so.
	Reason string `json:"reason,omitempty"`
}

// A Label is what a maintainer thinks of a place.
type Label string

// The labels: the report is true, and its fix is merged; it is true, and nobody would fix it; it is not true; the
// place needs no report.
const (
	Wanted     Label = "wanted"
	NotWorthIt Label = "not-worth-it"
	False      Label = "false"
	Right      Label = "ok"
)
