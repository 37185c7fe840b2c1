package safeio_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"time"

	"github.com/lockvet/lockvet/safeio"
)

func ExampleUpdate() {
	path, clean := inTempDir("hosts")
	defer clean()

	add := func(host string) error {
		return safeio.Update(path, 0o644, func(old []byte) ([]byte, error) {
			return append(old, host+"\n"...), nil
		})
	}
	fmt.Println(add("alpha"), add("beta"))
	show(path)
	// Output:
	// <nil> <nil>
	// alpha
	// beta
}

// An error of the function leaves the file as it is.
func ExampleUpdate_error() {
	path, clean := inTempDir("seat")
	defer clean()

	errTaken := errors.New("taken")
	claim := func(who string) error {
		return safeio.Update(path, 0o644, func(old []byte) ([]byte, error) {
			if old != nil { // the file exists
				return nil, errTaken
			}
			return []byte(who), nil
		})
	}
	fmt.Println(claim("ada"))
	fmt.Println(claim("bob"))
	show(path)
	// Output:
	// <nil>
	// taken
	// ada
}

func ExampleUpdateContext() {
	path, clean := inTempDir("log")
	defer clean()

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := safeio.UpdateContext(ctx, path, 0o644, func(old []byte) ([]byte, error) {
		return append(old, "started\n"...), nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		fmt.Println("another program has held the lock for a minute; nothing has changed")
	}
	show(path)
	// Output: started
}

type config struct {
	User    string `json:"user"`
	Retries int    `json:"retries"`
}

func ExampleReadJSON() {
	path, clean := inTempDir("config.json")
	defer clean()

	c, err := safeio.ReadJSON[config](path)
	if errors.Is(err, fs.ErrNotExist) { // and only then: a broken file is no reason to start anew
		c, err = config{User: "nobody", Retries: 3}, nil
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.User, c.Retries)
	// Output: nobody 3
}

func ExampleWriteJSON() {
	path, clean := inTempDir("config.json")
	defer clean()

	if err := safeio.WriteJSON(path, config{User: "ada", Retries: 5}, 0o600); err != nil {
		log.Fatal(err)
	}
	show(path)
	// Output:
	// {
	//   "user": "ada",
	//   "retries": 5
	// }
}

func ExampleUpdateJSON() {
	path, clean := inTempDir("config.json")
	defer clean()

	err := safeio.UpdateJSON(path, 0o600, func(c *config) error {
		c.Retries++
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	show(path)
	// Output:
	// {
	//   "user": "",
	//   "retries": 1
	// }
}

// Fields that this version of the program does not know stay in the file.
func ExampleUpdateJSON_unknownFields() {
	path, clean := inTempDir("config.json")
	defer clean()
	safeio.WriteFile(path, []byte(`{"theme":"dark","user":"ada","retries":1}`), 0o600)

	err := safeio.UpdateJSON(path, 0o600, func(c *config) error {
		c.User = "bob"
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	show(path)
	// Output:
	// {
	//   "user": "bob",
	//   "retries": 1,
	//   "theme": "dark"
	// }
}

func ExampleUpdateJSONContext() {
	path, clean := inTempDir("config.json")
	defer clean()

	ctx, cancel := context.WithCancel(context.Background())
	cancel() // the user interrupts
	err := safeio.UpdateJSONContext(ctx, path, 0o600, func(c *config) error {
		c.Retries++
		return nil
	})
	fmt.Println(errors.Is(err, context.Canceled))
	show(path)
	// Output:
	// true
	// no file
}

func ExampleState() {
	path, clean := inTempDir("session.json")
	defer clean()

	type session struct{ Messages []string }
	state := safeio.NewState[session](path, 0o600)
	err := state.Update(context.Background(), func(s *session) error {
		s.Messages = append(s.Messages, "hello")
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}

	// An interrupted update is neither in memory nor in the file.
	interrupted, cancel := context.WithCancel(context.Background())
	cancel()
	err = state.Update(interrupted, func(s *session) error {
		s.Messages = append(s.Messages, "phantom")
		return nil
	})
	fmt.Println(errors.Is(err, context.Canceled))

	now, err := state.Get()
	fmt.Println(now.Messages, err)
	// Output:
	// true
	// [hello] <nil>
}

func ExampleNewState() {
	path, clean := inTempDir("count.json")
	defer clean()

	here, elsewhere := safeio.NewState[int](path, 0o600), safeio.NewState[int](path, 0o600)
	count := func(n *int) error { *n++; return nil }
	for _, s := range []*safeio.State[int]{here, elsewhere} { // as in two processes
		if err := s.Update(context.Background(), count); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(here.Get())
	// Output: 2 <nil>
}
