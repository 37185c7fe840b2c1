package separator

import (
	"fmt"
	"os"
	"path/filepath"
)

func historyFile(home string) string { return filepath.Join(home, ".shell_history") }

func readHistory(home string) ([]byte, error) { return os.ReadFile(historyFile(home)) }

// declared has the error of its first write used by the second.
func declared(home, command string) (int, error) {
	f, problem := os.OpenFile(historyFile(home), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if problem != nil {
		return 0, problem
	}
	defer f.Close()
	_, err := f.WriteString("> " + command + ";") // want `declared appends a record`
	if err != nil {
		return 0, err
	}
	_, err = f.WriteString("\n")
	return 0, err
}

// again looks at the error of its second write once more.
func again(home, command string) bool {
	f, problem := os.OpenFile(historyFile(home), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if problem != nil {
		return false
	}
	defer f.Close()
	if _, err := f.WriteString("> " + command + ";"); err != nil { // want `again appends a record .*no fix: the pieces have to become one write`
		return false
	}
	_, err := f.WriteString("\n")
	if err != nil {
		return false
	}
	return err == nil
}

// apart does not give up for the newline alone.
func apart(home, command string) error {
	f, err := os.OpenFile(historyFile(home), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString("> " + command + ";"); err != nil { // want `apart appends a record .*no fix: the pieces have to become one write`
		return err
	}
	if _, err := f.WriteString("\n"); err != nil {
		return nil
	}
	return f.Sync()
}

// second drops the first error only.
func second(home, command string) error {
	f, err := os.OpenFile(historyFile(home), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprintf(f, "> %s;", command) // want `second appends a record`
	if _, err := fmt.Fprintln(f); err != nil {
		return fmt.Errorf("history: %w", err)
	}
	return nil
}

// explained has a comment within a write, which stays above it.
func explained(home, command string) {
	f, err := os.OpenFile(historyFile(home), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	f.WriteString("> " /* as the prompt is */ + command + ";") // want `explained appends a record`
	f.WriteString("\n")                                        // and its end
}

// ended says why its line ends.
func ended(home, command string) {
	f, err := os.OpenFile(historyFile(home), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	f.WriteString("> " + command + ";") // want `ended appends a record`
	// The reader wants a newline.
	f.WriteString("\n")
	// TODO: rotate.
}
