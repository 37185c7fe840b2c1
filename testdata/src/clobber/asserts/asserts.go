// Package asserts goes on only where a file could be loaded: functions that are handed its error end the
// program.
package asserts

import (
	"encoding/json"
	"log"
	"os"

	"clobber/asserts/util"

	"github.com/spf13/cobra"
)

type settings struct{ Keys map[string]string }

func load(path string) (s settings, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

func save(path string, s settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(path, data)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func checked(err error) { check(err) }

func told(err error) {
	if err != nil {
		log.Print(err)
	}
}

func setChecked(key, value string) {
	unlock, err := lock("checked-settings.json")
	check(err)
	defer unlock()
	s, err := load("checked-settings.json")
	check(err)
	s.Keys[key] = value
	check(save("checked-settings.json", s))
}

func setTwice(key, value string) {
	unlock, err := lock("twice-settings.json")
	check(err)
	defer unlock()
	s, err := load("twice-settings.json")
	checked(err)
	s.Keys[key] = value
	check(save("twice-settings.json", s))
}

func setElsewhere(key, value string) {
	unlock, err := lock("elsewhere-settings.json")
	check(err)
	defer unlock()
	s, err := load("elsewhere-settings.json")
	util.Check("load", err)
	s.Keys[key] = value
	util.Check("save", save("elsewhere-settings.json", s))
}

func setAny(key, value string) {
	unlock, err := lock("any-settings.json")
	check(err)
	defer unlock()
	s, err := load("any-settings.json")
	util.Must(err)
	s.Keys[key] = value
	util.Must(save("any-settings.json", s))
}

func setCommand(key, value string) {
	unlock, err := lock("command-settings.json")
	check(err)
	defer unlock()
	s, err := load("command-settings.json")
	cobra.CheckErr(err)
	s.Keys[key] = value
	cobra.CheckErr(save("command-settings.json", s))
}

func setOrPanics(key, value string) {
	unlock, err := lock("panics-settings.json")
	check(err)
	defer unlock()
	s, err := load("panics-settings.json")
	must(err)
	s.Keys[key] = value
	must(save("panics-settings.json", s))
}

func setNamed(key, value string) {
	unlock, err := lock("named-settings.json")
	check(err)
	defer unlock()
	s, err := load("named-settings.json") // want `setNamed takes a file that cannot be loaded for an empty one, and saves that over named-settings\.json`
	util.CheckErr(err)
	s.Keys[key] = value
	check(save("named-settings.json", s))
}

func setTold(key, value string) {
	unlock, err := lock("told-settings.json")
	check(err)
	defer unlock()
	s, err := load("told-settings.json") // want `setTold takes a file that cannot be loaded for an empty one, and saves that over told-settings\.json`
	told(err)
	s.Keys[key] = value
	check(save("told-settings.json", s))
}

func some(err error) {
	err = nothing(err)
	if err != nil {
		log.Fatal(err)
	}
}

func nothing(error) error { return nil }

func setSome(key, value string) {
	unlock, err := lock("some-settings.json")
	check(err)
	defer unlock()
	s, err := load("some-settings.json") // want `setSome takes a file that cannot be loaded for an empty one, and saves that over some-settings\.json`
	some(err)
	s.Keys[key] = value
	check(save("some-settings.json", s))
}

func setOther(key, value string, other error) {
	unlock, err := lock("other-settings.json")
	check(err)
	defer unlock()
	s, err := load("other-settings.json") // want `setOther takes a file that cannot be loaded for an empty one, and saves that over other-settings\.json`
	told(err)
	check(other)
	s.Keys[key] = value
	check(save("other-settings.json", s))
}
