// Package errors has the signatures of github.com/pkg/errors.
package errors

func Wrap(err error, message string) error                     { return err }
func Wrapf(err error, format string, args ...any) error        { return err }
func WithMessagef(err error, format string, args ...any) error { return err }
