// Package uncommitted defines the check for new content that is written and
// thrown away.
//
// # uncommitted
//
// A pending file is a temporary file that takes the place of another when it is
// committed: with Commit after safeio.Create, with CloseAtomicallyReplace after
// renameio.TempFile. Nothing else commits it, and Close discards it.
// Code that was made for an *os.File ends with Close, and so do helpers that
// accept an io.WriteCloser. The old content stays. Where the error of Close is
// ignored, nothing says so.
//
// WRONG:
//
//	f, err := safeio.Create(path)
//	if err != nil {
//		return err
//	}
//	if err := json.NewEncoder(f).Encode(s); err != nil {
//		f.Close()
//		return err
//	}
//	return f.Close()
//
// RIGHT:
//
//	f, err := safeio.Create(path)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	if err := json.NewEncoder(f).Encode(s); err != nil {
//		return err
//	}
//	return f.Commit()
//
// The fix calls Commit in place of Close where the error of Close is handled.
//
// To silence one report, write //lockvet:ignore uncommitted REASON on its line
// or on the line above.
//
// # Variants
//
// Each variant has its own ID, CHECK/VARIANT. -enable, -disable, -severity and
// //lockvet:ignore accept a check or a variant.
//
//   - uncommitted/closed: the function writes and closes the file, and then
//     succeeds, or returns the result of Close.
//   - uncommitted/dropped: the function succeeds after it has written the file,
//     which a helper or a deferred call closes, or nothing does.
//
// # Silent
//
// The check is silent
//
//   - where the function commits the file anywhere, also on some paths only;
//   - for a file of renameio that is made with options;
//   - where the file is returned, stored, used in a function literal, or passed
//     to code that could commit it;
//   - where nothing is written to it;
//   - where the function returns an error whenever it has written.
//
// # Fixes
//
// What stays: which file is written, with which content, and what happens to
// the errors.
//
// To review: the file is replaced now, where it never was before.
package uncommitted
