package quiet

import (
	"bytes"
	"os"
	"path/filepath"
	"text/template"
)

// renderTo writes what a template makes, by way of a buffer.
func renderTo(path, text string, vars any) error {
	t, err := template.New("settings").Parse(text)
	if err != nil {
		return err
	}
	var doc bytes.Buffer
	if err := t.Execute(&doc, vars); err != nil {
		return err
	}
	f, err := os.Create(path) // ok: each start renders it again
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(doc.String())
	return err
}

func writeProxySettings(dir string, vars any) error {
	return renderTo(filepath.Join(dir, "proxy-settings.conf"), "listen {{.Port}}", vars)
}

func readProxySettings(dir string) ([]byte, error) {
	return os.ReadFile(filepath.Join(dir, "proxy-settings.conf"))
}
