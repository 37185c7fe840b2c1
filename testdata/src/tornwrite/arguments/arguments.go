// Package arguments writes what the user names on the command line, and files of
// its own that are named for it.
package arguments

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

type profile struct {
	Version int
	Regions []string
}

// convert reads one file that the user names and writes another.
var convert = &cobra.Command{
	Use: "convert FROM TO",
	Run: func(cmd *cobra.Command, args []string) error {
		data, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		var p profile
		if err := json.Unmarshal(data, &p); err != nil {
			return err
		}
		p.Version++
		out, err := json.Marshal(p)
		if err != nil {
			return err
		}
		return os.WriteFile(args[1], out, 0o600)
	},
}

// upgrade rewrites the file that the user names, and decodes it first.
var upgrade = &cobra.Command{
	Use: "upgrade FILE",
	Run: func(cmd *cobra.Command, args []string) error {
		data, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		var p profile
		if err := json.Unmarshal(data, &p); err != nil {
			return err
		}
		p.Version++
		out, err := json.Marshal(p)
		if err != nil {
			return err
		}
		return os.WriteFile(args[0], out, 0o600) // want `truncates args\[0\] before it is written`
	},
}

// shift reads one file that the user names and writes the next.
var shift = &cobra.Command{
	Use: "shift FROM TO",
	Run: func(cmd *cobra.Command, args []string) error {
		from := first(args)
		args = args[1:]
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		var p profile
		if err := json.Unmarshal(data, &p); err != nil {
			return err
		}
		p.Version++
		out, err := json.Marshal(p)
		if err != nil {
			return err
		}
		return os.WriteFile(first(args), out, 0o600) // ok: it is another one
	},
}

// exchange has a function take what the user names, by its place.
var exchange = &cobra.Command{
	Use: "exchange FROM TO",
	Run: func(cmd *cobra.Command, args []string) error {
		data, err := os.ReadFile(at(args, 0))
		if err != nil {
			return err
		}
		var p profile
		if err := json.Unmarshal(data, &p); err != nil {
			return err
		}
		p.Version++
		out, err := json.Marshal(p)
		if err != nil {
			return err
		}
		return os.WriteFile(at(args[1:], 0), out, 0o600) // ok: it is another one
	},
}

func at(args []string, n int) string {
	if len(args) > n {
		return args[n]
	}
	return ""
}

func first(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return ""
}

// saveProfile keeps a profile under the name that the user gives it.
func saveProfile(cmd *cobra.Command, args []string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	out, err := json.Marshal(profile{Version: 1, Regions: args[1:]})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, ".regionctl", "profiles", args[0]+".json"), out, 0o600) // want `saveProfile truncates ~/.regionctl/profiles/args\[0\].json before it is written`
}
