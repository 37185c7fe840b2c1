// Package yaml stands in for the library of that name.
package yaml

func Marshal(in any) ([]byte, error) { return nil, nil }

func Unmarshal(in []byte, out any) error { return nil }
