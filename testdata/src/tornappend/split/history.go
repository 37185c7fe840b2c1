package split

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func historyFile(home string) string { return filepath.Join(home, ".shell_history") }

func readHistory(home string) ([]string, error) {
	data, err := os.ReadFile(historyFile(home))
	return strings.Split(string(data), "\n"), err
}

// remember writes when and what by two calls.
func remember(home, command string, when int64) error {
	f, err := os.OpenFile(historyFile(home), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, ": %d:0;", when); err != nil { // want `remember appends one line to .*shell_history piece by piece`
		return err
	}
	_, err = fmt.Fprintln(f, command)
	return err
}

// tag writes three pieces.
func tag(home, command, word string) error {
	f, err := os.OpenFile(historyFile(home), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.WriteString(f, "#"+word+": "); err != nil { // want `tag appends one line to .*shell_history piece by piece`
		return err
	}
	if _, err := io.WriteString(f, command); err != nil {
		return err
	}
	if _, err := io.WriteString(f, "\n"); err != nil {
		return err
	}
	return nil
}

// dated evaluates something else for its second piece.
func dated(home, command string, now func() string) error {
	f, err := os.OpenFile(historyFile(home), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString(command + "\t"); err != nil { // want `dated appends one line .*no fix: the pieces have to become one write`
		return fmt.Errorf("history: %w", err)
	}
	if _, err := f.WriteString(now() + "\n"); err != nil {
		return fmt.Errorf("history: %w", err)
	}
	return nil
}

// counted does something between the writes.
func counted(home, command string, count *int) {
	f, err := os.OpenFile(historyFile(home), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	f.WriteString(command + ";") // want `counted appends one line .*no fix: the pieces have to become one write`
	*count++
	fmt.Fprintf(f, "%d\n", *count)
}

// stamped ends a line that a format has begun.
func stamped(home, command string, when int64) {
	f, err := os.OpenFile(historyFile(home), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.WriteString("@") // want `stamped appends one line`
	_, _ = fmt.Fprintf(f, "%d %s", when, command)
	_, _ = f.WriteString("\n")
}
