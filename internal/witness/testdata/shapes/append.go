package shapes

import (
	"errors"
	"fmt"
	"os"
)

// AppendParts writes a record in two parts.
func AppendParts(path, key, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600) // shape: append
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "{%q: ", key)
	if err == nil {
		_, err = fmt.Fprintf(f, "%q}\n", value)
	}
	return errors.Join(err, f.Close())
}

// AppendRecord writes it at once.
func AppendRecord(path, key, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600) // twin: append
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "{%q: %q}\n", key, value)
	return errors.Join(err, f.Close())
}
