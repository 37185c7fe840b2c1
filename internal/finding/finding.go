// Package finding is what a check hands on: where the data is lost, whose data
// it is, how it is known, the schedule that loses it, and the end state that
// would fix it. It knows nothing of how a finding was found and nothing of how
// it is printed or repaired.
package finding

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/printable"
	"github.com/lockvet/lockvet/internal/verdict"
)

// At is a position as messages say it: the file, without its folder, and the line.
func At(fset *token.FileSet, pos token.Pos) string {
	at := fset.Position(pos)
	return filepath.Base(at.Filename) + ":" + strconv.Itoa(at.Line)
}

// A Severity is how much a finding counts.
type Severity string

// The severities. An error loses what cannot be made again, to a crash or to a writer that can
// run at the same time. A warning is as true, but the window is that of a command that a person
// starts, or what is lost is made again. A note is shown to who asks for all. Only errors make a run fail.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// A Finding is one defect at one place.
type Finding struct {
	// Check is the name of the check ("tornwrite").
	Check string
	// Variant is the kind of mistake within the check ("fixedtemp").
	Variant string
	// Pos and End bound the statement or call that has to change.
	Pos, End token.Pos
	// Func is the function that holds Pos, as a reader would write it: "save"
	// or "(*Store).save".
	Func string
	// Other is in a second function, without which nothing is lost; NoPos where there
	// is none.
	Other token.Pos
	// Sentence says in one sentence what happens to whose data. It names the
	// path or the function, so that no two findings read the same.
	Sentence string
	// Claim is what the evidence is for, as a heading: "holds state" where it is
	// empty.
	Claim string
	// Evidence says why the claim is believed, strongest first. It is never
	// empty.
	Evidence []Evidence
	// Schedule is the interleaving that loses the data, in order.
	Schedule []Step
	// Remedy is the end state asked for; nil where no edit of this package can
	// reach it.
	Remedy Remedy
	// Covers are the categories that say less of the same mistake at the same
	// place; they are not reported beside this one.
	Covers []string
	// Elsewhere is the place in another package at which an edit would fix the
	// finding, as that package names it; empty where there is none.
	Elsewhere string
	// Heard are the places, in the form of Elsewhere, at which callers in other packages get an
	// error that the fix returns, with something else that they could use. Its fix is one of
	// Elsewhere, then, and is made where all of them are known.
	Heard []string
	// Saves is the file whose lock the fix takes, by the name that all packages have for it;
	// empty for none.
	Saves string
	// Locks says that the fix is a lock between processes.
	Locks bool
	// Doubt is what only somebody who knows the program can decide before the fix is made, also that of
	// an error; empty where nothing is.
	Doubt string
	// Temps are the temporary files that the fix does away with.
	Temps []Temp
	// Leaves says that the fix leaves a lock file that the function removes.
	Leaves bool
	// Asks is why somebody has to be asked before the fix is made; empty where nobody has. Of an error
	// nobody has.
	Asks string
	// Passing says that what the file is named for is made again by itself when it is lost.
	Passing bool
	// NoFix says why the finding carries no edit. It is empty when Fix is set.
	NoFix string
	// Fix is the planned edit, nil when NoFix says why there is none.
	Fix *analysis.SuggestedFix
	// Severity is how much it counts, and Score how likely a maintainer wants it fixed, from 0 to 1: package state says both.
	Severity Severity
	Score    float64
	// Shown is how much it counts by an execution of its schedule, whatever its score is; empty where none says so.
	Shown Severity
	// Verdict has the rules that spoke of it; nil where none are kept.
	Verdict *verdict.Candidate
}

// A Temp is a temporary file of a function, by the end of its name.
type Temp struct{ Func, Name string }

// FailsIn is the place, for [Finding.Elsewhere], at which a function returns an error.
func FailsIn(fn string) string { return failsIn + fn }

// Failing is the function of a place that [FailsIn] has made.
func Failing(place string) string { return strings.TrimPrefix(place, failsIn) }

const failsIn = "fails in "

// SavedAs is the place, for [Finding.Elsewhere], at which a file is saved that has a name in
// all packages.
func SavedAs(file string) string { return "saves " + file }

// Category is the diagnostic category: check and variant.
func (f *Finding) Category() string { return f.Check + "/" + f.Variant }

// Evidence is one reason to believe the claim of a finding.
type Evidence struct {
	// Pos is where the reason stands; NoPos when it stands in another package
	// and only Text can say so.
	Pos token.Pos
	// Text completes the sentence that the claim begins: "holds state: …".
	Text string
}

// A Step is one step of a schedule.
type Step struct {
	// Actor is who acts: "process A", "process B", "the kernel".
	Actor string
	// Pos is the line at which the actor acts; NoPos for a crash.
	Pos token.Pos
	// Does says what it does there.
	Does string
	// Memory says what memory holds after the step, that which goroutines share or
	// that of the process which acts; empty when unchanged.
	Memory string
	// File says what the file holds after the step; empty when unchanged.
	File string
	// Acts are the ways to bring the step about when the schedule is executed, best first; none for a step that the
	// program takes by itself, and for one that is about memory.
	Acts []Act
}

// An Act is what happens to a file or a process in a step. Package witness has an experiment for each, of this name.
type Act string

// The acts.
const (
	DiskFull         Act = "full"      // there is no space left, after a part of the content
	Killed           Act = "kill"      // the process is killed, after a part of the content
	Reads            Act = "reader"    // another process reads
	SharesTemp       Act = "shared"    // another process writes the same temporary file
	SharesItsTemp    Act = "goroutine" // another goroutine of the process writes the same temporary file
	LosesPower       Act = "powercut"  // what was not synced is gone
	FindsStuckTemp   Act = "stuck"     // the temporary file of a process that was killed is there
	CrossesDevices   Act = "crossdir"  // the directories are on two file systems
	Saves            Act = "update"    // another process saves
	Tears            Act = "torn"      // the file holds a part of a content
	Appends          Act = "append"    // another process appends
	LocksTruncated   Act = "truncated" // another process takes the lock of a file that was truncated before
	LocksUnflushed   Act = "unlock"    // another process takes the lock that is released, and reads
	LocksRemoved     Act = "remove"    // another process takes the lock whose file is removed then
	LocksDropped     Act = "dropped"   // another process takes the lock of a file that nothing keeps open
	CreatesFirst     Act = "create"    // another process creates the file just before
	PublishesFirst   Act = "replace"   // another process creates the target of a rename just before
	ReclaimsTheStale Act = "reclaim"   // another process removes the stale file and creates its own
)

// How what a step leaves in memory and in the file is introduced, wherever it is
// shown.
const (
	MemoryHolds = "memory holds"
	FileHolds   = "the file holds"
)

// A Remedy is an end state in terms of the source that must change. The types
// that implement it stand in this package; package fixes proves each reachable
// or says why it is not.
type Remedy interface {
	// Place is where the call or statement begins that the remedy is about; NoPos where
	// there is none. Two findings about one have one fix.
	Place() token.Pos
}

// ReplaceCall asks that one call which rewrites a whole file in place becomes
// one call that replaces the file: os.WriteFile to safeio.WriteFile.
type ReplaceCall struct {
	Call *ast.CallExpr
	// Writer is the name of the function of the package that replaces this file already, empty for
	// none; By the one that it calls for that, if that takes what os.WriteFile takes.
	Writer string
	By     *types.Func
	// Edited says that the program has read the file before: its mode may be somebody else's. Home says
	// that it stands in the home directory itself, where users have links to files of theirs.
	Edited, Home bool
}

// Unsynced asks for the end state of another remedy without a sync: the file need not survive a power
// cut, as what it holds is made again.
type Unsynced struct{ Remedy }

// ReplaceSaver asks that a call of a library's function which rewrites a whole file in place
// becomes one of a function that has it write another file, and replaces the file by that.
type ReplaceSaver struct {
	// Body is the function body that makes the call.
	Body *ast.BlockStmt
	Call *ast.CallExpr
}

// PublishHandle asks that a file which is opened with truncation, written
// through its handle and closed becomes a pending file that is committed on
// every success path and discarded on every other.
type PublishHandle struct {
	// Body is the function body that opens the file.
	Body *ast.BlockStmt
	// Open is the call that truncates: os.Create or os.OpenFile.
	Open *ast.CallExpr
	// Overwrites says that the call does not truncate although the content is
	// meant to be all that the file holds.
	Overwrites bool
	// Empties is the call of a method of the handle that truncates the file instead; nil for none.
	Empties *ast.CallExpr
	// Locks are the calls that lock the handle and release it. Nobody relies
	// on them where the file is replaced.
	Locks []*ast.CallExpr
}

// FlushPublished asks that a file which is opened with truncation, and flushed too late, is published:
// that flushes it, and under no lock. It is asked for beside a [PublishHandle] of the same call.
type FlushPublished struct {
	// Open is the call that truncates; nil where there is none.
	Open *ast.CallExpr
}

// CollapseTemp asks that a hand-made temporary file and its rename become one
// call that does both.
type CollapseTemp struct {
	Body *ast.BlockStmt
	// Open is the call that creates the temporary file: os.WriteFile,
	// os.Create, os.OpenFile or os.CreateTemp.
	Open *ast.CallExpr
	// Rename is the call that publishes it.
	Rename *ast.CallExpr
}

// SyncTemp asks that the bytes of a temporary file, which is as it should be otherwise, are on
// disk before it is renamed.
type SyncTemp struct {
	Body *ast.BlockStmt
	// Open is the call that creates the file, Rename the one that publishes it.
	Open, Rename *ast.CallExpr
	// Else is the end state that will do where this one cannot be reached; nil for none.
	Else Remedy
}

// SpanLock asks that a lock between processes is held from before a call that
// loads a file to behind one that saves it.
type SpanLock struct {
	// Body is the function body that holds the calls.
	Body       *ast.BlockStmt
	Load, Save *ast.CallExpr
	// Path is the file as source text of the function.
	Path string
	// Mode is the mode, as source text, with which the function makes the directory
	// of the file later on; empty where it does not.
	Mode string
	// Absent says that the function ends where there is no file, and that there may be no
	// directory then.
	Absent bool
	// With is what else in the package saves the file. The lock is taken there as well,
	// or nowhere.
	With []Saver
}

// A Saver is a function that saves a file, at the call by which it does.
type Saver struct {
	Func string
	Pos  token.Pos
	// Lock is the lock that it takes; NoLock says why it cannot, if it is not empty.
	Lock   SpanLock
	NoLock string
}

// MoveInside asks that changes of memory which stand before a lock is taken
// move to behind it.
type MoveInside struct {
	Body *ast.BlockStmt
	// Lock is in the statement that takes the lock.
	Lock token.Pos
	// Changes are in the statements that change memory.
	Changes []token.Pos
}

// DropRemoval asks that a call which removes a lock file goes, with what deals
// with its error.
type DropRemoval struct {
	Call *ast.CallExpr
}

// ReleaseLast asks that a statement which gives up a claim comes after the
// clean-up that the claim protects.
type ReleaseLast struct {
	// Release is what gives it up: a call of delete or of a function that does, or
	// an assignment.
	Release ast.Node
	// Cleanup is the call that removes the file, in the same function or in a
	// goroutine that it starts.
	Cleanup *ast.CallExpr
}

// CommitFile asks that a pending file which is closed is committed.
type CommitFile struct {
	// Close is the call of its method.
	Close *ast.CallExpr
	// Commit is the name of the method that puts it in place.
	Commit string
}

// SurfaceError asks that a function returns the error of a call in it that it
// answers with something else, or with nothing.
type SurfaceError struct {
	Body *ast.BlockStmt
	Call *ast.CallExpr
	// Return is where the function returns without the error, nil where it goes
	// on.
	Return *ast.ReturnStmt
	// Opens says that the error may be that of a missing file, for which the answer is
	// right.
	Opens bool
	// Does says what the call does, as errors begin: "decode". Path, if not nil, is
	// the file that it does it to, as the function spells it.
	Does string
	Path ast.Expr
}

// Place implements [Remedy].
func (r ReplaceCall) Place() token.Pos { return begin(r.Call) }

// Place implements [Remedy].
func (r ReplaceSaver) Place() token.Pos { return begin(r.Call) }

// Place implements [Remedy].
func (r PublishHandle) Place() token.Pos { return begin(r.Open) }

// Place implements [Remedy].
func (r CollapseTemp) Place() token.Pos { return begin(r.Open) }

// Place implements [Remedy].
func (r SyncTemp) Place() token.Pos { return begin(r.Open) }

// Place implements [Remedy].
func (r FlushPublished) Place() token.Pos { return begin(r.Open) }

// Place implements [Remedy].
func (r SpanLock) Place() token.Pos { return begin(r.Load) }

// Place implements [Remedy].
func (r MoveInside) Place() token.Pos { return r.Lock }

// Place implements [Remedy].
func (r DropRemoval) Place() token.Pos { return begin(r.Call) }

// Place implements [Remedy].
func (r ReleaseLast) Place() token.Pos { return r.Release.Pos() }

// Place implements [Remedy].
func (r CommitFile) Place() token.Pos { return begin(r.Close) }

// Place implements [Remedy].
func (r SurfaceError) Place() token.Pos { return begin(r.Call) }

// begin is where a call begins, NoPos where there is none.
func begin(call *ast.CallExpr) token.Pos {
	if call == nil {
		return token.NoPos
	}
	return call.Pos()
}

// Uncovered drops the findings that others cover.
func Uncovered(fs []*Finding) []*Finding {
	type place struct {
		pos      token.Pos
		category string
	}
	covered := map[place]bool{}
	for _, f := range fs {
		for _, c := range f.Covers {
			covered[place{f.Pos, c}] = true
		}
	}
	return slices.DeleteFunc(fs, func(f *Finding) bool { return covered[place{f.Pos, f.Category()}] })
}

// Sort puts findings in source order; equal places are ordered by category, so
// that the order never depends on how the findings were found.
func Sort(fset *token.FileSet, fs []*Finding) {
	slices.SortStableFunc(fs, func(a, b *Finding) int {
		pa, pb := fset.Position(a.Pos), fset.Position(b.Pos)
		if c := strings.Compare(pa.Filename, pb.Filename); c != 0 {
			return c
		}
		if pa.Offset != pb.Offset {
			return pa.Offset - pb.Offset
		}
		return strings.Compare(a.Category(), b.Category())
	})
}

// Diagnostic puts the finding in the form that every driver understands, its texts
// printable. The message begins with the category, which go vet does not print, and
// which a directive has to name. The related places are the schedule, numbered, then
// the evidence.
func (f *Finding) Diagnostic() analysis.Diagnostic {
	d := analysis.Diagnostic{
		Pos:      f.Pos,
		End:      f.End,
		Category: f.Category(),
		Message:  printable.Text(f.message()),
		URL:      "https://pkg.go.dev/github.com/lockvet/lockvet/analyzer/" + f.Check,
	}
	for i, s := range f.Schedule {
		pos := s.Pos
		if !pos.IsValid() {
			pos = f.Pos
		}
		d.Related = append(d.Related, analysis.RelatedInformation{
			Pos:     pos,
			Message: printable.Text(fmt.Sprintf("%d. %s", i+1, s)),
		})
	}
	for _, e := range f.Evidence {
		pos := e.Pos
		if !pos.IsValid() {
			pos = f.Pos
		}
		d.Related = append(d.Related, analysis.RelatedInformation{
			Pos:     pos,
			Message: printable.Text(f.Heading() + ": " + e.Text),
		})
	}
	if f.Fix != nil && f.Doubt == "" { // who gets a diagnostic is not asked
		d.SuggestedFixes = []analysis.SuggestedFix{*f.Fix}
	}
	return d
}

// Heading is the claim of the finding.
func (f *Finding) Heading() string { return cmp.Or(f.Claim, "holds state") }

func (f *Finding) message() string {
	m := f.Category() + ": " + f.Sentence
	switch {
	case f.NoFix != "":
		m += " (no fix: " + f.NoFix + ")"
	case f.Fix != nil && f.Doubt != "":
		m += " (lockvet -fix -i offers a fix: " + f.Doubt + ")"
	}
	return m
}

// String is the step as one line.
func (s Step) String() string {
	line := s.Actor + " " + s.Does
	if s.Memory != "" {
		line += "; " + MemoryHolds + " " + s.Memory
	}
	if s.File != "" {
		line += "; " + FileHolds + " " + s.File
	}
	return line
}
