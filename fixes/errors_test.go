package fixes

import (
	"go/format"
	"testing"
)

const errorsHead = `package p

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log"
	"os"
)

var _ = []any{zip.NewWriter, errors.New, fmt.Println, fs.ErrExist, io.EOF, log.Print}

type value struct{}

func (value) check() error { return nil }

func each(enc *json.Encoder, v value) iter.Seq2[int, error] { return nil }

func walk(visit func(any) error) error { return nil }

func visit(v value, do func(any) bool) {}

func report(err error) {}

func lenient(err error) error { return nil }

func save(path string, v value, data []byte, r io.Reader, errc chan error, much bool, st *struct{ err error }) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	_ = enc
`

// errorsOfWrites are the ways that the error of a write can go before the function
// says that it has saved, and why there is no fix: the content could be committed
// although the write failed.
var errorsOfWrites = []struct{ name, text, reason string }{
	{"switchLogs", `
switch err := enc.Encode(v); {
case err != nil:
	log.Print(err)
}
return nil
`, "err is not checked before the file is closed"},
	{"switchReturns", `
switch err := enc.Encode(v); {
case err != nil:
	return err
}
return nil
`, ""},
	{"switchDefault", `
switch err := enc.Encode(v); {
case err == nil:
	log.Print("saved")
default:
	return err
}
return nil
`, ""},
	{"switchDefaultNil", `
switch err := enc.Encode(v); {
case err == nil:
	log.Print("saved")
default:
	return nil
}
return nil
`, "a return may be a success or a failure"},
	{"switchDefaultFirst", `
switch err := enc.Encode(v); {
default:
	log.Print("saved")
case err != nil:
	return err
}
return nil
`, ""},
	{"switchDefaultReturns", `
switch err := enc.Encode(v); {
default:
	return nil
case err != nil:
	return err
}
`, ""},
	{"switchEither", `
switch err := enc.Encode(v); {
case much, err == nil:
	return nil
default:
	return err
}
`, "err is not checked before the file is closed"},
	{"switchBreaks", `
switch err := enc.Encode(v); {
case err != nil:
	if much {
		break
	}
	return err
}
return nil
`, "err is not checked before the file is closed"},
	{"switchSome", `
switch err := enc.Encode(v); {
case errors.Is(err, io.ErrShortWrite):
	return err
}
return nil
`, "err is not checked before the file is closed"},
	{"switchTag", `
switch err := enc.Encode(v); err {
case nil:
default:
	return nil
}
return nil
`, "a return may be a success or a failure"},
	{"switchTagReturns", `
switch err := enc.Encode(v); err {
case nil:
	return nil
default:
	return err
}
`, ""},
	{"switchTagPartly", `
switch err := enc.Encode(v); err {
case nil:
case io.ErrShortWrite:
default:
	return err
}
return nil
`, "err is not checked before the file is closed"},
	{"switchTagNoNil", `
switch err := enc.Encode(v); err {
case io.ErrShortWrite:
	return err
}
return nil
`, "err is not checked before the file is closed"},
	{"switchTagEither", `
switch err := enc.Encode(v); err {
case nil, io.ErrShortWrite:
	return nil
default:
	return err
}
`, "err is not checked before the file is closed"},
	{"switchTagDefault", `
switch err := v.check(); err {
case io.EOF:
	return err
default:
	return nil
}
`, ""},
	{"switchTagOther", `
switch err := v.check(); err {
case nil:
	fmt.Fprintln(f, v)
default:
	return nil
}
return nil
`, "a return may be a success or a failure"},
	{"switchCall", `
switch enc.Encode(v) {
case nil:
default:
	return nil
}
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"switchCase", `
switch {
case enc.Encode(v) != nil:
	log.Print("failed")
}
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"typeSwitch", `
switch err := enc.Encode(v).(type) {
case nil:
default:
	log.Print(err)
}
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"typeSwitchVar", `
err = enc.Encode(v)
switch err := err.(type) {
case nil:
case *fs.PathError:
	log.Print(err.Path)
default:
	return err
}
return nil
`, "err is not checked before the file is closed"},
	{"typeSwitchReturns", `
err = enc.Encode(v)
switch err := err.(type) {
case nil:
case *fs.PathError:
	return err
default:
	return err
}
return nil
`, "err is not checked before the file is closed"},
	{"typeSwitchReturnsNil", `
switch err := v.check(); err.(type) {
case *fs.PathError:
	return nil
}
return nil
`, ""},
	{"typeSwitchInit", `
switch err := enc.Encode(v); err.(type) {
case nil:
default:
	log.Print(err)
}
return nil
`, "err is not checked before the file is closed"},
	{"forInit", `
for err := enc.Encode(v); err != nil; {
	log.Print(err)
	break
}
return nil
`, "err is not checked before the file is closed"},
	{"forReturnsNil", `
for err := v.check(); err != nil; {
	return nil
}
return nil
`, ""},
	{"forReturns", `
for err := enc.Encode(v); err != nil; {
	return err
}
return nil
`, ""},
	{"forCond", `
for enc.Encode(v) != nil {
	log.Print("again")
}
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"forPost", `
for i := 0; i < 3; err = enc.Encode(v) {
	i++
}
return err
`, "err is overwritten before it is checked"},
	{"forLast", `
for i := 0; i < 3; i++ {
	err = enc.Encode(v)
}
return err
`, "err is overwritten before it is checked"},
	{"forBreak", `
for i := 0; i < 3; i++ {
	if err = enc.Encode(v); err != nil {
		break
	}
}
return err
`, ""},
	{"forRetry", `
for i := 0; i < 3; i++ {
	if err = enc.Encode(v); err == nil {
		break
	}
}
return nil
`, "err is overwritten before it is checked"},
	{"forOnce", `
for {
	err = enc.Encode(v)
	break
}
if err != nil {
	return err
}
return nil
`, ""},
	{"selectSend", `
select {
case errc <- enc.Encode(v):
default:
}
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"selectBody", `
select {
case <-errc:
	err = enc.Encode(v)
default:
}
return nil
`, "err is not checked before the file is closed"},
	{"send", `
errc <- enc.Encode(v)
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"ranged", `
for _, err := range each(enc, v) {
	if err != nil {
		log.Print(err)
	}
}
return nil
`, "it is not certain when each(enc, v) writes to the handle"},
	{"labeledOnly", `
save:
for {
	if err := enc.Encode(v); err != nil {
		log.Print(err)
	}
	break save
}
return nil
`, "err is not checked before the file is closed"},
	{"defers", `
defer log.Print(enc.Encode(v))
return nil
`, "a deferred call would use the file after the commit"},
	{"deferArg", `
defer func(err error) {
	log.Print(err)
}(enc.Encode(v))
return nil
`, "a deferred call would use the file after the commit"},
	{"elseIf", `
if err := enc.Encode(v); err == io.ErrShortWrite {
	return err
} else if err != nil {
	log.Print(err)
}
return nil
`, "err is not checked before the file is closed"},
	{"elseIfReturns", `
if err := enc.Encode(v); err == io.ErrShortWrite {
	return io.ErrUnexpectedEOF
} else if err != nil {
	return err
}
return nil
`, ""},
	{"isNil", `
if err := enc.Encode(v); err == nil {
	return nil
} else {
	return err
}
`, ""},
	{"isNilLost", `
if err := enc.Encode(v); err == nil {
	log.Print("saved")
}
return nil
`, "err is not checked before the file is closed"},
	{"isNilElse", `
if err := enc.Encode(v); err == nil {
	log.Print("saved")
} else {
	log.Print(err)
}
return nil
`, "err is not checked before the file is closed"},
	{"removes", `
if err := enc.Encode(v); err != nil {
	_ = os.Remove(f.Name())
	return err
}
return nil
`, ""},
	{"removed", `
os.Remove(f.Name())
return enc.Encode(v)
`, "os.Remove uses the path before the file is complete"},
	{"initDropped", `
if enc.Encode(v); much {
	log.Print("long")
}
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"initWrite", `
if f.Write(data); much {
	log.Print("long")
}
return nil
`, ""},
	{"writeReturnsNil", `
_, err = f.WriteString("all")
if err != nil {
	return nil
}
return nil
`, "a return may be a success or a failure"},
	{"checkReturnsNil", `
if err := v.check(); err != nil {
	return nil
}
_, err = f.Write(data)
return err
`, "a return may be a success or a failure"},
	{"condCall", `
if enc.Encode(v) != nil {
	log.Print("failed")
}
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"condCallNil", `
if enc.Encode(v) == nil {
	log.Print("saved")
}
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"condCallReturns", `
if enc.Encode(v) != nil {
	return errors.New("failed")
}
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"condAnd", `
if much && enc.Encode(v) != nil {
	return errors.New("failed")
}
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"onlyIf", `
if err := enc.Encode(v); err != nil && much {
	return err
}
return nil
`, "err is not checked before the file is closed"},
	{"tolerated", `
if _, err := io.CopyN(f, r, 9); err != nil && err != io.EOF {
	return err
}
return nil
`, "err is not checked before the file is closed"},
	{"someErrors", `
if err := enc.Encode(v); errors.Is(err, io.ErrShortWrite) {
	return err
}
return nil
`, "err is not checked before the file is closed"},
	{"checkedSometimes", `
err = enc.Encode(v)
if much {
	if err != nil {
		return err
	}
}
return nil
`, "err is not checked before the file is closed"},
	{"checkedEither", `
err = enc.Encode(v)
if much {
	if err != nil {
		return err
	}
} else if err != nil {
	return err
}
return nil
`, ""},
	{"later", `
err = enc.Encode(v)
log.Print("saved")
fmt.Fprintln(f)
if err != nil {
	return err
}
return nil
`, ""},
	{"reset", `
err = enc.Encode(v)
if much {
	err = nil
}
return err
`, "err is overwritten before it is checked"},
	{"moved", `
err2 := enc.Encode(v)
err = err2
return err
`, "err2 is not checked before the file is closed"},
	{"joined", `
err = errors.Join(enc.Encode(v), v.check())
return err
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"joinedLost", `
err = errors.Join(enc.Encode(v), v.check())
if err != nil {
	log.Print(err)
}
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"joinedOther", `
err1 := enc.Encode(v)
err2 := v.check()
err = errors.Join(err1, err2)
if err != nil {
	return err
}
return nil
`, "err1 is not checked before the file is closed"},
	{"appended", `
var errs []error
errs = append(errs, enc.Encode(v))
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"field", `
st.err = enc.Encode(v)
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"declared", `
var err2 = enc.Encode(v)
log.Print(err2)
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"two", `
n, err := 1, enc.Encode(v)
log.Print(n, err)
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"boolean", `
ok := enc.Encode(v) == nil
log.Print(ok)
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"logged", `
report(enc.Encode(v))
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"wrappedOwn", `
if err := lenient(enc.Encode(v)); err != nil {
	return err
}
return nil
`, "the error of enc.Encode may be dropped, and the content be incomplete"},
	{"captured", `
write := func() {
	err = enc.Encode(v)
}
write()
return nil
`, "a goroutine or a function literal uses enc"},
	{"capturedEach", `
visit(v, func(x any) bool {
	err = enc.Encode(x)
	return err == nil
})
return nil
`, "a goroutine or a function literal uses enc"},
	{"capturedReturn", `
write := func() error {
	if err := enc.Encode(v); err != nil {
		log.Print(err)
	}
	return nil
}
if err := write(); err != nil {
	return err
}
return nil
`, "a goroutine or a function literal uses enc"},
	{"literalLost", `
write := func(x any) error {
	return enc.Encode(x)
}
if err := write(v); err != nil {
	log.Print(err)
}
return nil
`, "a goroutine or a function literal uses enc"},
	{"literalDefers", `
write := func() error {
	zw := zip.NewWriter(f)
	defer zw.Close()
	return nil
}
return write()
`, "a goroutine or a function literal uses f"},
	{"literalNow", `
err = func() error {
	if err := enc.Encode(v); err != nil {
		log.Print(err)
	}
	return nil
}()
return err
`, "a goroutine or a function literal uses enc"},
	{"literalDrops", `
func() {
	enc.Encode(v)
}()
return nil
`, "a goroutine or a function literal uses enc"},
	{"checker", `
err = enc.Encode(v)
failed := func() bool { return err != nil }
if failed() {
	return err
}
return nil
`, "err is not checked before the file is closed"},
	{"gives", `
zw := zip.NewWriter(f)
_, err = zw.Create("v")
if cerr := zw.Close(); cerr != nil && err == nil {
	err = cerr
}
return err
`, "cerr is not checked before the file is closed"},
	{"givesLost", `
zw := zip.NewWriter(f)
_, err = zw.Create("v")
if cerr := zw.Close(); cerr != nil && err == nil {
	log.Print(cerr)
}
return err
`, "cerr is not checked before the file is closed"},
	{"resetNil", `
err = enc.Encode(v)
if err == io.EOF {
	err = nil
}
return err
`, "err is overwritten before it is checked"},
	{"wrapsLater", `
if err = enc.Encode(v); err != nil {
	err = fmt.Errorf("save: %w", err)
}
return err
`, ""},
	{"logsLater", `
if err = enc.Encode(v); err != nil {
	_, err = fmt.Fprintln(os.Stderr, err)
}
return err
`, "err is overwritten before it is checked"},
	{"replaced", `
if err = enc.Encode(v); err != nil {
	err = v.check()
}
return err
`, "err is overwritten before it is checked"},
	{"not", `
if err := enc.Encode(v); !(err == nil) {
	return err
}
return nil
`, "err is not checked before the file is closed"},
	{"either", `
if err := enc.Encode(v); err == nil || much {
	return nil
} else {
	return err
}
`, "err is not checked before the file is closed"},
	{"orElse", `
if err := enc.Encode(v); err != nil || much {
	return err
}
return nil
`, ""},
	{"walks", `
if err := walk(func(x any) error {
	err := enc.Encode(x)
	if err != nil {
		return fmt.Errorf("walk: %w", err)
	}
	return nil
}); err != nil {
	return err
}
return nil
`, "a goroutine or a function literal uses enc"},
	{"loopChecks", `
for i := range 3 {
	if err := enc.Encode(i); err != nil {
		return err
	}
}
return nil
`, ""},
	{"loopContinues", `
for i := range 3 {
	err := enc.Encode(i)
	if much {
		continue
	}
	if err != nil {
		return err
	}
}
return nil
`, "err is not checked before the file is closed"},
	{"loopBreaks", `
for i := range 3 {
	err = enc.Encode(i)
	if much {
		break
	}
	if err != nil {
		return err
	}
}
return nil
`, "err is not checked before the file is closed"},
	{"loopBreaksChecked", `
for i := range 3 {
	err = enc.Encode(i)
	if much {
		break
	}
	if err != nil {
		return err
	}
}
if err != nil {
	return err
}
return nil
`, ""},
	{"switchBodies", `
switch {
case much:
	err = enc.Encode(v)
default:
	err = enc.Encode(1)
}
if err != nil {
	return err
}
return nil
`, ""},
}

func TestErrorsOfWrites(t *testing.T) {
	t.Parallel()
	for _, test := range errorsOfWrites {
		t.Run(test.name, func(t *testing.T) {
			text, err := format.Source([]byte(errorsHead + test.text + "}\n"))
			if err != nil {
				t.Fatal(err)
			}
			p, err := check(text)
			if err != nil {
				t.Fatal(err)
			}
			fs := findings(p.pass)
			subsets(t, p, planned(p, fs))
			if len(fs) != 1 || reason(fs[0]) != test.reason || (fs[0].Fix == nil) != (test.reason != "") {
				t.Errorf("%d findings, refused because %q, want %q", len(fs), fs[0].NoFix, test.reason)
			}
		})
	}
}
