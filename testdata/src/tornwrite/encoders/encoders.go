// Package encoders has another package encode what it writes.
package encoders

import (
	"os"
	"path/filepath"

	"tornwrite/encoders/pack"
)

type box struct{ dir string }

func (b *box) saveWritten(v any) error {
	f, err := os.Create(filepath.Join(b.dir, "written.json")) // want `\(\*box\)\.saveWritten truncates b\.dir/written\.json`
	if err != nil {
		return err
	}
	defer f.Close()
	return pack.Write(f, v)
}

func (b *box) saveStreamed(v any) error {
	f, err := os.Create(filepath.Join(b.dir, "streamed.json")) // want `\(\*box\)\.saveStreamed truncates b\.dir/streamed\.json`
	if err != nil {
		return err
	}
	defer f.Close()
	return pack.Stream(f, v)
}

func (b *box) saveBytes(v any) error {
	data, err := pack.Bytes(v)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.dir, "bytes.json"), data, 0o600) // want `\(\*box\)\.saveBytes truncates b\.dir/bytes\.json`
}
