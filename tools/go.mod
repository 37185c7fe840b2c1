module github.com/lockvet/lockvet/tools

go 1.26.0

require (
	github.com/lockvet/lockvet v0.0.0
	golang.org/x/mod v0.42.0
	golang.org/x/tools v0.52.0
)

require (
	github.com/agnivade/levenshtein v1.2.2 // indirect
	github.com/dave/dst v0.28.0 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/sync v0.24.0 // indirect
	znkr.io/diff v1.0.1 // indirect
)

replace github.com/lockvet/lockvet => ..
