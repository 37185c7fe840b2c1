module github.com/lockvet/lockvet

go 1.26.0

require (
	al.essio.dev/pkg/shellescape v1.6.1
	github.com/agnivade/levenshtein v1.2.2
	github.com/aymanbagabas/go-udiff v0.4.1
	github.com/chavacava/garif v0.1.0
	github.com/clipperhouse/displaywidth v0.11.0
	github.com/dave/dst v0.28.0
	github.com/fatih/color v1.19.0
	github.com/golangci/plugin-module-register v0.1.2
	github.com/jstemmer/go-junit-report/v2 v2.1.0
	github.com/moby/patternmatcher v0.6.1
	github.com/muesli/mango v0.2.0
	github.com/muesli/roff v0.1.0
	github.com/sourcegraph/go-diff v0.9.0
	github.com/sourcegraph/jsonrpc2 v0.2.3
	go.yaml.in/yaml/v3 v3.0.6
	golang.org/x/tools v0.52.0
	znkr.io/diff v1.0.1
)

require (
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/mattn/go-colorable v0.1.14 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
)

require (
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/mod v0.42.0
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
)
