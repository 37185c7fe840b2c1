package branches

import (
	"encoding/json"
	"os"
)

type Conf struct{ N int }

// The way on which the save follows stands behind the fourth branch.
func Late(path string, kind int) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var c Conf
	err = json.Unmarshal(b, &c) // want clobber/decode
	ok := false
	switch kind {
	case 1:
		println("one")
	case 2:
		println("two")
	case 3:
		println("three")
	case 4:
		println("four")
	case 5:
		ok = true
	}
	if len(path) > 3 {
		println("long")
	}
	if !ok && err != nil {
		return err
	}
	c.N++
	out, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(path, out, 0o600) // want tornwrite/inplace
}

// The same, with the cases in another order.
func Early(path string, kind int) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var c Conf
	err = json.Unmarshal(b, &c) // want clobber/decode
	ok := false
	switch kind {
	case 5:
		ok = true
	case 1:
		println("one")
	case 2:
		println("two")
	case 3:
		println("three")
	case 4:
		println("four")
	}
	if len(path) > 3 {
		println("long")
	}
	if !ok && err != nil {
		return err
	}
	c.N++
	out, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(path, out, 0o600) // want tornwrite/inplace
}
