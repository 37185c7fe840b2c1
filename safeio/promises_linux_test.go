package safeio

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// changes are the operations that write a whole file.
var changes = map[string]func(o Options, name string) error{
	"WriteFile":   func(o Options, name string) error { return o.WriteFile(name, []byte("1"), 0o644) },
	"WriteJSON":   func(o Options, name string) error { return o.WriteJSON(name, 1, 0o644) },
	"WriteReader": func(o Options, name string) error { return o.WriteReader(name, strings.NewReader("1"), 0o644) },
	"Create": func(o Options, name string) error {
		f, err := o.Create(name, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := f.WriteString("1"); err != nil {
			return err
		}
		return f.Commit()
	},
	"Update": func(o Options, name string) error { return o.Update(name, 0o644, result("1")) },
	"UpdateJSON": func(o Options, name string) error {
		return UpdateJSONWith(context.Background(), o, name, 0o644, func(v *int) error { *v = 1; return nil })
	},
	"State": func(o Options, name string) error {
		return NewStateWith[int](o, name, 0o644).Update(context.Background(), func(v *int) error { *v = 1; return nil })
	},
}

// TestStrictEverywhere: what would be rewritten in place, and what is no file, each
// operation refuses, and leaves as it was.
func TestStrictEverywhere(t *testing.T) {
	strict := Options{Strict: true, LockFile: filepath.Join(t.TempDir(), "lock")}
	fifo := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(fifo, os.O_RDWR, 0) // so that nobody waits who opens it after all
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for what, change := range changes {
		t.Run(what, func(t *testing.T) {
			if err := change(strict, fifo); !errors.Is(err, ErrNotAtomic) {
				t.Errorf("of a pipe: %v", err)
			}
			if err := change(strict, t.TempDir()); !errors.Is(err, ErrNotAtomic) || !errors.Is(err, syscall.EISDIR) {
				t.Errorf("of a directory: %v", err)
			}
			dir, name := mountedFile(t, t.TempDir(), "7")
			if err := change(strict, name); !errors.Is(err, ErrNotAtomic) || !errors.Is(err, syscall.EBUSY) {
				t.Errorf("of a mount point: %v", err)
			}
			wantContent(t, name, "7")
			wantOnly(t, dir, "state")
		})
	}
	for what, err := range map[string]error{
		"Append": strict.Append(fifo, []byte("1"), 0o644), "AppendJSON": strict.AppendJSON(fifo, 1, 0o644),
	} {
		if !errors.Is(err, ErrNotAtomic) {
			t.Errorf("%s to a pipe: %v", what, err)
		}
	}
}

// TestContextsEverywhere gives up each operation that waits for a lock, before it waits
// and while it does.
func TestContextsEverywhere(t *testing.T) {
	needContexts(t)
	why := errors.New("somebody has pressed a key")
	for what, do := range map[string]func(ctx context.Context, name string) error{
		"Append":     func(ctx context.Context, name string) error { return AppendContext(ctx, name, []byte("1"), 0o644) },
		"AppendJSON": func(ctx context.Context, name string) error { return AppendJSONContext(ctx, name, 1, 0o644) },
		"Remove":     RemoveContext,
		"Update":     func(ctx context.Context, name string) error { return UpdateContext(ctx, name, 0o644, result("1")) },
		"UpdateJSON": func(ctx context.Context, name string) error {
			return UpdateJSONContext(ctx, name, 0o644, func(v *int) error { *v = 1; return nil })
		},
		"State": func(ctx context.Context, name string) error {
			return NewState[int](name, 0o644).Update(ctx, func(v *int) error { *v = 1; return nil })
		},
		"View": func(ctx context.Context, name string) error {
			return ViewContext(ctx, name, func([]byte) error { t.Error("View goes on"); return nil })
		},
	} {
		t.Run(what, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "state")
			mustWrite(t, name, "7", 0o644)
			held := mustLock(t, name)
			for _, wait := range []time.Duration{0, 20 * time.Millisecond} {
				ctx, cancel := context.WithCancelCause(context.Background())
				time.AfterFunc(wait, func() { cancel(why) })
				if wait == 0 {
					cancel(why)
				}
				done := make(chan error, 1)
				go func() { done <- do(ctx, name) }()
				select {
				case err := <-done:
					var pe *fs.PathError
					if !errors.Is(err, context.Canceled) || !errors.Is(err, why) || !errors.As(err, &pe) || pe.Path != name {
						t.Errorf("given up after %v: %v", wait, err)
					}
				case <-time.After(10 * time.Second):
					mustUnlock(t, held, nil)
					t.Fatalf("given up after %v: it goes on waiting", wait)
				}
			}
			mustUnlock(t, held, nil)
			wantContent(t, name, "7")
		})
	}
}

// TestKernelFiles writes to files of the kernel, which are requests: it takes those that
// os.WriteFile could make, and refuses the others in the same words.
func TestKernelFiles(t *testing.T) {
	const adjust = "/proc/self/oom_score_adj"
	old, err := os.ReadFile(adjust)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.WriteFile(adjust, old, 0o644) })
	for what, write := range map[string]func(o Options, content string) error{
		"WriteFile":   func(o Options, content string) error { return o.WriteFile(adjust, []byte(content), 0o644) },
		"WriteReader": func(o Options, content string) error { return o.WriteReader(adjust, strings.NewReader(content), 0o644) },
		"Append":      func(o Options, content string) error { return o.Append(adjust, []byte(content), 0o644) },
	} {
		t.Run(what, func(t *testing.T) {
			for _, content := range []string{"900", "901", "no number"} {
				want := os.WriteFile(adjust, []byte(content), 0o644)
				os.WriteFile(adjust, []byte("899"), 0o644)
				err := write(Options{}, content)
				if got := strings.TrimSpace(mustRead(t, adjust)); (err == nil) != (want == nil) || !errors.Is(err, cause(want)) ||
					err == nil && got != content {
					t.Errorf("%q: %v, there is %s; os.WriteFile says %v", content, err, got, want)
				}
			}
			if err := write(Options{Strict: true}, "902"); !errors.Is(err, ErrNotAtomic) {
				t.Errorf("Strict says %v", err)
			}
		})
	}
}

// sysfs are files that root may write, and some systems have.
var sysfs = []string{"/sys/kernel/mm/ksm/sleep_millisecs", "/sys/block/*/queue/nr_requests", "/sys/module/*/parameters/*timeout*"}

// TestSysfs writes to a file of sysfs, whose size is a page, whatever it holds.
func TestSysfs(t *testing.T) {
	needRoot(t, "sysfs")
	name, value := "", []byte(nil)
	for _, pattern := range sysfs {
		found, _ := filepath.Glob(pattern)
		for _, f := range found {
			old, err := os.ReadFile(f)
			old = bytes.TrimSpace(old)
			if err == nil && len(old) > 0 && os.WriteFile(f, old, 0) == nil {
				name, value = f, old
			}
		}
	}
	if name == "" {
		t.Skip("there is none that can be written")
	}
	for what, err := range map[string]error{
		"WriteFile": WriteFile(name, value, 0o644),
		"Append":    Append(name, value, 0o644),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := Update(name, 0o644, result(string(value))); !errors.Is(err, ErrNotAtomic) || strings.Contains(err.Error(), "chmod") {
		t.Errorf("Update: %v", err)
	}
	wantRecords(t, name, string(value))
}
