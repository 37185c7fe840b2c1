package safeio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// ReadJSON decodes the named file, which must hold one JSON value and nothing
// after it, as [json.Unmarshal] does. It takes no lock, since what this package
// writes is found whole (but see "In place" in the package comment).
//
// If the file does not exist, the error matches [fs.ErrNotExist]. If it cannot
// be decoded (an empty file cannot), the error is a *fs.PathError that gives
// the offset in bytes and wraps the error of encoding/json; one of an
// UnmarshalJSON of the caller's has no offset. With any error the value is the
// zero value: nothing is half decoded. A special file or a directory is
// refused like by [Update].
func ReadJSON[T any](name string) (T, error) {
	data, _, err := readNamed(name)
	if err != nil {
		var none T
		return none, err
	}
	return decode[T](name, data)
}

// WriteJSON replaces the content of the named file by v as JSON, with all
// promises of [WriteFile]. The form is for people and for diff: indented by
// two spaces, a newline at the end, and <, > and & as they are. If v cannot be
// encoded, the file is left as it is.
func WriteJSON(name string, v any, perm fs.FileMode) error {
	return Options{}.WriteJSON(name, v, perm)
}

// WriteJSON is [WriteJSON] with options.
func (o Options) WriteJSON(name string, v any, perm fs.FileMode) error {
	data, err := encode(name, v)
	if err != nil {
		return err
	}
	return o.WriteFile(name, data, perm)
}

// UpdateJSON is [Update] of a file that holds a value as JSON: change alters
// the newest value, which is written in the form of [WriteJSON]. A file that
// does not exist holds the zero value.
//
// A file that cannot be decoded gives the error of [ReadJSON]; change is not
// called, and what the file holds stays there for someone to look at. If
// change leaves a value that has the same JSON as before, nothing is written,
// whatever the form of the file.
//
// Fields that T, a struct, does not have stay in the file as they are, behind
// those that it has: a newer version of the program may have put them
// there. Taking one away needs Update.
//
// What is not guaranteed: unknown fields of structs within T are lost when the
// value is written, unless T keeps them, for example as a
// map[string]json.RawMessage; so are those of a T with an UnmarshalJSON.
func UpdateJSON[T any](name string, perm fs.FileMode, change func(v *T) error) error {
	return UpdateJSONContext(context.Background(), name, perm, change)
}

// UpdateJSONContext is [UpdateJSON] that stops waiting when ctx is done, like
// [UpdateContext].
func UpdateJSONContext[T any](ctx context.Context, name string, perm fs.FileMode, change func(v *T) error) error {
	return UpdateJSONWith(ctx, Options{}, name, perm, change)
}

// UpdateJSONWith is [UpdateJSONContext] with options. It is no method of these,
// because methods have no type parameters.
func UpdateJSONWith[T any](ctx context.Context, o Options, name string, perm fs.FileMode, change func(v *T) error) error {
	return o.UpdateContext(ctx, name, perm, changeJSON(name, change))
}

// changeJSON is change for the bytes of the named file.
func changeJSON[T any](name string, change func(v *T) error) func([]byte) ([]byte, error) {
	return func(old []byte) ([]byte, error) {
		var v T
		if old != nil {
			var err error
			if v, err = decode[T](name, old); err != nil {
				return nil, err
			}
		}
		before, _ := encode(name, v) // nil for a zero value that has no JSON
		if err := change(&v); err != nil {
			return nil, err
		}
		after, err := encode(name, v)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(before, after) {
			return old, nil
		}
		return withUnknown[T](old, after), nil
	}
}

// withUnknown adds to after, as encode made it, the fields that the object old
// has and T does not. Without objects there is nothing to add.
func withUnknown[T any](old, after []byte) []byte {
	inner := bytes.TrimSuffix(after, []byte("}\n"))
	if len(inner) == len(after) || !unknown[T]("\x00") { // a map, for which all are known
		return after
	}
	have := map[string]bool{}
	for _, f := range fieldsOf(after) {
		have[f.name] = true
	}
	var rest [][]byte
	for _, f := range fieldsOf(old) {
		if !have[f.name] && unknown[T](f.name) {
			name, _ := json.Marshal(f.name)
			rest = append(rest, append(append(name, ':'), f.value...))
		}
	}
	if len(rest) == 0 {
		return after
	}
	var all, b bytes.Buffer
	all.Write(inner)
	if len(have) > 0 {
		all.WriteByte(',')
	}
	all.Write(bytes.Join(rest, []byte(",")))
	all.WriteByte('}')
	if err := json.Indent(&b, all.Bytes(), "", "  "); err != nil {
		return after // cannot be: all of it was valid
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// A field is one of a JSON object.
type field struct {
	name  string
	value json.RawMessage
}

// fieldsOf returns the fields of a JSON object in their order, and none of
// anything else.
func fieldsOf(data []byte) (fields []field) {
	d := json.NewDecoder(bytes.NewReader(data))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	for d.More() {
		var f field
		name, err := d.Token()
		if err == nil {
			err = d.Decode(&f.value)
		}
		if err != nil {
			return nil
		}
		f.name, _ = name.(string)
		fields = append(fields, f)
	}
	return fields
}

// unknown reports whether T is a struct that has no field of that name. The
// decoder is asked, since it alone knows all its rules; null is a value for
// each type.
func unknown[T any](name string) bool {
	key, _ := json.Marshal(name)
	object := append(append([]byte{'{'}, key...), ":null}"...)
	var v, w T
	strict := json.NewDecoder(bytes.NewReader(object))
	strict.DisallowUnknownFields()
	return json.Unmarshal(object, &v) == nil && strict.Decode(&w) != nil
}

// readNamed reads the file that name leads to.
func readNamed(name string) ([]byte, fs.FileInfo, error) {
	t, err := locate(name)
	if err != nil {
		return nil, nil, err
	}
	if t.special {
		return nil, nil, t.unfit("read")
	}
	return t.read()
}

func decode[T any](name string, data []byte) (T, error) {
	var v, none T
	err := json.Unmarshal(data, &v)
	if err != nil {
		return none, &fs.PathError{Op: "decode", Path: name, Err: located(err)}
	}
	return v, nil
}

// located adds to err where in the file it is. An UnmarshalJSON of the
// caller's own does not say.
func located(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("at byte %d: %w", syntax.Offset, err)
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("at byte %d: %w", kind.Offset, err)
	}
	return err
}

func encode(name string, v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, &fs.PathError{Op: "encode", Path: name, Err: err}
	}
	return b.Bytes(), nil
}
