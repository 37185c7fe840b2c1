// Package lockvet holds what the rest of the module cannot embed from where
// it lives: the source of package safeio, which the command copies into
// modules under repair. It knows nothing of the analysis.
package lockvet

import "embed"

// SafeioSource is the source of package safeio, tests left out by the reader.
// Its files stand under the directory "safeio".
//
//go:embed safeio/*.go
var SafeioSource embed.FS
