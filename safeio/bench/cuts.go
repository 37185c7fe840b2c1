//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/unix"
)

// Power cuts on file systems in files, which take all contenders alike: each
// writes a file of its own, over and over, with one more each time, and says what it
// was told. The file system is stopped without anything that waits in memory reaching
// the device, mounted again, and looked at. What was acknowledged when the cut began
// is lost if an older content is there, or none; torn is what nobody has written.
//
// Two processes write past the cache beside, on a disk that is nearly full, and so
// get the blocks that others have let go of.

// A disk is a kind of file system.
type disk struct {
	name, options string
	size          int64
}

var disks = []disk{
	{"ext4", "data=ordered", 96 << 20},
	{"ext4", "data=writeback", 96 << 20},
	{"xfs", "nouuid", 304 << 20},
}

func (d disk) String() string { return d.name + " " + d.options }

// spare is what is left free of an ext4.
const spare = 8 << 20

// A tally is what became of a contender.
type tally struct{ acks, lost, torn int }

// cutAll cuts the power of each kind of disk, and prints what was lost by whom.
func cutAll(o options, out io.Writer) error {
	removeLeftovers(o.memory)
	who := append(writersOf(nil)[2:], lockedWriter(nil)) // without the floors
	for _, d := range disks {
		tallies, err := d.cut(o, who)
		if err != nil {
			return fmt.Errorf("%s: %w", d, err)
		}
		fmt.Fprintf(out, "\n%d power cuts, on %s\n\n", o.cuts, d)
		tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(tw, "  \tacknowledged\tlost\ttorn\t\n")
		for i, c := range who {
			fmt.Fprintf(tw, "  %s\t%d\t%d\t%d\t%s\n", c.name, tallies[i].acks, tallies[i].lost, tallies[i].torn, c.lacks)
		}
		if err := tw.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// cut makes the disk, and cuts its power.
func (d disk) cut(o options, who []contender) (_ []tally, err error) {
	home, err := newHome(o.memory)
	if err != nil {
		return nil, err
	}
	defer home.remove()
	image, dir := home.file("image"), home.dir("disk")
	if err := d.format(image); err != nil {
		return nil, err
	}
	mount := func() error { return d.mount(image, dir) }
	if err := mount(); err != nil {
		return nil, err
	}
	if err := d.fill(dir); err != nil {
		return nil, err
	}
	tallies := make([]tally, len(who))
	for n := range o.cuts {
		acked, err := cutOnce(dir, who, (n+1)*1_000_000)
		if err == nil {
			err = command("umount", dir)
		}
		if err == nil {
			err = mount()
		}
		if err != nil {
			return nil, err
		}
		for i := range who {
			path := cutFile(dir, i)
			tallies[i].acks += acked[i].count
			there, err := numberIn(path, numbered)
			switch {
			case errors.Is(err, errTorn):
				tallies[i].torn++
			case err != nil && !errors.Is(err, fs.ErrNotExist):
				return nil, err
			case there < acked[i].last:
				tallies[i].lost++
			}
		}
		if err := d.clear(dir); err != nil {
			return nil, err
		}
	}
	return tallies, nil
}

// format makes a file system in a file.
func (d disk) format(image string) error {
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, d.size)); err != nil {
		return err
	}
	force := map[string]string{"ext4": "-F", "xfs": "-f", "btrfs": "-f"}[d.name]
	return command("mkfs."+d.name, "-q", force, image)
}

func (d disk) mount(image, dir string) error {
	return command("mount", "-t", d.name, "-o", "loop,"+d.options, image, dir)
}

func cutFile(dir string, contender int) string {
	return filepath.Join(dir, fmt.Sprint("state", contender))
}

// fill leaves little free of an ext4: what is freed is soon used again.
func (d disk) fill(dir string) error {
	if d.name != "ext4" {
		return nil
	}
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "ballast"))
	if err != nil {
		return err
	}
	return errors.Join(syscall.Fallocate(int(f.Fd()), 0, 0, int64(st.Bfree)*st.Bsize-spare), f.Sync(), f.Close())
}

// clear removes what the writers have left.
func (disk) clear(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != "ballast" && e.Name() != "lost+found" {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// An acked is what a contender was told: how often that it has written, and the
// last number.
type acked struct{ count, last int }

// cutOnce has all at work, and stops the file system at some moment.
func cutOnce(dir string, who []contender, first int) ([]acked, error) {
	told := make([]acked, len(who))
	var mu sync.Mutex
	var cutting atomic.Bool
	var begun, ended sync.WaitGroup
	start := func(name, path string, ack func(n int)) error {
		exe, err := os.Executable()
		if err != nil {
			return err
		}
		cmd := exec.Command(exe, errand, "cut", name, path, strconv.Itoa(first))
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		begun.Add(1)
		once := sync.OnceFunc(begun.Done)
		ended.Go(func() {
			defer once()
			for in := bufio.NewScanner(out); in.Scan(); once() {
				if n, err := strconv.Atoi(in.Text()); err == nil && !cutting.Load() {
					mu.Lock()
					ack(n)
					mu.Unlock()
				}
			}
			cmd.Wait() // it ends with the file system's error
		})
		return nil
	}
	var err error
	for i, c := range who {
		err = errors.Join(err, start(c.name, cutFile(dir, i), func(n int) { told[i] = acked{told[i].count + 1, n} }))
	}
	for i := range 2 {
		err = errors.Join(err, start(loadName, filepath.Join(dir, fmt.Sprint("load", i)), func(int) {}))
	}
	begun.Wait()
	time.Sleep(rand.N(120 * time.Millisecond))
	cutting.Store(true)
	mu.Lock()
	result := append([]acked(nil), told...)
	mu.Unlock()
	err = errors.Join(err, shutDown(dir))
	ended.Wait()
	return result, err
}

// shutDown stops a file system as a power cut would: FS_IOC_SHUTDOWN, with what says
// that the journal stays as it is.
func shutDown(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.IoctlSetPointerInt(int(f.Fd()), 0x8004587d, 2)
}

// runCut writes until the file system is stopped.
func runCut(name, path string, first int, out io.Writer) error {
	for n := first; ; n++ {
		var err error
		if name == loadName {
			err = load(path, n)
		} else {
			err = writeNumber(name, path, n)
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(out, n)
	}
}

// writeNumber has a contender write a content with the number n.
func writeNumber(name, path string, n int) error {
	data := numbered(n)
	who, err := find(contest{contenders: append(writersOf(data), lockedWriter(data))}, name)
	if err != nil {
		return err
	}
	return who.op(path)
}

// numbered is a content of many lines, each of which has the number.
func numbered(n int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%15d\n", n), 200+n%100) }

var errTorn = errors.New("torn")

// numberIn is the number of the content in a file, which content would have made of it.
func numberIn(path string, content func(n int) []byte) (int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return numberOf(data, content)
}

// numberOf is the number of a content.
func numberOf(data []byte, content func(n int) []byte) (int, error) {
	line, _, _ := strings.Cut(string(data), "\n")
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || !bytes.Equal(data, content(n)) {
		return 0, errTorn
	}
	return n, nil
}

// loadName is the name of the errand that writes past the cache.
const loadName = "load"

// load writes, past the cache, what must be found in no other file.
func load(path string, n int) error {
	buf, err := aligned()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path+fmt.Sprint("-", n%8), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_DIRECT, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(buf)
	if errors.Is(err, syscall.ENOSPC) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

var aligned = sync.OnceValues(func() ([]byte, error) {
	buf, err := syscall.Mmap(-1, 0, 32<<10, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	for i := range buf {
		buf[i] = "LOAD"[i%4]
	}
	return buf, err
})

// command runs a program, whose words come with its error.
func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(out))
	}
	return nil
}
