// Package migrate says what is of an older form.
package migrate

// Old reports whether there are more runs than the newer form has.
func Old(runs []string) bool { return len(runs) > 9 }
