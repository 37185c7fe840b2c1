package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/pprof"
)

func startLog(dir string, s *session) error {
	f, err := os.Create(filepath.Join(dir, "session.log")) // ok: a log
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(s)
}

func startTranscript(dir string, s *session) error {
	f, err := os.Create(filepath.Join(dir, "transcript")) // want `startTranscript truncates dir/transcript`
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(s)
}

func profileSession(dir string) error {
	f, err := os.Create(filepath.Join(dir, "session.pprof")) // ok: a profile
	if err != nil {
		return err
	}
	return pprof.StartCPUProfile(f)
}
