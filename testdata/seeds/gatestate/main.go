// Gatestate is a hook that an agent calls before it edits a file.
//
//	gatestate check -state DIR < call.json    decides about one tool call
//	gatestate list  -state DIR -session ID    prints the checked files
//
// A call is {"session_id": "…", "tool": "edit", "file": "…"}; the answer is
// {"decision": "allow"} or {"decision": "ask", "reason": "…"}.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"example.com/gatestate/internal/gate"
)

// call is what the agent is about to do.
type call struct {
	Session string `json:"session_id"`
	Tool    string `json:"tool"`
	File    string `json:"file"`
}

type answer struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason,omitempty"`
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gatestate:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("usage: gatestate check|list [flags]")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	state := flags.String("state", ".gate", "directory of the state files")
	session := flags.String("session", "", "session to list")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "check":
		return check(*state, in, out)
	case "list":
		return list(*state, *session, out)
	}
	return fmt.Errorf("unknown command %q", args[0])
}

func check(state string, in io.Reader, out io.Writer) error {
	var c call
	if err := json.NewDecoder(in).Decode(&c); err != nil {
		return fmt.Errorf("read tool call: %w", err)
	}
	a := answer{Decision: "allow"}
	if c.Tool == "edit" || c.Tool == "write" {
		allowed, err := gate.New(state, c.Session).Allow(c.File)
		if err != nil {
			return err
		}
		if !allowed {
			a = answer{"ask", "Before the first edit of " + c.File + ", state who calls it and what its tests cover."}
		}
	}
	return json.NewEncoder(out).Encode(a)
}

func list(state, session string, out io.Writer) error {
	files, err := gate.New(state, session).Checked()
	if err != nil {
		return err
	}
	for _, file := range files {
		fmt.Fprintln(out, file)
	}
	return nil
}
