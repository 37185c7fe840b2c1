// Package quiet has a write for every reason to say nothing. Beside each stands
// one that lacks the reason and is reported.
package quiet

import (
	"encoding/json"
	"flag"
	"os"
)

type session struct{ Turns []string }

var exportTo = flag.String("to", "", "where to put the session")

func saveChosen(s *session) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(*exportTo, b, 0o644) // ok: the user names the file
}

func saveArgument(s *session) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(flag.Arg(0), b, 0o644) // ok: the user names the file
}

func saveRaw(s *session) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(os.Args[1], b, 0o644) // ok: the user names the file
}

func saveFlagSet(fs *flag.FlagSet, s *session) error {
	to := fs.String("to", "/var/lib/agentd/session.json", "where to put the session")
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(*to, b, 0o644) // ok: the user names the file
}

func saveNamed(s *session) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile("/var/lib/agentd/session.json", b, 0o644) // want `saveNamed truncates /var/lib/agentd/session\.json`
}
