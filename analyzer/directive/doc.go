// Package directive defines the check for comments for lockvet that have no
// effect.
//
// # directive
//
// A comment //lockvet:ignore CHECK REASON silences what is reported on its
// line, or on the line below if it has a line of its own. CHECK is a check or a
// variant, or several, separated by commas. The comment covers one line only,
// never a function; for a file or directory use exclude in .lockvet.yaml. A
// comment //lockvet:state on a field, constant, variable or function says that
// its path holds state.
//
// Both stay when the code around them changes. A comment that no longer silences
// anything would hide the next mistake on its line.
//
// WRONG:
//
//	//lockvet:ignore tornwrite
//	return os.WriteFile(path, data, 0o600)
//
// RIGHT:
//
//	//lockvet:ignore tornwrite the cache is filled again when it cannot be read
//	return os.WriteFile(path, data, 0o600)
//
// There is no fix: the author writes the reason, or calls package safeio and
// deletes the comment.
//
// No comment silences this check; lockvet -disable directive turns it off.
//
// # Variants
//
// Each variant has its own ID, CHECK/VARIANT. -enable, -disable, -severity and
// //lockvet:ignore accept a check or a variant.
//
//   - directive/reason: the comment does not say why; it has no effect.
//   - directive/unknown: no directive, check or variant has that name, or a
//     blank follows the slashes of what would be a directive.
//   - directive/unused: nothing is reported where the comment would silence it.
//   - directive/misplaced: the comment is on no declaration whose path could
//     hold state.
//
// # Silent
//
// The check is silent about an ignore directive when a check that it names is
// turned off. It is silent where the analysis gets no facts of other packages
// (golangci-lint with facts: false), and in test files without -tests.
package directive
