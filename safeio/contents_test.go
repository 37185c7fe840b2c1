package safeio

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Contents that can be told whole from torn, and what can be wrong with them.

// filler is n bytes that are nothing else's.
func filler(letter byte, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = letter + byte(i/37%3)
	}
	return string(b)
}

// Kinds of violations.
var (
	errTornState = errors.New("torn")
	errLostState = errors.New("lost")
	errGlued     = errors.New("glued")
)

// A foundRecord is one that Records has yielded.
type foundRecord struct {
	text string
	torn bool
}

func findRecords(name string) (found []foundRecord, err error) {
	for record, err := range Records(name) {
		var torn *TornError
		switch {
		case errors.As(err, &torn):
			found = append(found, foundRecord{string(torn.Piece), true})
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		default:
			found = append(found, foundRecord{string(record), false})
		}
	}
	return found, nil
}

// numberedContent can be told whole from torn, whatever its number.
func numberedContent(n int) []byte {
	content := fmt.Appendf(nil, "%d ", n)
	content = append(content, filler('a'+byte(n%20), n*7919%9000)...)
	return append(content, '.')
}

// contentNumber is the number of a whole content, and 0 without a file.
func contentNumber(content []byte) (int, error) {
	if content == nil {
		return 0, nil
	}
	number, _, _ := strings.Cut(string(content[:min(20, len(content))]), " ")
	n, err := strconv.Atoi(number)
	if err != nil || !bytes.Equal(content, numberedContent(n)) {
		return 0, fmt.Errorf("%w: %s", errTornState, brief(string(content)))
	}
	return n, nil
}

func numberedRecord(writer string, n int) []byte {
	return fmt.Appendf(nil, "%s %s", writer, numberedContent(n))
}
