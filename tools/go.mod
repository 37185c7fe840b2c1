module github.com/lockvet/lockvet/tools

go 1.26.0

require (
	github.com/aymanbagabas/go-udiff v0.4.1
	golang.org/x/mod v0.42.0
)
