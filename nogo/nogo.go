// Package nogo is the pass for nogo, the analysis of Bazel's rules_go, which
// wants it as a variable. See docs/bazel.md.
package nogo

import "github.com/lockvet/lockvet/analyzer"

// Analyzer is the pass. Its flags are set by the configuration of nogo.
var Analyzer = analyzer.New()
