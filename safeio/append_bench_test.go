package safeio

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func BenchmarkAppend(b *testing.B) {
	name := filepath.Join(b.TempDir(), "log")
	record := bytes.Repeat([]byte("r"), 200)
	b.Run("one by one", func(b *testing.B) {
		for range b.N {
			if err := Append(name, record, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("64 at a time", func(b *testing.B) {
		b.SetParallelism(32)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := Append(name, record, 0o644); err != nil {
					b.Error(err)
				}
			}
		})
	})
	// What it is to be compared with: open, write, sync, close.
	b.Run("package os", func(b *testing.B) {
		for range b.N {
			f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
			if err != nil {
				b.Fatal(err)
			}
			f.Write(append(record, '\n'))
			f.Sync()
			f.Close()
		}
	})
}

func BenchmarkRecords(b *testing.B) {
	name := filepath.Join(b.TempDir(), "log")
	data := bytes.Repeat(append(bytes.Repeat([]byte("r"), 200), '\n'), 100_000)
	if err := os.WriteFile(name, data, 0o644); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ResetTimer()
	for range b.N {
		for _, err := range Records(name) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
