package safeio

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// Power cuts on a real file system: an image with ext4 is stopped while
// processes write in it, without anything that waits in memory reaching it, and
// then mounted again. What the device has been given it does not lose: that is
// the business of the model in crashmodel_linux_test.go.
//
// Unlike those without power, the processes go on for a moment, and the fsync of
// an ext4 that is being stopped may return nil although it has failed, for
// everyone who calls it. So an acknowledgement counts if it has arrived before
// the cut begins.

var powerCuts = flag.Int("powercuts", 8, "how many power cuts TestPowerCuts makes")

func init() {
	errands["cut-writer"] = func(args []string) error { return writeUntilCut(args[0], args[1], args[2]) }
}

// cutWriters each write number n, and return the number that it means to the
// file: the next one of all for an Update.
var cutWriters = map[string]func(dir, writer string, n int) (int, error){
	"WriteFile": func(dir, writer string, n int) (int, error) {
		return n, WriteFile(filepath.Join(dir, "file"+writer), numberedContent(n), 0o644)
	},
	"Update": func(dir, writer string, n int) (now int, err error) {
		return now, Update(filepath.Join(dir, "count"), 0o644, func(old []byte) ([]byte, error) {
			was, err := contentNumber(old)
			now = was + 1
			return numberedContent(now), err
		})
	},
	"Append": func(dir, writer string, n int) (int, error) {
		return n, Append(filepath.Join(dir, "log"), numberedRecord(writer, n), 0o644)
	},
	// These two are wrong, and must be seen to be.
	"unsynced": func(dir, writer string, n int) (int, error) {
		f, err := os.OpenFile(filepath.Join(dir, "unsynced"+writer), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err != nil {
			return n, err
		}
		_, err = f.Write(append(numberedRecord(writer, n), '\n'))
		return n, errors.Join(err, f.Close())
	},
	"rename": func(dir, writer string, n int) (int, error) {
		name := filepath.Join(dir, "renamed"+writer)
		return n, renameOver(name, string(numberedContent(n)), false, false, false)
	},
}

// writeUntilCut writes and says what is acknowledged until the first error.
func writeUntilCut(dir, kind, writer string) error {
	first, _, _ := strings.Cut(writer, "-")
	n, err := strconv.Atoi(first)
	for n *= 1_000_000; err == nil; n++ {
		var number int
		if number, err = cutWriters[kind](dir, writer, n); err == nil {
			fmt.Println("ack", number)
		}
	}
	return err
}

// A cutDisk is a file system in a file, and what its writers were told.
type cutDisk struct {
	image, dir string
	options    string

	mu      sync.Mutex
	acked   map[string]int  // the highest number, by kind and writer
	counts  map[int]bool    // all numbers of Updates
	since   map[string]bool // records since the last Remove
	cutting bool
	figures
}

type figures struct{ cuts, acks, lost, torn, holes, wrong int }

func newCutDisk(t *testing.T, options string) *cutDisk {
	t.Helper()
	needRoot(t, "mounting")
	for _, program := range []string{"mkfs.ext4", "mount", "umount"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	d := &cutDisk{image: filepath.Join(memoryDir(t), "image"), dir: t.TempDir(), options: "loop," + options,
		acked: map[string]int{}, counts: map[int]bool{}, since: map[string]bool{}}
	mustWrite(t, d.image, "", 0o600)
	if err := os.Truncate(d.image, 96<<20); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", d.image).CombinedOutput(); err != nil {
		t.Skipf("mkfs.ext4: %v, %s", err, out)
	}
	if out, err := d.mount(); err != nil {
		t.Skipf("no file system in a file can be mounted: %v, %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", d.dir).Run() })
	if err := d.stop(); err != nil {
		t.Skipf("the kernel cannot stop an ext4 as a power cut would (EXT4_IOC_SHUTDOWN): %v", err)
	}
	d.restart(t)
	return d
}

func (d *cutDisk) mount() ([]byte, error) {
	return exec.Command("mount", "-t", "ext4", "-o", d.options, d.image, d.dir).CombinedOutput()
}

// stop is the power cut: EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH.
func (d *cutDisk) stop() error {
	f, err := os.Open(d.dir)
	if err != nil {
		return err
	}
	defer f.Close()
	how := uint32(2)
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), 0x8004587d, uintptr(unsafe.Pointer(&how)))
	if errno != 0 {
		return errno
	}
	return nil
}

// restart mounts again, which replays the journal.
func (d *cutDisk) restart(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("umount", d.dir).CombinedOutput(); err != nil {
		t.Fatalf("umount: %v, %s", err, out)
	}
	if out, err := d.mount(); err != nil {
		t.Fatalf("mount: %v, %s", err, out)
	}
}

// ack takes note of a line of a writer.
func (d *cutDisk) ack(t *testing.T, kind, writer, line string) bool {
	var number int
	if n, _ := fmt.Sscanf(line, "ack %d", &number); n != 1 {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cutting {
		return true
	}
	d.acks++
	switch kind {
	case "Update":
		if d.counts[number] {
			t.Errorf("two Updates made number %d", number)
		}
		d.counts[number] = true
		writer = ""
	case "Append":
		d.since[string(numberedRecord(writer, number))] = true
	}
	d.acked[kind+writer] = max(d.acked[kind+writer], number)
	return true
}

// cut has writers at work, and cuts the power after a while.
func (d *cutDisk) cut(t *testing.T, cut int, after time.Duration) {
	t.Helper()
	var writers, started waitGroup
	for kind, n := range map[string]int{"WriteFile": 1, "Update": 2, "Append": 2, "unsynced": 1, "rename": 1} {
		for i := range n {
			writer := fmt.Sprintf("%d-%d", cut, i)
			cmd := child(t, "cut-writer", d.dir, kind, writer)
			out, err := cmd.StdoutPipe()
			if err := errors.Join(err, cmd.Start()); err != nil {
				t.Fatal(err)
			}
			started.Add(1)
			once := sync.OnceFunc(started.Done)
			writers.Go(func() {
				defer once()
				last := ""
				for in := bufio.NewScanner(out); in.Scan(); {
					if last = in.Text(); d.ack(t, kind, writer, last) {
						once()
					}
				}
				if cmd.Wait(); !strings.Contains(last, "input/output error") && !strings.Contains(last, "read-only") {
					t.Errorf("%s ended with %q", kind, last)
				}
			})
		}
	}
	started.Wait()
	time.Sleep(after)
	d.mu.Lock()
	d.cutting = true
	d.mu.Unlock()
	if err := d.stop(); err != nil {
		t.Fatal(err)
	}
	writers.Wait()
	d.restart(t)
	d.cutting = false
	d.cuts++
	d.check(t, cut)
}

func (d *cutDisk) check(t *testing.T, cut int) {
	t.Helper()
	d.checkContent(t, "WriteFile", fmt.Sprint(cut, "-0"), "file", &d.lost, &d.torn)
	d.checkContent(t, "Update", "", "count", &d.lost, &d.torn)
	if d.lost+d.torn > 0 {
		t.Errorf("after cut %d: %+v", cut, d.figures)
	}
	writer := fmt.Sprint(cut, "-0")
	d.checkContent(t, "rename", writer, "renamed", &d.wrong, &d.wrong)
	unsynced, _ := os.ReadFile(filepath.Join(d.dir, "unsynced"+writer))
	if !bytes.Contains(unsynced, numberedRecord(writer, d.acked["unsynced"+writer])) {
		d.wrong++
	}
	d.checkLog(t)
	if _, err := Sweep(d.dir); err != nil {
		t.Error(err)
	}
	for _, name := range others(t, d.dir, "lost+found", "count", ".safeio-count.lock", "log", ".safeio-log.lock") {
		if isTemp(name) {
			t.Errorf("left behind: %s", name)
		}
		if err := os.Remove(filepath.Join(d.dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// checkContent counts what is lost or torn.
func (d *cutDisk) checkContent(t *testing.T, kind, writer, file string, lost, torn *int) {
	t.Helper()
	acked := d.acked[kind+writer]
	data, err := os.ReadFile(filepath.Join(d.dir, file+writer))
	number, damage := contentNumber(data)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		t.Error(err)
	case damage != nil:
		*torn++
	case number < acked:
		*lost++
	}
}

// checkLog counts what is lost or torn of records, and sometimes removes them.
func (d *cutDisk) checkLog(t *testing.T) {
	t.Helper()
	name := filepath.Join(d.dir, "log")
	missing := map[string]bool{}
	for record := range d.since {
		missing[record] = true
	}
	mustAppend(t, name, "after the cut")
	d.since["after the cut"] = true
	found, err := findRecords(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		delete(missing, f.text)
		writer, content, _ := strings.Cut(f.text, " ")
		n, damage := contentNumber([]byte(content))
		switch {
		case f.torn || f.text == "after the cut":
		case damage != nil && strings.Contains(f.text, "\x00"):
			d.holes++ // what the package comment says of blocks that did not get there
		case damage != nil || string(numberedRecord(writer, n)) != f.text:
			d.torn++
			t.Errorf("torn: %s", brief(f.text))
		}
	}
	if len(found) == 0 || found[len(found)-1].text != "after the cut" {
		t.Error("the last record is not by itself")
	}
	if len(missing) > 0 {
		d.lost += len(missing)
		t.Errorf("%d acknowledged records are lost, of %d", len(missing), len(d.since))
		for record := range missing {
			t.Logf("lost: %s", brief(record))
		}
	}
	if d.cuts%3 == 0 {
		d.removeLog(t)
	}
}

// removeLog removes the log, cuts the power and wants it to stay away.
func (d *cutDisk) removeLog(t *testing.T) {
	t.Helper()
	name := filepath.Join(d.dir, "log")
	if err := errors.Join(Remove(name), d.stop()); err != nil {
		t.Fatal(err)
	}
	d.cuts++
	d.restart(t)
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		d.lost++
		t.Errorf("the removed file is back: %v", err)
	}
	d.since = map[string]bool{}
}

// TestPowerCuts loses nothing that was acknowledged, and finds nothing torn. The
// wrong ways to write, beside, show that the cuts are cuts.
func TestPowerCuts(t *testing.T) {
	for _, options := range []string{"data=ordered", "data=writeback"} {
		t.Run(options, func(t *testing.T) {
			d := newCutDisk(t, options)
			for cut := 1; d.cuts < *powerCuts/2; cut++ {
				d.cut(t, cut, rand.N(120*time.Millisecond))
			}
			t.Logf("%d cuts, %d acknowledged, %d lost, %d torn; %d unacknowledged records with holes; wrong writers: %d lost or torn",
				d.cuts, d.acks, d.lost, d.torn, d.holes, d.wrong)
			if d.cuts > 0 && d.wrong == 0 {
				t.Error("not even the wrong writers lost anything")
			}
		})
	}
}
