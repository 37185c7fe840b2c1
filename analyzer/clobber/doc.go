// Package clobber defines the check for files that cannot be loaded, are taken
// for empty, and are saved again.
//
// # clobber
//
// A file that exists and cannot be decoded is broken: half written, read during
// another write, edited by hand, or of a newer version. Some programs go on
// with an empty value and save that to the same file. One failed load then
// erases everything that the file held. Others save a default value because the
// file cannot be decoded. A missing file is different: a program
// that runs for the first time starts empty.
//
// WRONG:
//
//	var s State
//	if data, err := os.ReadFile(path); err == nil {
//		_ = json.Unmarshal(data, &s)
//	}
//	s.Runs = append(s.Runs, run)
//	return save(path, &s)
//
// RIGHT:
//
//	var s State
//	data, err := os.ReadFile(path)
//	if err != nil && !errors.Is(err, fs.ErrNotExist) {
//		return err
//	}
//	if err == nil {
//		if err := json.Unmarshal(data, &s); err != nil {
//			return fmt.Errorf("%s: %w", path, err)
//		}
//	}
//	s.Runs = append(s.Runs, run)
//	return save(path, &s)
//
// The fix returns the error of the decoder where the function returns an error,
// and where its callers in the package pass that on or exit. Elsewhere there is
// no fix: safeio.Backup can keep a copy of the file first. safeio.UpdateJSON
// loads, changes and saves in one call.
//
// To silence one report, write //lockvet:ignore clobber REASON on its line or
// on the line above.
//
// # Variants
//
// Each variant has its own ID, CHECK/VARIANT. -enable, -disable, -severity and
// //lockvet:ignore accept a check or a variant.
//
//   - clobber/decode: the error of the decoder is dropped, only logged, or
//     replaced by an empty value.
//   - clobber/load: the function that loads the file returns its error, and the
//     caller goes on without the data.
//   - clobber/read: nothing is decoded, and an error of reading the file is
//     taken for an empty file.
//
// # Silent
//
// What is saved must derive from what was loaded, or be saved only because the
// load has failed. The save may stand in the same function, or in another of the
// package that saves the same memory to the same file. The check is silent
//
//   - where the function returns an error, exits, or keeps the error for later;
//   - where a comment at the error says that it is ignored on purpose;
//   - where the function moves the broken file aside, copies it, removes it,
//     reads a second file or asks the user;
//   - where a backup is made before, or the function that saves is named for a
//     backup or a migration;
//   - where only a missing file leads to an empty value;
//   - where the function has loaded the file before, and returned if that
//     failed;
//   - where single records are skipped, or only a number, a text or a time of
//     the old content is used;
//   - for caches, and for packages that serve tests.
//
// # Fixes
//
// The fix returns the error where it can only be an error of decoding, and where
// no comment says that it does not matter. All callers must be in the packages
// of the run, and none of them may go on with the results of the function.
//
// Elsewhere there is no fix. A function that goes on without the file can keep a
// copy of it first: safeio.Backup does.
//
// What stays: a missing file still counts as an empty one.
//
// To review: where the error is returned, a file that cannot be decoded stops the
// program. Users with such a file see the error until they repair or remove it.
package clobber
