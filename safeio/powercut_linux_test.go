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
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// Power cuts on real file systems, in two ways. An ext4 or xfs is stopped while
// processes write in it, without anything that waits in memory reaching the device,
// and then mounted again. Or the device is cloned at a moment, which every file
// system allows, and the clone is mounted: what the device has been given by then is
// what a power cut would leave. What the device has been given it does not lose:
// that is the business of the model in crashmodel_linux_test.go.
//
// Unlike those without power, the processes go on for a moment, and the fsync of
// an ext4 that is being stopped may return nil although it has failed, for
// everyone who calls it. So an acknowledgement counts if it has arrived before
// the cut begins.
//
// Another writer's load goes on beside: on ext4 with data=writeback it gets the blocks
// of files that were replaced, and fills them with what must not be found elsewhere.

var powerCuts = flag.Int("powercuts", 8, "twice the power cuts that TestPowerCuts makes on each file system")

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
	"Create": func(dir, writer string, n int) (int, error) {
		return n, createAndCommit(Options{}, filepath.Join(dir, "created"+writer), numberedContent(n))
	},
	// The load: it takes the blocks that have become free, and gives them back.
	"load": func(dir, writer string, n int) (int, error) {
		buf, err := loadContent()
		if err != nil {
			return n, err
		}
		name := filepath.Join(dir, fmt.Sprint("load", writer, n%8))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_DIRECT, 0o644)
		if err != nil {
			return n, err
		}
		_, err = f.Write(buf)
		if errors.Is(err, syscall.ENOSPC) {
			err = nil
		}
		return n, errors.Join(err, f.Close())
	},
}

// loadContent is what the load writes, past the cache: it has to be aligned.
var loadContent = sync.OnceValues(func() ([]byte, error) {
	buf, err := syscall.Mmap(-1, 0, 32<<10, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	for i := range buf {
		buf[i] = "LOAD"[i%4]
	}
	return buf, err
})

// spare is how much of an ext4 the load and the files share.
const spare = 8 << 20

// fill leaves spare bytes free on an ext4: what is freed is soon used again.
func (d *cutDisk) fill(t *testing.T) {
	t.Helper()
	if d.kind.name != "ext4" {
		return
	}
	var st syscall.Statfs_t
	if err := syscall.Statfs(d.dir, &st); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(d.dir, "ballast"))
	if err == nil {
		err = errors.Join(syscall.Fallocate(int(f.Fd()), 0, 0, int64(st.Bfree)*st.Bsize-spare), f.Sync(), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
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

// A diskKind is a file system with its options, and how its power is cut.
type diskKind struct {
	name, options string
	size          int64
	stop          bool // it can be stopped; otherwise the device is cloned
}

// Both ioctls are FS_IOC_SHUTDOWN, with a flag that keeps the journal as it is.
var diskKinds = []diskKind{
	{name: "ext4", options: "data=ordered", size: 96 << 20, stop: true},
	{name: "ext4", options: "data=writeback", size: 96 << 20, stop: true},
	{name: "ext4", options: "data=ordered", size: 96 << 20},
	{name: "ext4", options: "data=writeback", size: 96 << 20},
	{name: "ext4", options: "data=journal", size: 96 << 20},
	{name: "xfs", options: "nouuid", size: 304 << 20, stop: true},
	{name: "xfs", options: "nouuid", size: 304 << 20},
	{name: "btrfs", options: "noatime", size: 128 << 20},
}

func (k diskKind) String() string {
	how := "cloned"
	if k.stop {
		how = "stopped"
	}
	return k.name + " " + k.options + " " + how
}

// A cutDisk is a file system in a file, and what its writers were told.
type cutDisk struct {
	kind       diskKind
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

func newCutDisk(t *testing.T, kind diskKind) *cutDisk {
	t.Helper()
	needRoot(t, "mounting")
	mkfs := "mkfs." + kind.name
	for _, program := range []string{mkfs, "mount", "umount"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	home := cutHome(t, "/dev/shm")
	at := home
	if !kind.stop {
		at = cloneDir(t, home)
	}
	d := &cutDisk{
		kind:    kind,
		image:   filepath.Join(at, "image"),
		dir:     mustMkdir(t, filepath.Join(home, "disk")),
		options: "loop," + kind.options,
		acked:   map[string]int{},
		counts:  map[int]bool{},
		since:   map[string]bool{},
	}
	mustWrite(t, d.image, "", 0o600)
	if err := os.Truncate(d.image, kind.size); err != nil {
		t.Fatal(err)
	}
	force := map[string]string{"ext4": "-F", "xfs": "-f", "btrfs": "-f"}[kind.name]
	if out, err := exec.Command(mkfs, "-q", force, d.image).CombinedOutput(); err != nil {
		t.Skipf("%s: %v, %s", mkfs, err, out)
	}
	if out, err := d.mount(); err != nil {
		t.Skipf("no file system in a file can be mounted: %v, %s", err, out)
	}
	d.fill(t)
	if !kind.stop {
		return d
	}
	if err := d.stop(); err != nil {
		t.Skipf("the kernel cannot stop %s as a power cut would (FS_IOC_SHUTDOWN): %v", kind.name, err)
	}
	d.restart(t)
	return d
}

// cloneDir is a directory on a file system in dir whose files can be cloned.
func cloneDir(t *testing.T, dir string) string {
	t.Helper()
	if _, err := exec.LookPath("mkfs.xfs"); err != nil {
		t.Skip("mkfs.xfs is not installed")
	}
	image, at := filepath.Join(dir, "outer"), mustMkdir(t, filepath.Join(dir, "images"))
	mustWrite(t, image, "", 0o600)
	if err := os.Truncate(image, 2<<30); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfs.xfs", "-q", "-m", "reflink=1", image).CombinedOutput(); err != nil {
		t.Skipf("mkfs.xfs: %v, %s", err, out)
	}
	if out, err := exec.Command("mount", "-t", "xfs", "-o", "loop", image, at).CombinedOutput(); err != nil {
		t.Skipf("no file system in a file can be mounted: %v, %s", err, out)
	}
	return at
}

// cutPrefix begins the names of directories for images and mounts.
const cutPrefix = "safeio-powercuts-"

// cutHome is a directory for the images of one disk, and for what is mounted. It is locked,
// so that the next run can tell that this one was killed.
func cutHome(t *testing.T, below string) string {
	t.Helper()
	removeCutHomes(below)
	home, err := os.MkdirTemp(below, cutPrefix)
	if err != nil {
		t.Skip(err)
	}
	lock, err := os.Open(home)
	if err == nil {
		err = tryLock(lock)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeCutHome(home, lock) })
	return home
}

func mustMkdir(t *testing.T, dir string) string {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// removeCutHomes removes what runs have left behind that were killed: a mounted file
// system, its loop device and its image.
func removeCutHomes(below string) {
	homes, _ := filepath.Glob(filepath.Join(below, cutPrefix+"*"))
	for _, home := range homes {
		lock, err := os.Open(home)
		if err == nil && tryLock(lock) == nil {
			removeCutHome(home, lock)
		} else if err == nil {
			lock.Close()
		}
	}
}

// removeCutHome unmounts what is mounted in home, the last first, and removes it.
func removeCutHome(home string, lock *os.File) {
	defer lock.Close()
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	lines := strings.Split(string(mounts), "\n")
	slices.Reverse(lines)
	for _, line := range lines {
		if field := strings.Fields(line); len(field) > 4 && strings.HasPrefix(field[4], home+"/") {
			exec.Command("umount", "-l", field[4]).Run()
		}
	}
	os.RemoveAll(home)
}

// TestCutLeftovers kills a run whose file system is mounted; the next one removes that, its
// loop device and its image, and leaves alone what a living run uses.
func TestCutLeftovers(t *testing.T) {
	needRoot(t, "mounting")
	below := t.TempDir()
	living := cutHome(t, below)
	dead := mustMkdir(t, filepath.Join(below, cutPrefix+"dead"))
	image, dir := filepath.Join(dead, "image"), mustMkdir(t, filepath.Join(dead, "disk"))
	mustWrite(t, image, "", 0o600)
	err := os.Truncate(image, 4<<20)
	for _, command := range [][]string{{"mkfs.ext4", "-q", "-F", image}, {"mount", "-o", "loop", image, dir}} {
		if out, failure := exec.Command(command[0], command[1:]...).CombinedOutput(); failure != nil {
			t.Skipf("no file system in a file can be mounted: %v, %s", failure, out)
		}
	}
	removeCutHomes(below)
	if _, gone := os.Stat(dead); err != nil || !errors.Is(gone, fs.ErrNotExist) {
		t.Errorf("it is still there: %v, %v", err, gone)
	}
	if mounts := mustRead(t, "/proc/self/mountinfo"); strings.Contains(mounts, dead) {
		t.Error("it is still mounted")
	}
	eventually(t, "the loop device is free", func() bool {
		out, _ := exec.Command("losetup", "-a").Output()
		return !bytes.Contains(out, []byte(image))
	})
	if _, err := os.Stat(living); err != nil {
		t.Error(err)
	}
}

func (d *cutDisk) mount() ([]byte, error) {
	return exec.Command("mount", "-t", d.kind.name, "-o", d.options, d.image, d.dir).CombinedOutput()
}

// stop is the power cut: FS_IOC_SHUTDOWN with a flag that keeps the journal from
// being flushed, or a clone of the device.
func (d *cutDisk) stop() error {
	if !d.kind.stop {
		return d.clone()
	}
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

// clone copies the device as it is at one moment: FICLONE.
func (d *cutDisk) clone() error {
	from, err := os.Open(d.image)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(d.image + ".clone")
	if err != nil {
		return err
	}
	defer to.Close()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, to.Fd(), 0x40049409, from.Fd()); errno != 0 {
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
	if !d.kind.stop {
		if err := os.Rename(d.image+".clone", d.image); err != nil {
			t.Fatal(err)
		}
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
	var processes []*os.Process
	for kind, n := range map[string]int{"WriteFile": 1, "Create": 1, "Update": 2, "Append": 2, "unsynced": 1, "rename": 1, "load": 2} {
		for i := range n {
			writer := fmt.Sprintf("%d-%d", cut, i)
			cmd := child(t, "cut-writer", d.dir, kind, writer)
			out, err := cmd.StdoutPipe()
			if err := errors.Join(err, cmd.Start()); err != nil {
				t.Fatal(err)
			}
			processes = append(processes, cmd.Process)
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
				if cmd.Wait(); d.kind.stop && !strings.Contains(last, "input/output error") && !strings.Contains(last, "read-only") &&
					!strings.Contains(last, "no space left") {
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
	if !d.kind.stop {
		for _, p := range processes {
			p.Kill()
		}
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
	d.checkContent(t, "Create", fmt.Sprint(cut, "-0"), "created", &d.lost, &d.torn)
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
	for _, name := range others(t, d.dir, "lost+found", "ballast", "count", ".safeio-count.lock", "log", ".safeio-log.lock") {
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
// wrong ways to write, beside, show that the cuts are cuts: on each kind of disk where
// there are many of them, and of a few cuts on all disks together.
func TestPowerCuts(t *testing.T) {
	const many = 30
	cuts, wrong := 0, 0
	for _, kind := range diskKinds {
		t.Run(kind.String(), func(t *testing.T) {
			d := newCutDisk(t, kind)
			for cut := 1; d.cuts < *powerCuts/2; cut++ {
				d.cut(t, cut, rand.N(120*time.Millisecond))
			}
			t.Logf("%d cuts, %d acknowledged, %d lost, %d torn; %d unacknowledged records with holes; wrong writers: %d lost or torn",
				d.cuts, d.acks, d.lost, d.torn, d.holes, d.wrong)
			if d.cuts >= many && d.wrong == 0 {
				t.Error("not even the wrong writers lost anything")
			}
			cuts, wrong = cuts+d.cuts, wrong+d.wrong
		})
	}
	if cuts > 0 && wrong == 0 {
		t.Errorf("not even the wrong writers lost anything in %d cuts", cuts)
	}
}
