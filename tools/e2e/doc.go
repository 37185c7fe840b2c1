// Package e2e tries what lockvet makes where people meet it, with programs and libraries
// that nobody else needs: it is a module of its own, so that they are in nobody's graph.
package e2e
