package known

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// prompts are the functions of std and of libraries for prompts that wait for what the user
// types, from the documentation of these packages.
var prompts = map[string]string{
	"fmt":               "Scan Scanln Scanf",
	"golang.org/x/term": "ReadPassword Terminal.ReadLine Terminal.ReadPassword",
	"github.com/chzyer/readline": "Line Password Instance.Readline Instance.ReadlineWithDefault " +
		"Instance.ReadPassword Instance.ReadSlice",
	"github.com/ergochat/readline": "Instance.Readline Instance.ReadLine Instance.ReadlineWithDefault " +
		"Instance.ReadPassword Instance.ReadSlice",
	"github.com/peterh/liner":            "State.Prompt State.PromptWithSuggestion State.PasswordPrompt",
	"github.com/AlecAivazis/survey":      "Ask AskOne",
	"github.com/manifoldco/promptui":     "Prompt.Run Select.Run Select.RunCursorAt SelectWithAdd.Run",
	"github.com/charmbracelet/huh":       "Run Form.Run Form.RunWithContext Confirm.Run Input.Run Text.Run Select.Run MultiSelect.Run",
	"github.com/charmbracelet/bubbletea": "Program.Run",
	"charm.land/bubbletea":               "Program.Run",
	"charm.land/huh":                     "Run Form.Run Form.RunWithContext Confirm.Run Input.Run Text.Run Select.Run MultiSelect.Run",
	"github.com/c-bata/go-prompt":        "Input Choose Prompt.Run Prompt.Input",
	"github.com/cqroot/prompt":           "Model.Run",
	"github.com/pterm/pterm": "InteractiveConfirmPrinter.Show InteractiveSelectPrinter.Show " +
		"InteractiveTextInputPrinter.Show InteractiveMultiselectPrinter.Show",
}

// HasPrompts reports whether a package is one of those.
func HasPrompts(pkg *types.Package) bool { return prompts[withoutVersion(pkg.Path())] != "" }

// withoutVersion is an import path without its major version.
func withoutVersion(path string) string {
	if prefix, _, ok := module.SplitPathVersion(path); ok {
		return prefix
	}
	return path
}

// Prompts reports whether a function waits for what the user types.
func Prompts(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	name := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		if n, ok := types.Unalias(Pointee(recv.Type())).(*types.Named); ok {
			name = n.Obj().Name() + "." + name
		}
	}
	return slices.Contains(strings.Fields(prompts[withoutVersion(fn.Pkg().Path())]), name)
}
