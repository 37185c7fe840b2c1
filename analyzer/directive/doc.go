// Package directive defines the check for comments that speak to lockvet and are
// not heard.
//
// # directive
//
// A comment //lockvet:ignore CHECK REASON answers for what is reported on its
// line, or on the line below if it has a line of its own. A comment
// //lockvet:state on a field, constant, variable or function says that its path
// holds state. Both stay behind when the code around them changes: one that
// answers for nothing any more will answer, unread, for the next mistake that is
// made on its line.
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
// Variants, each a diagnostic category of its own:
//
//   - directive/reason: the comment does not say why; it is not heeded.
//   - directive/unknown: no directive, check or variant has that name, or a blank
//     follows the slashes of what would be a directive.
//   - directive/unused: nothing is reported where the comment answers for it.
//   - directive/misplaced: the comment marks no declaration whose path could
//     hold state.
//
// The check is silent about what an ignore directive answers for when one of the
// checks that it names is turned off, or when a driver tells nothing of other
// packages, and in test files unless findings in these are asked for. It answers
// to no directive itself.
//
// There is no fix: whether to write the reason, or to call package safeio and
// drop the comment, is for its author to decide.
package directive
