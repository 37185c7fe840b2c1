// Package directive declares what no name and no reader could tell.
package directive

import "os"

type tablet struct {
	//lockvet:state
	surface string
	edge    string
}

func (t *tablet) carve(b []byte) error {
	return os.WriteFile(t.surface, b, 0o644) // want `\(\*tablet\)\.carve truncates t\.surface`
}

func (t *tablet) trim(b []byte) error {
	return os.WriteFile(t.edge, b, 0o644) // ok: this field is not declared
}

//lockvet:state the pebbles are counted again at start
var pebbles = "pebbles"

var gravel = "gravel"

func count(b []byte) error {
	return os.WriteFile(pebbles, b, 0o644) // want `count truncates directive\.pebbles`
}

func scatter(b []byte) error {
	return os.WriteFile(gravel, b, 0o644) // ok: this variable is not declared
}

const stones = "stones" //lockvet:state

func pile(b []byte) error {
	return os.WriteFile(stones, b, 0o644) // want `pile truncates stones`
}

func heap(dir string, b []byte) error {
	return os.WriteFile(dir+"/"+stones, b, 0o644) // want `heap truncates dir/stones`
}

//lockvet:state
func chisel(path string, b []byte) error {
	return os.WriteFile(path, b, 0o644) // want `chisel truncates path`
}

//lockvet:state
func quarry(dir string) string { return dir + "/quarry" }

func dig(dir string, b []byte) error {
	return os.WriteFile(quarry(dir), b, 0o644) // want `dig truncates dir/quarry`
}
