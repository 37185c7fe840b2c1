// Package known is what lockvet knows of other people's packages: what each
// function does to files, handles, bytes and locks. It is data; the only logic
// is the look-up. A function that is not here and not analysed is opaque.
package known

import (
	"bytes"
	"go/types"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Op is what a function does.
type Op uint8

// The operations. "A" and "B" are Row.A and Row.B, argument indices in which a
// method's receiver is argument 0.
const (
	None Op = iota

	// On paths.
	WriteFile    // truncates path A and writes bytes B
	Create       // opens path A with truncation; the result is a handle
	OpenFile     // opens path A with flags B; the result is a handle
	Open         // opens path A for reading
	ReadFile     // the result is the content of path A
	CreateTemp   // makes a fresh file in directory A with pattern B
	MkdirTemp    // makes a fresh directory in directory A
	Mkdir        // makes directory A, which must not have been there
	Rename       // moves path A over path B
	Link         // makes path B another name of path A
	Remove       // removes path A
	Stat         // asks whether path A is there
	List         // lists directory A
	EnsureDir    // makes directory A with mode B where it is not there
	TruncatePath // cuts path A
	Save         // truncates path A and writes B into it, or an encoding of B; all of it is code of another package
	SaveOwn      // the same with the file that an object of that package, or the package, keeps the name of
	LoadOwn      // reads and decodes that file
	Replace      // replaces path A atomically with bytes or reader B
	ReplaceBy    // replaces path A atomically with what function B writes to the fresh path that it is given
	Pending      // the result is a handle that replaces path A when committed

	// On handles.
	Write      // writes bytes B through A
	WriteAt    // writes bytes B through A at a given offset
	Read       // reads from A
	ReadAll    // the result is the content of A
	Flush      // flushes A
	Sync       // syncs A
	Close      // closes A
	Truncate   // cuts A
	Seek       // moves in A, or asks for its end
	NameOf     // the result is the path of A
	Wrap       // the result reads from or writes to A
	Copy       // writes to A what it reads from B
	Render     // writes text to A: a format B, or the operands B
	RenderLine // writes the operands B and a newline to A
	Configure  // sets how A writes, or who may use it, and writes nothing

	// On bytes.
	Encode     // the result is an encoding of A
	EncodeTo   // encodes into A
	Decode     // decodes bytes A
	DecodeFrom // decodes from reader A
	Template   // renders a template into A

	// On values.
	JoinPath // the result joins all arguments
	Same     // the result names what A names
	Akin     // the result is text A, changed: it may name another file
	Part     // the result is a part of path A
	Format   // the result formats A with the rest
	ProcessID
	Unique   // the result is random or time-dependent
	Random   // fills bytes A with random ones
	Stamp    // the result names A, a time, as far as layout B tells
	UserFlag // the result is a command-line value named by B, -1 where it has no name

	// On locks.
	NewLock     // the result is a lock between processes whose lock file is path A
	Lock        // takes the lock A, or locks the open file A
	TryLock     // takes it, or says that another has it
	RLock       // takes it together with others that only read
	TryRLock    // the same, or says that another has it
	Flock       // does with the lock of the open file A what the operation B of flock(2) says
	Fcntl       // does what the command B of fcntl(2) and the record behind it say
	LockFileEx  // takes it as the flags B say
	LockBeside  // takes a lock whose lock file is path A with ".lock" added; the result is the lock
	RLockBeside // takes it together with others that only read
	Update      // calls what it is given under the lock that LockBeside takes
	Unlock      // releases it
	LockPath    // the result is the path of the lock file of the lock A

	Acquire // takes the lock A of this process, for itself alone
	Release // releases it

	Mount // mounts path A, as a bind mount where that is a file
)

// Locks reports whether the operation takes a lock between processes.
func (o Op) Locks() bool { return o >= Lock && o <= RLockBeside }

// Tries reports whether it may come back without the lock and without an error.
func (o Op) Tries() bool { return o == TryLock || o == TryRLock }

// Shares reports whether others can have the lock at the same time.
func (o Op) Shares() bool { return o == RLock || o == TryRLock || o == RLockBeside }

// Beside reports whether the path that is given is that of the guarded file.
func (o Op) Beside() bool { return o == LockBeside || o == RLockBeside }

// A Row says what one function does.
type Row struct {
	Op   Op
	A, B int
}

// Lookup finds the row of a function: by its full name, then by the shape of
// its name for encoders that no table can list.
func Lookup(fn *types.Func) (Row, bool) {
	if fn == nil {
		return Row{}, false
	}
	if r, ok := table[tableName(fn)]; ok {
		return r, true
	}
	if ofOpenFile(fn) {
		if r, ok := table["(*os.File)."+fn.Name()]; ok {
			return r, true
		}
	}
	return shaped(fn)
}

// ofOpenFile reports whether a method is one of an interface behind which a program has
// *os.File: what it is of has a name, and can be written and closed.
func ofOpenFile(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if recv == nil {
		return false
	}
	iface, ok := recv.Type().Underlying().(*types.Interface)
	if !ok {
		return false
	}
	named, written, closed := false, false, false
	for m := range iface.Methods() {
		takes, yields := m.Signature().Params(), m.Signature().Results()
		switch m.Name() {
		case "Name":
			named = takes.Len() == 0 && yields.Len() == 1 && types.Identical(yields.At(0).Type(), types.Typ[types.String])
		case "Write":
			written = takes.Len() == 1 && IsBytes(takes.At(0).Type()) && yields.Len() == 2
		case "Close":
			closed = takes.Len() == 0 && yields.Len() == 1
		}
	}
	return named && written && closed
}

// OnFileSystem reports whether a function, by its full name, acts on a file of the file
// system that it is given, which need not be that of the machine.
func OnFileSystem(full string) bool {
	return strings.HasPrefix(full, "github.com/spf13/afero.") ||
		strings.HasPrefix(full, "(github.com/cloudfoundry/bosh-utils/system.FileSystem).") ||
		strings.HasPrefix(full, rooted)
}

// rooted begins the full names of the methods of a directory that is open.
const rooted = "(*os.Root)."

// UnderRoot reports whether the paths that a function takes are names in the directory that its
// first argument stands for.
func UnderRoot(fn *types.Func) bool { return fn != nil && strings.HasPrefix(fn.FullName(), rooted) }

// A Saver is a function of a library that rewrites a file in place, and that would write any
// other file as well.
type Saver struct {
	// As is what takes the path, of the same package or object, where the function takes none.
	As string
	// MakesDir says that it makes the directory of the file, too.
	MakesDir bool
	// Disk is the function, by its full name, whose result has to be its first argument: it says which file system is
	// written to. Sets is one that gives what it is a method of another one. Both are empty where there is one only.
	Disk, Sets string
}

// SaverOf is the saver of that full name.
func SaverOf(full string) (Saver, bool) {
	s, ok := savers[full]
	return s, ok
}

var savers = map[string]Saver{
	"github.com/spf13/viper.WriteConfig":            {As: "WriteConfigAs", Sets: "SetFs"},
	"github.com/spf13/viper.WriteConfigAs":          {Sets: "SetFs"},
	"(*github.com/spf13/viper.Viper).WriteConfig":   {As: "WriteConfigAs", Sets: "SetFs"},
	"(*github.com/spf13/viper.Viper).WriteConfigAs": {Sets: "SetFs"},
	"(*gopkg.in/ini.v1.File).SaveTo":                {},
	"(*gopkg.in/ini.v1.File).SaveToIndent":          {},
	"k8s.io/client-go/tools/clientcmd.WriteToFile":  {MakesDir: true},
	"github.com/joho/godotenv.Write":                {},
	"github.com/spf13/afero.WriteFile":              {Disk: "github.com/spf13/afero.NewOsFs"},
}

// Advice says what to do about a function, by its full name, that another package rewrites a
// file with; empty where nothing is known.
func Advice(full string) string {
	switch s, ok := savers[full]; {
	case full == "github.com/rogpeppe/go-internal/lockedfile.Write":
		return "safeio.WriteReader takes the same arguments; what takes that lock to change the file goes over to safeio with it"
	case full == rooted+"WriteFile":
		return "create another name in it with O_EXCL, sync that, and rename it with the same os.Root: safeio takes " +
			"no names that are relative to one"
	case s.MakesDir:
		return "have safeio.WriteFile write what clientcmd.Write makes of it"
	case s.Disk != "":
		return "where that is the one of the machine, safeio.WriteFile takes what is left of its arguments"
	case s.As != "":
		return "have safeio.Replace call " + s.As + " for another file, which then replaces this one"
	case ok:
		return "have safeio.Replace call it for another file, which then replaces this one"
	}
	return ""
}

// safeio is the package whose copy stands in fixed modules.
const safeio = "github.com/lockvet/lockvet/safeio"

// ReplacesWhole reports whether a function of a library replaces a file, which it is told first, by the bytes that it is
// told then. Those of safeio are none.
func ReplacesWhole(fn *types.Func) bool {
	return table[tableName(fn)] == Row{Op: Replace, A: 0, B: 1} && original(Path(fn)) != safeio
}

// IsCommand reports whether a function is what a person runs as a command, or makes one: it is
// given one, or yields one, of a library for command lines.
func IsCommand(sig *types.Signature) bool {
	for _, vars := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range vars.Variables() {
			switch types.TypeString(v.Type(), nil) {
			case "*github.com/spf13/cobra.Command",
				"*github.com/urfave/cli.Context",
				"*github.com/urfave/cli/v2.Context",
				"*github.com/urfave/cli/v3.Command":
				return true
			}
		}
	}
	return false
}

// MemoryFS is the full name of the function that makes a file system without a disk.
const MemoryFS = "github.com/spf13/afero.NewMemMapFs"

// OwnFile is the full name of the function that tells which file fn, of which the
// table says [SaveOwn] or [LoadOwn], acts on.
func OwnFile(fn *types.Func) string {
	return strings.TrimSuffix(fn.FullName(), fn.Name()) + "ConfigFileUsed"
}

// CopyFolders are where a module has its copy of safeio: in the first one, or, where
// that holds something else, in the next.
var CopyFolders = []string{"internal/safeio", "internal/lockvet/safeio"}

// copies are the import paths of copies that stand elsewhere.
var copies sync.Map

// AddCopy says that a copy of safeio has this import path, wherever that is.
func AddCopy(path string) {
	if !IsCopy(path) {
		copies.Store(path, true)
	}
}

// IsCopy reports whether an import path is that of a copy of safeio in a fixed
// module.
func IsCopy(path string) bool {
	for _, folder := range CopyFolders {
		if strings.HasSuffix(path, "/"+folder) {
			return true
		}
	}
	_, added := copies.Load(path)
	return added
}

// original is the import path of what a package is a copy of, or has the functions of;
// its own for any other package.
func original(path string) string {
	if IsCopy(path) {
		return safeio
	}
	if shim, ok := strings.CutPrefix(path, safeio+"/shim/"); ok && shims[shim] != "" {
		return shims[shim]
	}
	return path
}

// shims are the packages that have the functions of another, made with safeio.
var shims = map[string]string{
	"renameio": "github.com/google/renameio", "renameio/v2": "github.com/google/renameio/v2", "renameio/v2/maybe": "github.com/google/renameio/v2/maybe",
	"natefinch/atomic": "github.com/natefinch/atomic", "moby/atomicwriter": "github.com/moby/sys/atomicwriter",
	"gofrs/flock": "github.com/gofrs/flock", "lockedfile": "github.com/rogpeppe/go-internal/lockedfile",
}

// ReplacesFiles reports whether a package, by its import path, is a library that replaces files: it has
// a shim, and a function that does.
func ReplacesFiles(path string) bool { return replacing[path] }

var replacing = func() map[string]bool {
	libraries := map[string]bool{}
	for _, library := range shims {
		for name, row := range table {
			if strings.HasPrefix(name, library+".") && (row.Op == Replace || row.Op == Pending) {
				libraries[library] = true
			}
		}
	}
	return libraries
}()

// sharedPlaces are the functions that name places which every process that the
// user starts finds alike.
var sharedPlaces = map[string]bool{
	"os.UserHomeDir": true, "os.UserConfigDir": true, "os.UserCacheDir": true, "os.Getwd": true, "os.Getenv": true,
	"github.com/mitchellh/go-homedir.Dir": true,
}

// IsSharedPlace reports whether a function, by its full name, names a place that
// every process which the user starts finds alike.
func IsSharedPlace(name string) bool { return sharedPlaces[name] }

// NamesHome reports whether a function, by its full name, names a directory of the user.
func NamesHome(name string) bool {
	return sharedPlaces[name] && name != "os.Getwd" && name != "os.Getenv"
}

// NamesEntry reports whether a function, by its full name, is the name of an entry of a directory: which
// entry that is differs from file to file.
func NamesEntry(name string) bool {
	return name == "(io/fs.DirEntry).Name" || name == "(io/fs.FileInfo).Name"
}

// Draws reports whether what an object of another package yields is drawn at random.
func Draws(obj types.Object) bool {
	if fn, ok := obj.(*types.Func); ok {
		row, _ := Lookup(fn)
		return row.Op == Random || row.Op == Unique && Path(fn) != "time"
	}
	return Path(obj) == "crypto/rand"
}

// Is reports whether fn is one of these functions, by full names like "os.Exit". No
// method is one.
func Is(fn *types.Func, names ...string) bool {
	if fn == nil || fn.Signature().Recv() != nil {
		return false
	}
	path, name := Path(fn), fn.Name()
	return slices.ContainsFunc(names, func(full string) bool {
		rest, ok := strings.CutPrefix(full, path)
		return ok && len(rest) == 1+len(name) && rest[0] == '.' && rest[1:] == name
	})
}

// tableName is the name under which the tables have a function, empty if they have
// none of its package.
func tableName(fn *types.Func) string {
	path := original(Path(fn))
	if !tabled()[path] {
		return ""
	}
	full := fn.Origin().FullName()
	if path == Path(fn) || table[full].Op != None {
		return full // the function itself, or a shim that does better than what it stands for
	}
	return strings.Replace(full, Path(fn)+".", path+".", 1)
}

// tabled are the import paths of which the tables have functions: a full name is
// longer in the making than all else that a look into them takes.
var tabled = sync.OnceValue(func() map[string]bool {
	paths := map[string]bool{}
	for _, names := range []iter.Seq[string]{maps.Keys(table), maps.Keys(lockGivers)} {
		for full := range names {
			paths[declaredIn(full)] = true
		}
	}
	return paths
})

// declaredIn is the import path in the full name of a function: "a.b/c" of
// "a.b/c.F" and of "(*a.b/c.T).M".
func declaredIn(full string) string {
	typ, _, method := strings.Cut(full, ").")
	if method {
		full = strings.TrimLeft(typ, "(*")
	}
	return full[:strings.LastIndexByte(full, '.')]
}

// ActsOnFiles reports whether the table says that fn opens, replaces, moves or
// locks a file, or works on an open one.
func ActsOnFiles(fn *types.Func) bool {
	full := tableName(fn)
	r, ok := table[full]
	switch {
	case !ok:
		return false
	case r.Op >= WriteFile && r.Op <= Pending:
		return r.Op != Stat && r.Op != List && r.Op != EnsureDir
	}
	return r.Op >= NewLock && r.Op <= Unlock || strings.HasPrefix(full, "(*os.File).")
}

// MayChange reports whether a source that imports a package may call a function of it that changes or
// locks files, by the names in its text: for packages of which nothing else is known yet.
func MayChange(path string, src []byte) bool {
	return slices.ContainsFunc(changing()[path], func(name string) bool { return bytes.Contains(src, []byte("."+name)) })
}

// changing has the names of the functions that change or lock files, by import path.
var changing = sync.OnceValue(func() map[string][]string {
	names := map[string][]string{}
	for full, r := range table {
		switch r.Op {
		case WriteFile, Create, OpenFile, CreateTemp, Rename, Link, TruncatePath, Save, SaveOwn, Replace, ReplaceBy, Pending,
			NewLock, Lock, TryLock, RLock, TryRLock, Flock, Fcntl, LockFileEx, LockBeside, RLockBeside, Update:
			path := declaredIn(full)
			names[path] = append(names[path], full[strings.LastIndexByte(full, '.')+1:])
		}
	}
	return names
})

// Commits is the method that puts the pending file in place which fn gives, empty where
// that is what its Close does.
func Commits(fn *types.Func) string {
	if fn == nil || table[tableName(fn)].Op != Pending {
		return ""
	}
	return commits[original(Path(fn))]
}

// commits has the method by package.
var commits = map[string]string{
	safeio:                          "Commit",
	"github.com/google/renameio":    "CloseAtomicallyReplace",
	"github.com/google/renameio/v2": "CloseAtomicallyReplace",
	"github.com/dchest/safefile":    "Commit",
}

// lockGivers are the functions that take a lock and return what releases it.
var lockGivers = map[string]bool{
	"go4.org/lock.Lock": true, "github.com/camlistore/lock.Lock": true,
	"github.com/ipfs/go-fs-lock.Lock": true, "github.com/ipfs/go-fs-lock.WaitLock": true,
}

// lockTypes are the packages whose values are locks between processes.
var lockTypes = map[string]bool{
	"github.com/gofrs/flock": true, "github.com/theckman/go-flock": true, "cmd/go/internal/lockedfile": true,
	"github.com/rogpeppe/go-internal/lockedfile": true, "github.com/juju/fslock": true, "github.com/nightlyone/lockfile": true,
	"github.com/alexflint/go-filemutex": true, "github.com/containers/storage/pkg/lockfile": true,
	"go.podman.io/storage/pkg/lockfile": true, safeio: true,
}

// CanLock reports whether a value of the type is a lock between processes, or an
// open file, which can be locked.
func CanLock(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	path := original(named.Obj().Pkg().Path())
	return lockTypes[path] || path == "os" && named.Obj().Name() == "File"
}

// shaped recognises encoders, decoders and wrappers by name and signature; the
// conventions are those of encoding/json, which nearly every codec follows.
func shaped(fn *types.Func) (Row, bool) {
	sig := fn.Type().(*types.Signature)
	recv := 0
	if sig.Recv() != nil {
		recv = 1
	}
	name := fn.Name()
	switch {
	case (strings.HasPrefix(name, "Marshal") || name == "EncodeToMemory") && yieldsBytes(sig) && recv+sig.Params().Len() > 0:
		return Row{Op: Encode, A: min(recv, sig.Params().Len()+recv-1)}, true
	case strings.HasPrefix(name, "Unmarshal") && sig.Params().Len() > 0 && IsBytes(sig.Params().At(0).Type()):
		return Row{Op: Decode, A: recv}, true
	case name == "Encode" && recv == 1 && sig.Params().Len() == 1:
		return Row{Op: EncodeTo, A: 0, B: 1}, true
	case name == "Encode" && sig.Params().Len() == 2 && typeIs(sig.Params().At(1).Type(), "Writer"):
		return Row{Op: EncodeTo, A: recv + 1, B: recv}, true
	case name == "Decode" && decodesInto(sig):
		return Row{Op: Decode, A: recv}, true
	case name == "Decode" && recv == 1 && sig.Params().Len() == 1 && !IsBytes(sig.Params().At(0).Type()):
		return Row{Op: DecodeFrom, A: 0}, true
	case recv == 0 && makes(name, "Encoder", "Writer") && firstIs(sig, "Writer"):
		return Row{Op: Wrap, A: 0}, true
	case recv == 0 && makes(name, "Decoder", "Reader") && firstIs(sig, "Reader"):
		return Row{Op: Wrap, A: 0}, true
	}
	return Row{}, false
}

// makes reports whether a function is named as the maker of one of the kinds:
// NewEncoder, NewEncoderLevel, NewWALEncoder.
func makes(name string, kinds ...string) bool {
	rest, ok := strings.CutPrefix(name, "New")
	return ok && slices.ContainsFunc(kinds, func(k string) bool { return strings.Contains(rest, k) })
}

func yieldsBytes(sig *types.Signature) bool {
	return sig.Results().Len() > 0 && IsBytes(sig.Results().At(0).Type())
}

// IsBytes reports whether a type is a slice of bytes.
func IsBytes(t types.Type) bool {
	if s, ok := t.Underlying().(*types.Slice); ok {
		b, ok := s.Elem().Underlying().(*types.Basic)
		return ok && b.Kind() == types.Byte
	}
	return false
}

func firstIs(sig *types.Signature, name string) bool {
	return sig.Params().Len() > 0 && typeIs(sig.Params().At(0).Type(), name)
}

// typeIs reports whether a type has a name that ends so.
func typeIs(t types.Type, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && strings.HasSuffix(named.Obj().Name(), name)
}

// decodesInto reports whether a function is given bytes first, and last something else that
// what they encode can be put into, as by the serializers of Kubernetes.
func decodesInto(sig *types.Signature) bool {
	n := sig.Params().Len()
	if n < 2 || !IsBytes(sig.Params().At(0).Type()) {
		return false
	}
	switch sig.Params().At(n - 1).Type().Underlying().(type) {
	case *types.Interface, *types.Pointer:
		return true
	}
	return false
}

var table = map[string]Row{
	"os.WriteFile":                 {WriteFile, 0, 1},
	"io/ioutil.WriteFile":          {WriteFile, 0, 1},
	"os.Create":                    {Create, 0, 0},
	"os.OpenFile":                  {OpenFile, 0, 1},
	"os.Open":                      {Open, 0, 0},
	"syscall.Open":                 {OpenFile, 0, 1},
	"golang.org/x/sys/unix.Open":   {OpenFile, 0, 1},
	"os.ReadFile":                  {ReadFile, 0, 0},
	"os.ReadDir":                   {List, 0, 0},
	"io/ioutil.ReadDir":            {List, 0, 0},
	"path/filepath.WalkDir":        {List, 0, 0},
	"path/filepath.Walk":           {List, 0, 0},
	"(*os.File).ReadDir":           {List, 0, 0},
	"(*os.File).Readdir":           {List, 0, 0},
	"(*os.File).Readdirnames":      {List, 0, 0},
	"io/ioutil.ReadFile":           {ReadFile, 0, 0},
	"os.CreateTemp":                {CreateTemp, 0, 1},
	"io/ioutil.TempFile":           {CreateTemp, 0, 1},
	"os.MkdirTemp":                 {MkdirTemp, 0, 1},
	"os.Mkdir":                     {Mkdir, 0, 0},
	"os.MkdirAll":                  {EnsureDir, 0, 1},
	"io/ioutil.TempDir":            {MkdirTemp, 0, 1},
	"(*testing.common).TempDir":    {MkdirTemp, 0, 0},
	"(testing.TB).TempDir":         {MkdirTemp, 0, 0},
	"os.Rename":                    {Rename, 0, 1},
	"syscall.Rename":               {Rename, 0, 1},
	"golang.org/x/sys/unix.Rename": {Rename, 0, 1},
	"os.Link":                      {Link, 0, 1},
	"os.Remove":                    {Remove, 0, 0},
	"syscall.Mount":                {Mount, 0, 0},
	"golang.org/x/sys/unix.Mount":  {Mount, 0, 0},
	"os.RemoveAll":                 {Remove, 0, 0},
	"syscall.Unlink":               {Remove, 0, 0},
	"golang.org/x/sys/unix.Unlink": {Remove, 0, 0},
	"os.Stat":                      {Stat, 0, 0},
	"os.Lstat":                     {Stat, 0, 0},
	"os.Truncate":                  {TruncatePath, 0, 1},

	"os.OpenRoot":          {Same, 0, 0},
	"(*os.Root).OpenRoot":  {Same, 1, 0},
	"(*os.Root).Name":      {Same, 0, 0},
	"(*os.Root).WriteFile": {Save, 1, 2},
	"(*os.Root).Create":    {Create, 1, 0},
	"(*os.Root).OpenFile":  {OpenFile, 1, 2},
	"(*os.Root).Open":      {Open, 1, 0},
	"(*os.Root).ReadFile":  {ReadFile, 1, 0},
	"(*os.Root).Mkdir":     {Mkdir, 1, 0},
	"(*os.Root).MkdirAll":  {EnsureDir, 1, 2},
	"(*os.Root).Rename":    {Rename, 1, 2},
	"(*os.Root).Link":      {Link, 1, 2},
	"(*os.Root).Remove":    {Remove, 1, 0},
	"(*os.Root).RemoveAll": {Remove, 1, 0},
	"(*os.Root).Stat":      {Stat, 1, 0},
	"(*os.Root).Lstat":     {Stat, 1, 0},

	"github.com/lockvet/lockvet/safeio.WriteFile":                           {Replace, 0, 1},
	"github.com/lockvet/lockvet/safeio.WriteFileNoSync":                     {Replace, 0, 1},
	"github.com/lockvet/lockvet/safeio.Create":                              {Pending, 0, 0},
	"github.com/lockvet/lockvet/safeio.CreatePerm":                          {Pending, 0, 0},
	"(github.com/lockvet/lockvet/safeio.Options).WriteFile":                 {Replace, 1, 2},
	"github.com/lockvet/lockvet/safeio.Replace":                             {ReplaceBy, 0, 1},
	"(github.com/lockvet/lockvet/safeio.Options).Replace":                   {ReplaceBy, 1, 2},
	"(github.com/lockvet/lockvet/safeio.Options).Create":                    {Pending, 1, 1},
	"github.com/google/renameio.WriteFile":                                  {Replace, 0, 1},
	"github.com/google/renameio.TempFile":                                   {Pending, 1, 1},
	"github.com/google/renameio/v2.WriteFile":                               {Replace, 0, 1},
	"github.com/google/renameio/v2.TempFile":                                {Pending, 1, 1},
	"github.com/google/renameio/v2.NewPendingFile":                          {Pending, 0, 0},
	"github.com/google/renameio/v2/maybe.WriteFile":                         {Replace, 0, 1},
	"github.com/google/renameio/maybe.WriteFile":                            {Replace, 0, 1},
	"github.com/natefinch/atomic.WriteFile":                                 {Replace, 0, 1},
	"github.com/natefinch/atomic.ReplaceFile":                               {Replace, 1, 0},
	"github.com/moby/sys/atomicwriter.WriteFile":                            {Replace, 0, 1},
	"github.com/moby/sys/atomicwriter.New":                                  {Pending, 0, 0},
	"github.com/containers/storage/pkg/ioutils.AtomicWriteFile":             {Replace, 0, 1},
	"go.podman.io/storage/pkg/ioutils.AtomicWriteFile":                      {Replace, 0, 1},
	"github.com/docker/docker/pkg/ioutils.AtomicWriteFile":                  {Replace, 0, 1},
	"github.com/moby/moby/pkg/ioutils.AtomicWriteFile":                      {Replace, 0, 1},
	"github.com/containers/storage/pkg/ioutils.NewAtomicFileWriter":         {Pending, 0, 0},
	"github.com/containers/storage/pkg/ioutils.NewAtomicFileWriterWithOpts": {Pending, 0, 0},
	"go.podman.io/storage/pkg/ioutils.NewAtomicFileWriter":                  {Pending, 0, 0},
	"go.podman.io/storage/pkg/ioutils.NewAtomicFileWriterWithOpts":          {Pending, 0, 0},
	"github.com/dchest/safefile.WriteFile":                                  {Replace, 0, 1},
	"github.com/dchest/safefile.Create":                                     {Pending, 0, 0},
	"tailscale.com/atomicfile.WriteFile":                                    {Replace, 0, 1},
	"github.com/lockvet/lockvet/safeio/shim/lockedfile.Write":               {Replace, 0, 1},

	"(*github.com/lockvet/lockvet/safeio.File).Write":       {Write, 0, 1},
	"(*github.com/lockvet/lockvet/safeio.File).WriteString": {Write, 0, 1},
	"(*github.com/lockvet/lockvet/safeio.File).ReadFrom":    {Copy, 0, 1},

	"(*os.File).Write":                {Write, 0, 1},
	"(*os.File).WriteString":          {Write, 0, 1},
	"(*os.File).WriteAt":              {WriteAt, 0, 1},
	"(*os.File).ReadFrom":             {Copy, 0, 1},
	"(*os.File).Read":                 {Read, 0, 0},
	"(*os.File).ReadAt":               {Read, 0, 0},
	"(*os.File).Sync":                 {Sync, 0, 0},
	"(*os.File).Close":                {Close, 0, 0},
	"syscall.Close":                   {Close, 0, 0},
	"golang.org/x/sys/unix.Close":     {Close, 0, 0},
	"(*os.File).Truncate":             {Truncate, 0, 1},
	"(*os.File).Seek":                 {Seek, 0, 0},
	"(*os.File).Stat":                 {Seek, 0, 0},
	"(*os.File).Name":                 {NameOf, 0, 0},
	"syscall.Write":                   {Write, 0, 1},
	"golang.org/x/sys/unix.Write":     {Write, 0, 1},
	"syscall.Fsync":                   {Sync, 0, 0},
	"golang.org/x/sys/unix.Fsync":     {Sync, 0, 0},
	"golang.org/x/sys/unix.Fdatasync": {Sync, 0, 0},
	"syscall.Fdatasync":               {Sync, 0, 0},
	"syscall.Ftruncate":               {Truncate, 0, 1},
	"(*os.File).Fd":                   {Same, 0, 0},
	"(*os.File).Chmod":                {Configure, 0, 0},
	"(*os.File).Chown":                {Configure, 0, 0},
	"(*os.File).SetDeadline":          {Configure, 0, 0},
	"(*os.File).SetReadDeadline":      {Configure, 0, 0},
	"(*os.File).SetWriteDeadline":     {Configure, 0, 0},
	"syscall.Fchmod":                  {Configure, 0, 0},
	"syscall.Fchown":                  {Configure, 0, 0},
	"golang.org/x/sys/unix.Fchmod":    {Configure, 0, 0},
	"golang.org/x/sys/unix.Fchown":    {Configure, 0, 0},
	"(io.Writer).Write":               {Write, 0, 1},
	"(io.StringWriter).WriteString":   {Write, 0, 1},
	"(io.Closer).Close":               {Close, 0, 0},
	"(io.Reader).Read":                {Read, 0, 0},
	"(*bufio.Writer).Write":           {Write, 0, 1},
	"(*bufio.Writer).WriteString":     {Write, 0, 1},
	"(*bufio.Writer).WriteByte":       {Write, 0, 1},
	"(*bufio.Writer).WriteRune":       {Write, 0, 1},
	"(*bufio.Writer).ReadFrom":        {Copy, 0, 1},
	"(*bufio.Writer).Flush":           {Flush, 0, 0},
	"bufio.NewWriter":                 {Wrap, 0, 0},
	"bufio.NewWriterSize":             {Wrap, 0, 0},
	"bufio.NewReader":                 {Wrap, 0, 0},
	"bufio.NewReaderSize":             {Wrap, 0, 0},
	"bufio.NewScanner":                {Wrap, 0, 0},
	"(*bufio.Scanner).Scan":           {Read, 0, 0},
	"(*bufio.Scanner).Err":            {Read, 0, 0},
	"(*bufio.Scanner).Buffer":         {Read, 0, 0},
	"(*bufio.Scanner).Split":          {Read, 0, 0},
	"(*bufio.Scanner).Bytes":          {ReadAll, 0, 0},
	"(*bufio.Scanner).Text":           {ReadAll, 0, 0},
	"(*bufio.Reader).ReadBytes":       {ReadAll, 0, 0},
	"(*bufio.Reader).ReadString":      {ReadAll, 0, 0},
	"(*bufio.Reader).ReadLine":        {ReadAll, 0, 0},
	"io.MultiWriter":                  {Wrap, 0, 0},
	"io.TeeReader":                    {Wrap, 0, 0},
	"io.LimitReader":                  {Wrap, 0, 0},
	"io.NopCloser":                    {Wrap, 0, 0},
	"compress/gzip.NewWriter":         {Wrap, 0, 0},
	"compress/gzip.NewReader":         {Wrap, 0, 0},
	"(*compress/gzip.Writer).Flush":   {Flush, 0, 0},
	"(*compress/gzip.Writer).Close":   {Flush, 0, 0},
	"(*compress/zlib.Writer).Flush":   {Flush, 0, 0},
	"(*compress/zlib.Writer).Close":   {Flush, 0, 0},
	"(*compress/flate.Writer).Flush":  {Flush, 0, 0},
	"(*compress/flate.Writer).Close":  {Flush, 0, 0},
	"(*encoding/csv.Writer).Flush":    {Flush, 0, 0},
	"(*text/tabwriter.Writer).Flush":  {Flush, 0, 0},
	"encoding/csv.NewWriter":          {Wrap, 0, 0},
	"encoding/csv.NewReader":          {Wrap, 0, 0},
	"(*encoding/csv.Writer).Write":    {EncodeTo, 0, 1},
	"(*encoding/csv.Writer).WriteAll": {EncodeTo, 0, 1},
	"(*encoding/csv.Reader).ReadAll":  {DecodeFrom, 0, 0},
	"(*encoding/csv.Reader).Read":     {DecodeFrom, 0, 0},
	"io.ReadAll":                      {ReadAll, 0, 0},
	"io/ioutil.ReadAll":               {ReadAll, 0, 0},
	"io.ReadFull":                     {Read, 0, 0},
	"io.Copy":                         {Copy, 0, 1},
	"io.CopyN":                        {Copy, 0, 1},
	"io.CopyBuffer":                   {Copy, 0, 1},
	"io.WriteString":                  {Write, 0, 1},
	"fmt.Fprintf":                     {Render, 0, 1},
	"fmt.Fprint":                      {Render, 0, 1},
	"fmt.Fprintln":                    {RenderLine, 0, 1},
	"fmt.Fscanf":                      {DecodeFrom, 0, 0},
	"fmt.Fscan":                       {DecodeFrom, 0, 0},
	"fmt.Fscanln":                     {DecodeFrom, 0, 0},

	"encoding/json.NewEncoder":                      {Wrap, 0, 0},
	"(*encoding/json.Encoder).SetEscapeHTML":        {Configure, 0, 0},
	"(*encoding/json.Encoder).SetIndent":            {Configure, 0, 0},
	"encoding/json.NewDecoder":                      {Wrap, 0, 0},
	"encoding/json.Indent":                          {Copy, 0, 1},
	"encoding/json.Compact":                         {Copy, 0, 1},
	"encoding/pem.Encode":                           {EncodeTo, 0, 1},
	"encoding/pem.Decode":                           {Decode, 0, 0},
	"encoding/binary.Write":                         {EncodeTo, 0, 2},
	"encoding/binary.Read":                          {DecodeFrom, 0, 0},
	"encoding/xml.Unmarshal":                        {Decode, 0, 0},
	"strconv.Atoi":                                  {Decode, 0, 0},
	"strconv.ParseInt":                              {Decode, 0, 0},
	"strconv.ParseUint":                             {Decode, 0, 0},
	"strconv.ParseBool":                             {Decode, 0, 0},
	"strconv.ParseFloat":                            {Decode, 0, 0},
	"time.Parse":                                    {Decode, 1, 0},
	"bufio.ScanLines":                               {None, 0, 0},
	"crypto/tls.LoadX509KeyPair":                    {ReadFile, 0, 0},
	"crypto/tls.X509KeyPair":                        {Decode, 0, 0},
	"crypto/x509.MarshalPKCS1PrivateKey":            {Encode, 0, 0},
	"crypto/x509.MarshalECPrivateKey":               {Encode, 0, 0},
	"crypto/x509.MarshalPKCS8PrivateKey":            {Encode, 0, 0},
	"(*text/template.Template).Execute":             {Template, 1, 0},
	"(*html/template.Template).Execute":             {Template, 1, 0},
	"(*text/template.Template).ExecuteTemplate":     {Template, 1, 0},
	"(*html/template.Template).ExecuteTemplate":     {Template, 1, 0},
	"(*gopkg.in/ini.v1.File).SaveTo":                {Save, 1, 0},
	"(*gopkg.in/ini.v1.File).SaveToIndent":          {Save, 1, 0},
	"k8s.io/client-go/tools/clientcmd.WriteToFile":  {Save, 1, 0},
	"k8s.io/client-go/tools/clientcmd.LoadFromFile": {ReadFile, 0, 0},
	"github.com/joho/godotenv.Write":                {Save, 1, 0},
	"github.com/spf13/afero.WriteFile":              {Save, 1, 2},
	"cmd/go/internal/lockedfile.Write":              {Save, 0, 1}, // under a lock on the file, which a crash and a plain reader do not heed
	"cmd/go/internal/lockedfile.Read":               {ReadFile, 0, 0},

	"(github.com/cloudfoundry/bosh-utils/system.FileSystem).WriteFile":        {Save, 1, 2},
	"(github.com/cloudfoundry/bosh-utils/system.FileSystem).WriteFileQuietly": {Save, 1, 2},
	"(github.com/cloudfoundry/bosh-utils/system.FileSystem).WriteFileString":  {Save, 1, 2},
	"(github.com/cloudfoundry/bosh-utils/system.FileSystem).ReadFile":         {ReadFile, 1, 0},
	"(github.com/cloudfoundry/bosh-utils/system.FileSystem).ReadFileString":   {ReadFile, 1, 0},
	"(github.com/cloudfoundry/bosh-utils/system.FileSystem).FileExists":       {Stat, 1, 0},
	"(github.com/cloudfoundry/bosh-utils/system.FileSystem).Rename":           {Rename, 1, 2},
	"(github.com/cloudfoundry/bosh-utils/system.FileSystem).RemoveAll":        {Remove, 1, 0},

	"github.com/rogpeppe/go-internal/lockedfile.Write": {Save, 0, 1},
	"github.com/rogpeppe/go-internal/lockedfile.Read":  {ReadFile, 0, 0},

	"github.com/spf13/afero.ReadFile":               {ReadFile, 1, 0},
	"github.com/spf13/viper.WriteConfigAs":          {Save, 0, -1},
	"(*github.com/spf13/viper.Viper).WriteConfigAs": {Save, 1, 0},
	"github.com/spf13/viper.WriteConfig":            {SaveOwn, 0, 0},
	"(*github.com/spf13/viper.Viper).WriteConfig":   {SaveOwn, 0, 0},
	"github.com/spf13/viper.ReadInConfig":           {LoadOwn, 0, 0},
	"(*github.com/spf13/viper.Viper).ReadInConfig":  {LoadOwn, 0, 0},
	"gopkg.in/ini.v1.Load":                          {ReadFile, 0, 0},
	"gopkg.in/ini.v1.LoadSources":                   {ReadFile, 1, 0},
	"gopkg.in/ini.v1.LooseLoad":                     {ReadFile, 0, 0},
	"gopkg.in/ini.v1.InsensitiveLoad":               {ReadFile, 0, 0},
	"gopkg.in/ini.v1.InsensitiveLooseLoad":          {ReadFile, 0, 0},
	"gopkg.in/ini.v1.ShadowLoad":                    {ReadFile, 0, 0},
	"github.com/BurntSushi/toml.DecodeFile":         {ReadFile, 0, 0},
	"github.com/pelletier/go-toml.LoadFile":         {ReadFile, 0, 0},
	"github.com/magiconair/properties.LoadFile":     {ReadFile, 0, 0},

	"(*github.com/hashicorp/hcl/v2/hclparse.Parser).ParseHCLFile":  {ReadFile, 1, 0},
	"(*github.com/hashicorp/hcl/v2/hclparse.Parser).ParseJSONFile": {ReadFile, 1, 0},
	"github.com/hashicorp/hcl/v2/hclsimple.DecodeFile":             {ReadFile, 0, 0},
	"(*github.com/hashicorp/hcl/v2/hclwrite.File).Bytes":           {Encode, 0, 0},

	"(io.WriterTo).WriteTo":            {Copy, 1, 0},
	"runtime/pprof.WriteHeapProfile":   {Template, 0, 0},
	"runtime/pprof.StartCPUProfile":    {Template, 0, 0},
	"(*runtime/pprof.Profile).WriteTo": {Template, 1, 0},

	"path/filepath.Join":                   {JoinPath, 0, 0},
	"path.Join":                            {JoinPath, 0, 0},
	"path/filepath.Clean":                  {Same, 0, 0},
	"path.Clean":                           {Same, 0, 0},
	"path/filepath.Abs":                    {Same, 0, 0},
	"path/filepath.ToSlash":                {Same, 0, 0},
	"path/filepath.FromSlash":              {Same, 0, 0},
	"path/filepath.EvalSymlinks":           {Same, 0, 0},
	"path/filepath.Localize":               {Same, 0, 0},
	"os.ExpandEnv":                         {Akin, 0, 0},
	"strings.TrimSpace":                    {Akin, 0, 0},
	"strings.TrimRight":                    {Akin, 0, 0},
	"strings.TrimSuffix":                   {Akin, 0, 0},
	"strings.ToLower":                      {Akin, 0, 0},
	"strings.ReplaceAll":                   {Akin, 0, 0},
	"strings.NewReader":                    {Same, 0, 0},
	"bytes.NewReader":                      {Same, 0, 0},
	"bytes.NewBuffer":                      {Same, 0, 0},
	"bytes.NewBufferString":                {Same, 0, 0},
	"bytes.TrimSpace":                      {Same, 0, 0},
	"bytes.Clone":                          {Same, 0, 0},
	"(*bytes.Buffer).Bytes":                {Same, 0, 0},
	"(*bytes.Buffer).String":               {Same, 0, 0},
	"(*strings.Builder).String":            {Same, 0, 0},
	"(*bytes.Buffer).Write":                {Write, 0, 1},
	"(*bytes.Buffer).WriteString":          {Write, 0, 1},
	"(*bytes.Buffer).WriteByte":            {Write, 0, 1},
	"(*bytes.Buffer).WriteTo":              {Copy, 1, 0},
	"(*strings.Builder).WriteString":       {Write, 0, 1},
	"path/filepath.Base":                   {Part, 0, 0},
	"path.Base":                            {Part, 0, 0},
	"path/filepath.Dir":                    {Part, 0, 0},
	"path.Dir":                             {Part, 0, 0},
	"path/filepath.Ext":                    {Part, 0, 0},
	"fmt.Sprintf":                          {Format, 0, 1},
	"fmt.Sprint":                           {Same, 0, 0},
	"strconv.Itoa":                         {Same, 0, 0},
	"strconv.FormatInt":                    {Same, 0, 0},
	"strconv.FormatUint":                   {Same, 0, 0},
	"(crypto/cipher.AEAD).Seal":            {Same, 3, 0},
	"(crypto/cipher.AEAD).Open":            {Same, 3, 0},
	"encoding/hex.EncodeToString":          {Same, 0, 0},
	"os.Getpid":                            {ProcessID, 0, 0},
	"syscall.Getpid":                       {ProcessID, 0, 0},
	"time.Now":                             {Unique, 0, 0},
	"(time.Time).Format":                   {Stamp, 0, 1},
	"(time.Time).Unix":                     {Same, 0, 0},
	"(time.Time).UnixNano":                 {Same, 0, 0},
	"(time.Time).UnixMilli":                {Same, 0, 0},
	"(time.Time).UTC":                      {Same, 0, 0},
	"(time.Time).String":                   {Same, 0, 0},
	"math/rand.Int":                        {Unique, 0, 0},
	"math/rand.Intn":                       {Unique, 0, 0},
	"math/rand.Int31":                      {Unique, 0, 0},
	"math/rand.Int63":                      {Unique, 0, 0},
	"math/rand.Uint32":                     {Unique, 0, 0},
	"math/rand.Uint64":                     {Unique, 0, 0},
	"math/rand/v2.Int":                     {Unique, 0, 0},
	"math/rand/v2.Int64":                   {Unique, 0, 0},
	"math/rand/v2.Uint64":                  {Unique, 0, 0},
	"math/rand/v2.Uint32":                  {Unique, 0, 0},
	"math/rand/v2.IntN":                    {Unique, 0, 0},
	"(*math/rand.Rand).Int":                {Unique, 0, 0},
	"(*math/rand.Rand).Int63":              {Unique, 0, 0},
	"(*math/rand.Rand).Intn":               {Unique, 0, 0},
	"crypto/rand.Int":                      {Unique, 0, 0},
	"crypto/rand.Text":                     {Unique, 0, 0},
	"crypto/rand.Read":                     {Random, 0, 0},
	"math/rand.Read":                       {Random, 0, 0},
	"(*math/rand.Rand).Read":               {Random, 1, 0},
	"github.com/google/uuid.New":           {Unique, 0, 0},
	"github.com/google/uuid.NewString":     {Unique, 0, 0},
	"github.com/google/uuid.NewRandom":     {Unique, 0, 0},
	"github.com/google/uuid.NewUUID":       {Unique, 0, 0},
	"github.com/google/uuid.NewV7":         {Unique, 0, 0},
	"github.com/google/uuid.Must":          {Same, 0, 0},
	"(github.com/google/uuid.UUID).String": {Same, 0, 0},
	"github.com/gofrs/uuid.NewV4":          {Unique, 0, 0},
	"github.com/oklog/ulid.Make":           {Unique, 0, 0},
	"github.com/oklog/ulid/v2.Make":        {Unique, 0, 0},
	"github.com/rs/xid.New":                {Unique, 0, 0},
	"github.com/segmentio/ksuid.New":       {Unique, 0, 0},
	"github.com/matoous/go-nanoid/v2.New":  {Unique, 0, 0},

	"flag.String":                   {UserFlag, 0, 0},
	"flag.Arg":                      {UserFlag, 0, -1},
	"flag.Args":                     {UserFlag, 0, -1},
	"(*flag.FlagSet).String":        {UserFlag, 0, 1},
	"(*flag.FlagSet).Arg":           {UserFlag, 0, -1},
	"(*flag.FlagSet).Args":          {UserFlag, 0, -1},
	"github.com/spf13/pflag.String": {UserFlag, 0, 0},
	"(*github.com/spf13/pflag.FlagSet).GetString": {UserFlag, 0, 1},
	"(*github.com/spf13/pflag.FlagSet).Arg":       {UserFlag, 0, -1},
	"(*github.com/spf13/pflag.FlagSet).Args":      {UserFlag, 0, -1},
	"(*github.com/spf13/pflag.FlagSet).String":    {UserFlag, 0, 1},
	"(*github.com/urfave/cli.Context).String":     {UserFlag, 0, 1},
	"(*github.com/urfave/cli/v2.Context).String":  {UserFlag, 0, 1},
	"(*github.com/urfave/cli/v3.Command).String":  {UserFlag, 0, 1},
	"(*github.com/urfave/cli/v2.Context).Path":    {UserFlag, 0, 1},
	"(github.com/urfave/cli.Args).First":          {UserFlag, 0, -1},
	"(github.com/urfave/cli.Args).Get":            {UserFlag, 0, -1},
	"(github.com/urfave/cli/v2.Args).First":       {UserFlag, 0, -1},
	"(github.com/urfave/cli/v2.Args).Get":         {UserFlag, 0, -1},

	"syscall.Flock":                                                 {Flock, 0, 1},
	"golang.org/x/sys/unix.Flock":                                   {Flock, 0, 1},
	"syscall.FcntlFlock":                                            {Fcntl, 0, 1},
	"golang.org/x/sys/unix.FcntlFlock":                              {Fcntl, 0, 1},
	"golang.org/x/sys/windows.LockFileEx":                           {LockFileEx, 0, 1},
	"golang.org/x/sys/windows.UnlockFileEx":                         {Unlock, 0, 0},
	"github.com/gofrs/flock.New":                                    {NewLock, 0, 0},
	"github.com/gofrs/flock.NewFlock":                               {NewLock, 0, 0},
	"(*github.com/gofrs/flock.Flock).Lock":                          {Lock, 0, 0},
	"(*github.com/gofrs/flock.Flock).TryLock":                       {TryLock, 0, 0},
	"(*github.com/gofrs/flock.Flock).TryLockContext":                {TryLock, 0, 0},
	"(*github.com/gofrs/flock.Flock).RLock":                         {RLock, 0, 0},
	"(*github.com/gofrs/flock.Flock).TryRLock":                      {TryRLock, 0, 0},
	"(*github.com/gofrs/flock.Flock).TryRLockContext":               {TryRLock, 0, 0},
	"(*github.com/gofrs/flock.Flock).Unlock":                        {Unlock, 0, 0},
	"(*github.com/gofrs/flock.Flock).Close":                         {Unlock, 0, 0},
	"(*github.com/gofrs/flock.Flock).Path":                          {LockPath, 0, 0},
	"(*github.com/theckman/go-flock.Flock).Path":                    {LockPath, 0, 0},
	"github.com/theckman/go-flock.NewFlock":                         {NewLock, 0, 0},
	"(*github.com/theckman/go-flock.Flock).Lock":                    {Lock, 0, 0},
	"(*github.com/theckman/go-flock.Flock).TryLock":                 {TryLock, 0, 0},
	"(*github.com/theckman/go-flock.Flock).TryLockContext":          {TryLock, 0, 0},
	"(*github.com/theckman/go-flock.Flock).RLock":                   {RLock, 0, 0},
	"(*github.com/theckman/go-flock.Flock).TryRLock":                {TryRLock, 0, 0},
	"(*github.com/theckman/go-flock.Flock).Unlock":                  {Unlock, 0, 0},
	"github.com/rogpeppe/go-internal/lockedfile.MutexAt":            {NewLock, 0, 0},
	"(*github.com/rogpeppe/go-internal/lockedfile.Mutex).Lock":      {Lock, 0, 0},
	"cmd/go/internal/lockedfile.MutexAt":                            {NewLock, 0, 0},
	"(*cmd/go/internal/lockedfile.Mutex).Lock":                      {Lock, 0, 0},
	"cmd/go/internal/lockedfile.Edit":                               {Lock, 0, 0},
	"github.com/rogpeppe/go-internal/lockedfile.Edit":               {Lock, 0, 0},
	"github.com/juju/fslock.New":                                    {NewLock, 0, 0},
	"(*github.com/juju/fslock.Lock).Lock":                           {Lock, 0, 0},
	"(*github.com/juju/fslock.Lock).LockWithTimeout":                {Lock, 0, 0},
	"(*github.com/juju/fslock.Lock).TryLock":                        {Lock, 0, 0},
	"(*github.com/juju/fslock.Lock).Unlock":                         {Unlock, 0, 0},
	"github.com/nightlyone/lockfile.New":                            {NewLock, 0, 0},
	"(github.com/nightlyone/lockfile.Lockfile).TryLock":             {Lock, 0, 0},
	"(github.com/nightlyone/lockfile.Lockfile).Unlock":              {Unlock, 0, 0},
	"github.com/alexflint/go-filemutex.New":                         {NewLock, 0, 0},
	"(*github.com/alexflint/go-filemutex.FileMutex).Lock":           {Lock, 0, 0},
	"(*github.com/alexflint/go-filemutex.FileMutex).TryLock":        {Lock, 0, 0},
	"(*github.com/alexflint/go-filemutex.FileMutex).RLock":          {RLock, 0, 0},
	"(*github.com/alexflint/go-filemutex.FileMutex).TryRLock":       {RLock, 0, 0},
	"(*github.com/alexflint/go-filemutex.FileMutex).Unlock":         {Unlock, 0, 0},
	"(*github.com/alexflint/go-filemutex.FileMutex).RUnlock":        {Unlock, 0, 0},
	"(*github.com/alexflint/go-filemutex.FileMutex).Close":          {Unlock, 0, 0},
	"github.com/containers/storage/pkg/lockfile.GetLockFile":        {NewLock, 0, 0},
	"github.com/containers/storage/pkg/lockfile.GetLockfile":        {NewLock, 0, 0},
	"github.com/containers/storage/pkg/lockfile.GetROLockFile":      {NewLock, 0, 0},
	"(*github.com/containers/storage/pkg/lockfile.LockFile).Lock":   {Lock, 0, 0},
	"(github.com/containers/storage/pkg/lockfile.Locker).Lock":      {Lock, 0, 0},
	"(*github.com/containers/storage/pkg/lockfile.LockFile).RLock":  {RLock, 0, 0},
	"(github.com/containers/storage/pkg/lockfile.Locker).RLock":     {RLock, 0, 0},
	"(*github.com/containers/storage/pkg/lockfile.LockFile).Unlock": {Unlock, 0, 0},
	"(github.com/containers/storage/pkg/lockfile.Locker).Unlock":    {Unlock, 0, 0},
	"go.podman.io/storage/pkg/lockfile.GetLockFile":                 {NewLock, 0, 0},
	"go.podman.io/storage/pkg/lockfile.GetLockfile":                 {NewLock, 0, 0},
	"go.podman.io/storage/pkg/lockfile.GetROLockFile":               {NewLock, 0, 0},
	"(*go.podman.io/storage/pkg/lockfile.LockFile).Lock":            {Lock, 0, 0},
	"(go.podman.io/storage/pkg/lockfile.Locker).Lock":               {Lock, 0, 0},
	"(*go.podman.io/storage/pkg/lockfile.LockFile).RLock":           {RLock, 0, 0},
	"(go.podman.io/storage/pkg/lockfile.Locker).RLock":              {RLock, 0, 0},
	"(*go.podman.io/storage/pkg/lockfile.LockFile).Unlock":          {Unlock, 0, 0},

	"(*sync.Mutex).Lock":                                {Acquire, 0, 0},
	"(*sync.Mutex).Unlock":                              {Release, 0, 0},
	"(*sync.RWMutex).Lock":                              {Acquire, 0, 0},
	"(*sync.RWMutex).Unlock":                            {Release, 0, 0},
	"(sync.Locker).Lock":                                {Acquire, 0, 0},
	"(sync.Locker).Unlock":                              {Release, 0, 0},
	"(go.podman.io/storage/pkg/lockfile.Locker).Unlock": {Unlock, 0, 0},
	"github.com/lockvet/lockvet/safeio.Lock":            {LockBeside, 0, 0},
	"github.com/lockvet/lockvet/safeio.TryLock":         {LockBeside, 0, 0},
	"github.com/lockvet/lockvet/safeio.RLock":           {RLockBeside, 0, 0},
	"github.com/lockvet/lockvet/safeio.TryRLock":        {RLockBeside, 0, 0},
	"github.com/lockvet/lockvet/safeio.LockContext":     {LockBeside, 1, 1},
	"github.com/lockvet/lockvet/safeio.RLockContext":    {RLockBeside, 1, 1},
	"(*github.com/lockvet/lockvet/safeio.Held).Unlock":  {Unlock, 0, 0},

	"(github.com/lockvet/lockvet/safeio.Options).Lock":         {LockBeside, 1, 1},
	"(github.com/lockvet/lockvet/safeio.Options).TryLock":      {LockBeside, 1, 1},
	"(github.com/lockvet/lockvet/safeio.Options).RLock":        {RLockBeside, 1, 1},
	"(github.com/lockvet/lockvet/safeio.Options).TryRLock":     {RLockBeside, 1, 1},
	"(github.com/lockvet/lockvet/safeio.Options).LockContext":  {LockBeside, 2, 2},
	"(github.com/lockvet/lockvet/safeio.Options).RLockContext": {RLockBeside, 2, 2},

	"github.com/lockvet/lockvet/safeio.Update":            {Update, 0, 0},
	"github.com/lockvet/lockvet/safeio.UpdateJSON":        {Update, 0, 0},
	"github.com/lockvet/lockvet/safeio.UpdateContext":     {Update, 1, 1},
	"github.com/lockvet/lockvet/safeio.UpdateJSONContext": {Update, 1, 1},

	"(github.com/lockvet/lockvet/safeio.Options).Update":        {Update, 1, 1},
	"(github.com/lockvet/lockvet/safeio.Options).UpdateContext": {Update, 2, 2},
}
