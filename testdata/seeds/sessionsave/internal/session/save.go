package session

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// Save writes the session in the form that the harness of its application uses.
func (s *Session) Save(path string) error {
	switch s.App {
	case "image":
		return saveImage(path, s)
	case "audio":
		return saveAudio(path, s)
	case "video":
		return saveVideo(path, s)
	case "diagram":
		return saveDiagram(path, s)
	case "document":
		return saveDocument(path, s)
	}
	return fmt.Errorf("no harness for application %q", s.App)
}

// saveImage stores the session of the image editor.
func saveImage(path string, s *Session) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encode image session: %w", err)
	}
	return os.WriteFile(path, data, 0o644)
}

// saveAudio stores the session of the audio editor.
func saveAudio(path string, s *Session) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("save audio session: %w", err)
	}
	defer f.Close()

	enc := json.NewEncoder(f)
	enc.SetIndent("", "  ")
	return enc.Encode(s)
}

// saveVideo stores the session of the video editor, which names media files
// of its user: nobody else may read it.
func saveVideo(path string, s *Session) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("save video session: %w", err)
	}
	w := bufio.NewWriter(f)
	if err := json.NewEncoder(w).Encode(s); err != nil {
		f.Close()
		return fmt.Errorf("encode video session: %w", err)
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return fmt.Errorf("save video session: %w", err)
	}
	return f.Close()
}

// saveDiagram stores the session of the diagram editor.
func saveDiagram(path string, s *Session) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(f)
	enc.SetIndent("", "\t")
	if err := enc.Encode(s); err != nil {
		f.Close()
		return fmt.Errorf("encode diagram session: %w", err)
	}
	return f.Close()
}
