module github.com/lockvet/lockvet

go 1.26.0

require (
	al.essio.dev/pkg/shellescape v1.6.1 // command lines in hints, quoted for the shell
	github.com/agnivade/levenshtein v1.2.2 // "did you mean" for names of rules and settings
	github.com/clipperhouse/displaywidth v0.11.0 // columns of a terminal
	github.com/dave/dst v0.28.0 // fixes that keep comments
	github.com/fatih/color v1.19.0 // colours of a terminal
	github.com/golangci/plugin-module-register v0.1.2 // the plugin of golangci-lint
	github.com/jstemmer/go-junit-report/v2 v2.1.0 // JUnit XML
	github.com/moby/patternmatcher v0.6.1 // patterns of files to leave out
	github.com/muesli/mango v0.2.0 // the manual page
	github.com/muesli/roff v0.1.0 // the manual page
	github.com/sourcegraph/go-diff v0.9.0 // the lines that git says have changed
	github.com/sourcegraph/jsonrpc2 v0.2.3 // the language server
	go.yaml.in/yaml/v3 v3.0.6 // .lockvet.yaml
	golang.org/x/tools v0.52.0 // go/analysis, SSA, loading packages
	znkr.io/diff v1.0.1 // diffs
)

require (
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/mattn/go-colorable v0.1.14 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
)

require (
	github.com/rogpeppe/go-internal v1.16.0 // the cache; scripts in tests
	golang.org/x/mod v0.42.0 // versions, and go.mod of the programs that are fixed
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // two files exchanged in one step
	golang.org/x/term v0.47.0 // questions on a terminal
)
