// Sessionwriter records the commands that an agent gives to a desktop
// application, so that they can be undone and the session resumed.
//
//	sessionwriter record -app audio -file session.json   commands from standard input, one per line
//	sessionwriter show   -app audio -file session.json
//
// Each command is saved before it is acknowledged. The exit code is 3 when
// the session file is damaged.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"

	"example.com/sessionwriter/internal/session"
)

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "sessionwriter:", err)
	if errors.Is(err, session.ErrDamaged) {
		os.Exit(3)
	}
	os.Exit(1)
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("usage: sessionwriter record|show [flags]")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	app := flags.String("app", "image", "application: image, audio, video, diagram or document")
	file := flags.String("file", "session.json", "session file")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}

	s, err := session.Open(*app, *file)
	if err != nil {
		return err
	}
	switch args[0] {
	case "record":
		return record(s, *file, in, out)
	case "show":
		return show(s, out)
	}
	return fmt.Errorf("unknown command %q", args[0])
}

// record applies each line of in to the session and answers with the number of the saved step.
func record(s *session.Session, file string, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		step := s.Record(lines.Text(), toneCurve(s.LastStep))
		if err := s.Save(file); err != nil {
			return err
		}
		fmt.Fprintf(out, "saved %d\n", step.Number)
	}
	return lines.Err()
}

func show(s *session.Session, out io.Writer) error {
	fmt.Fprintf(out, "%s %s: %d steps\n", s.App, s.Project, s.LastStep)
	for _, step := range s.Undo {
		fmt.Fprintf(out, "%4d  %s\n", step.Number, step.Command)
	}
	return nil
}

// toneCurve returns the curve that a step replaces and undo brings back.
func toneCurve(step int) []float64 {
	curve := make([]float64, 256)
	for i := range curve {
		curve[i] = math.Pow(float64(i)/255, 1/(1+float64(step%32)/16))
	}
	return curve
}
