// Package uncommitted defines the check for new content that is written and thrown
// away.
//
// # uncommitted
//
// What is written to a pending file (safeio.Create, renameio.TempFile) is put in
// place by Commit, or CloseAtomicallyReplace, and by nothing else: Close
// throws it away. Code that was made for an *os.File ends with Close, and so do
// helpers that take an io.WriteCloser. The old file stays, and where nobody looks
// at the error of Close, nobody is told.
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
// Variants, each a diagnostic category of its own:
//
//   - uncommitted/closed: the function closes the file where it has written it, and ends
//     well then, or as Close does.
//   - uncommitted/lent: a helper is given the file to write and close it, and nobody
//     commits it.
//   - uncommitted/dropped: the function ends well after it has written the file, which a
//     deferred call closes, or nothing does.
//
// The check is silent where the function commits the file anywhere, also in a function
// literal or on some ways only; for renameio.WithReplaceOnClose; where the file is returned, stored, or given to
// something that could commit it; where nothing is written to it; and where the
// function ends with an error whenever it has written.
//
// The fix calls Commit in place of Close where the error of Close is looked at.
//
// What stays: which file is written, with which content, and what happens to the errors.
//
// To review: the file is replaced now, where it never was before.
package uncommitted
