package across

import (
	"fmt"
	"os"

	known "lostupdate/across/registry"
)

var clusters = known.In(os.Getenv("CLUSTERS"))

// Forget has the name of the file from what has it.
func Forget(name string) error {
	list, err := clusters.Load()
	if err != nil {
		return err
	}
	delete(list, name)
	return clusters.Save(list) // want `Forget loads`
}

// Revoke has the name of the file from the package that has it, by the name of that here.
func Revoke(user, name string) error {
	list, err := known.Tokens(user)
	if err != nil {
		return err
	}
	delete(list, name)
	return known.SaveTokens(user, list) // want `Revoke loads`
}

// Unset has it from what can fail, and says so as it says the rest.
func Unset(name string) error {
	list, err := known.Default()
	if err != nil {
		return fmt.Errorf("load clusters: %w", err)
	}
	delete(list, name)
	if err := known.SaveDefault(list); err != nil { // want `Unset loads`
		return fmt.Errorf("save clusters: %w", err)
	}
	return nil
}

// Enter has the name of the file from a field that it may see.
func Enter(book *known.Book, name string) error {
	list, err := book.Load()
	if err != nil {
		return err
	}
	return book.Save(append(list, name)) // want `Enter loads`
}

// Strike has the object in a variable, and takes an entry out of a list with what is called as a release is.
func Strike(dir, name string) error {
	book := known.Open(dir)
	list, err := book.Load()
	if err != nil {
		return err
	}
	list = removeEntry(book, list, name)
	return book.Save(list) // want `Strike loads`
}

func removeEntry(_ *known.Book, list []string, name string) (left []string) {
	for _, s := range list {
		if s != name {
			left = append(left, s)
		}
	}
	return left
}
