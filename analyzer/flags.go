package analyzer

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lockvet/lockvet/internal/nearest"
	"github.com/lockvet/lockvet/internal/verdict"
)

// checkNames is a flag that lists checks and, where it takes them, variants; it refuses
// names that are none.
type checkNames struct {
	list     *[]string
	variants bool
}

func (f checkNames) String() string {
	if f.list == nil {
		return ""
	}
	return strings.Join(*f.list, ",")
}

func (f checkNames) Get() any { return *f.list }

func (f checkNames) Set(text string) error {
	names := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	for _, n := range names {
		switch {
		case slices.Contains(Checks(), n), f.variants && slices.Contains(Names(), n):
		case strings.Contains(n, "/") && f.variants:
			_, err := nearest.Of("variant", n, Names())
			return err
		default:
			return unknown(n)
		}
	}
	*f.list = names
	return nil
}

// ruleIDs is a flag that lists rules by their IDs; it refuses those that are none.
type ruleIDs struct{ list *[]string }

func (f ruleIDs) String() string {
	if f.list == nil {
		return ""
	}
	return strings.Join(*f.list, ",")
}

func (f ruleIDs) Get() any { return *f.list }

func (f ruleIDs) Set(text string) error {
	ids := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	for _, id := range ids {
		if _, err := verdict.Find(id); err != nil {
			return err
		}
	}
	*f.list = ids
	return nil
}

// expression is a flag that holds a regular expression; empty for none.
type expression struct{ re **regexp.Regexp }

func (f expression) String() string {
	if f.re == nil || *f.re == nil {
		return ""
	}
	return (*f.re).String()
}

func (f expression) Set(text string) error {
	if text == "" {
		*f.re = nil
		return nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return err
	}
	*f.re = re
	return nil
}

// steps is a flag that holds how many steps may be taken: one at least.
type steps struct{ n *int }

func (f steps) String() string {
	if f.n == nil {
		return ""
	}
	return strconv.Itoa(*f.n)
}

func (f steps) Get() any { return *f.n }

func (f steps) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return fmt.Errorf("%q is no number of steps", text)
	}
	*f.n = n
	return nil
}
