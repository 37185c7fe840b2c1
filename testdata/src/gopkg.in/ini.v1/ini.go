// Package ini stands in for the library of that name.
package ini

// LoadOptions say how a file is read.
type LoadOptions struct{ AllowNestedValues bool }

// A File is what was read.
type File struct{ sections map[string]*Section }

// A Section is a part of a file.
type Section struct{ keys map[string]string }

// Empty is a file without sections.
func Empty() *File { return &File{} }

// Load reads files.
func Load(source any, others ...any) (*File, error) { return &File{}, nil }

// LoadSources reads files.
func LoadSources(opts LoadOptions, source any, others ...any) (*File, error) { return &File{}, nil }

// DeleteSection takes a section away.
func (f *File) DeleteSection(name string) { delete(f.sections, name) }

// SaveTo writes a file.
func (f *File) SaveTo(filename string) error { return nil }

// SaveToIndent writes a file.
func (f *File) SaveToIndent(filename, indent string) error { return nil }
