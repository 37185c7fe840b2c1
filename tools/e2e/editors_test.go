package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/sourcegraph/jsonrpc2"
)

// TestEditors reads the settings that docs/editors.md shows as their editors do: they are
// well-formed, and start the language server.
func TestEditors(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(repo, "docs", "editors.md"))
	if err != nil {
		t.Fatal(err)
	}
	fences := func(language string) (all []string) {
		for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllSubmatch(page, -1) {
			all = append(all, string(m[1]))
		}
		return all
	}
	starts := func(editor, command string, args []string, options any) {
		t.Helper()
		if command != "lockvet" {
			t.Errorf("%s starts %q", editor, command)
			return
		}
		if err := initialize(t, args, options); err != nil {
			t.Errorf("%s: %v", editor, err)
		}
	}

	var vscode int
	for _, text := range fences("json") {
		var settings struct {
			Command   string         `json:"glspc.server.command"`
			Args      []string       `json:"glspc.server.commandArguments"`
			Languages []string       `json:"glspc.server.languageId"`
			Options   map[string]any `json:"glspc.server.initializationOptions"`
		}
		if err := json.Unmarshal([]byte(text), &settings); err != nil {
			t.Errorf("%v:\n%s", err, text)
		}
		if settings.Command != "" {
			vscode++
			starts("VS Code", settings.Command, settings.Args, settings.Options)
			if !slices.Equal(settings.Languages, []string{"go"}) {
				t.Errorf("VS Code starts it for %q", settings.Languages)
			}
		}
	}
	helix := fences("toml")
	if vscode != 1 || len(helix) != 1 {
		t.Fatalf("there are %d settings for VS Code and %d for Helix", vscode, len(helix))
	}
	var languages struct {
		Servers map[string]struct {
			Command string
			Args    []string
			Config  any
		} `toml:"language-server"`
		Language []struct {
			Name    string
			Servers []string `toml:"language-servers"`
		}
	}
	meta, err := toml.Decode(helix[0], &languages)
	if err != nil || len(meta.Undecoded()) > 0 {
		t.Fatalf("Helix: %v, unknown are %v", err, meta.Undecoded())
	}
	server := languages.Servers["lockvet"]
	if l := languages.Language; len(l) != 1 || l[0].Name != "go" || !slices.Equal(l[0].Servers, []string{"gopls", "lockvet"}) {
		t.Errorf("Helix: the languages are %v", l)
	}
	_, rest, _ := strings.Cut(string(page), "Options are `config = ")
	config, _, _ := strings.Cut(rest, "`")
	var with struct{ Config any }
	if _, err := toml.Decode("config = "+config, &with); err != nil || with.Config == nil {
		t.Errorf("Helix: the options %q: %v", config, err)
	}
	starts("Helix", server.Command, server.Args, with.Config)
}

// initialize starts a language server with options, and ends it.
func initialize(t *testing.T, args []string, options any) error {
	t.Helper()
	command, err := lockvet()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(t.Context(), command, args...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	pipes := struct {
		io.Reader
		io.WriteCloser
	}{stdout, stdin}
	nothing := jsonrpc2.HandlerWithError(func(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request) (any, error) { return nil, nil })
	client := jsonrpc2.NewConn(t.Context(), jsonrpc2.NewBufferedStream(pipes, jsonrpc2.VSCodeObjectCodec{}), nothing)
	err = client.Call(t.Context(), "initialize", map[string]any{"capabilities": map[string]any{}, "initializationOptions": options}, nil)
	if err == nil {
		err = client.Call(t.Context(), "shutdown", nil, nil)
	}
	err = errors.Join(err, client.Notify(t.Context(), "exit", nil))
	client.Close() // says that the server has gone
	return errors.Join(err, cmd.Wait())
}
