// Package clobber defines the check for files that cannot be loaded, are taken
// for empty, and are saved again.
//
// # clobber
//
// A file that is there and cannot be decoded is broken: half written, met in the
// middle of a write by another process, edited by hand, or of a newer version.
// A program that goes on with an empty value instead, and later saves that value
// to the same file, makes of one failed load the loss of all that the file held.
// That the file is missing is something else: a program that has run never before
// begins empty.
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
// or safeio.UpdateJSON, which does all of it.
//
// Variants, each a diagnostic category of its own:
//
//   - clobber/decode: the error of the decoder is not looked at, logged, or
//     answered with an empty value.
//   - clobber/load: the function that loads the file returns its error, and the
//     caller goes on without.
//   - clobber/read: nothing is decoded, and the error of reading the file is taken
//     for an empty one.
//
// What is saved must derive from what was loaded, in the function or in another of
// the package that saves the same memory to the same file.
//
// The check is silent
//
//   - where the function returns an error, or ends the program; where the error is kept
//     for later, or a comment at it says that it is ignored on purpose;
//   - where it moves the broken file aside, removes it, copies it, has made a backup
//     before, reads a second file or asks the user; where what saves the file keeps a
//     backup or migrates what it finds, by its name;
//   - where only a missing file leads to an empty value, and where the function has
//     loaded the file before and would not have come there without;
//   - where single records of a file are skipped, and where nothing but a number, a text
//     or a time of the old content goes into the new;
//   - for caches, and where the program itself throws away what is too old;
//   - for files that have the number of a process, which the next one writes anew, or of
//     which only what is about living processes is kept;
//   - for objects that were loaded when they were made, which keep what they had;
//   - for packages that serve tests and import package testing, by the elements of the
//     import path that tornwrite lists.
//
// A function that returns an error is mended where the error can only be that of
// decoding: it returns it, if all its callers in the package give it on or leave,
// and no comment says that the error is let be.
//
// What stays: a file that is missing still counts as an empty one.
//
// To review: a file that cannot be decoded is an error now, and the program
// stops there instead of going on with nothing; users who had such a file will
// see the error until they repair or remove it.
package clobber
