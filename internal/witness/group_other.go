//go:build !unix

package witness

import "os/exec"

// killGroup does nothing: there are no groups of processes.
func killGroup(*exec.Cmd) {}

// endGroup does nothing: there are no groups of processes.
func endGroup(*exec.Cmd, string) {}
