package quiet

import (
	"encoding/json"
	"os"
	"sync"
	"sync/atomic"

	"github.com/lockvet/lockvet/safeio"
)

var (
	booksMu sync.Mutex
	books   = map[string]int{}
	shelf   string
	loans   int
	turns   atomic.Int64

	cacheMu sync.Mutex
	cache   = map[string]string{}
	hits    int
)

func init() {
	books["none"] = 0
	booksMu.Lock()
	defer booksMu.Unlock()
	shelf = "first"
}

func lend(name string) error {
	booksMu.Lock()
	defer booksMu.Unlock()
	books[name]++
	loans++
	return saveBooks()
}

func giveBack(name string) error {
	booksMu.Lock()
	defer booksMu.Unlock()
	books[name]--
	shelf = name
	loans--
	return saveBooks()
}

// saveBooks is called with the mutex held.
func saveBooks() error {
	data, err := json.Marshal(books)
	if err != nil {
		return err
	}
	return safeio.WriteFile("/var/lib/library/books.json", data, 0o600)
}

// setUpShelf runs before anything else.
func setUpShelf(name string) {
	shelf = name
	booksMu.Lock()
	defer booksMu.Unlock()
	books[name] = 1
}

// resetLoans has no thought of the mutex, and so loans may need none.
func resetLoans() { loans = 0 }

func countLoan() error {
	loans++
	booksMu.Lock()
	defer booksMu.Unlock()
	return saveBooks()
}

// turn counts with an atomic.
func turn() error {
	turns.Add(1)
	booksMu.Lock()
	defer booksMu.Unlock()
	return saveBooks()
}

// move holds another mutex.
func move(name string) error {
	cacheMu.Lock()
	defer cacheMu.Unlock()
	shelf = name
	booksMu.Lock()
	defer booksMu.Unlock()
	return saveBooks()
}

// dropLocked has the mutex on entry, lets go of it and takes it again.
func dropLocked(name string) {
	delete(books, name)
	booksMu.Unlock()
	os.Remove("/var/lib/library/books.bak")
	booksMu.Lock()
}

// erase has it on entry and does not say so.
func erase(name string) {
	delete(books, name)
	dropLocked(name)
}

func eraseAll(names []string) {
	booksMu.Lock()
	defer booksMu.Unlock()
	for _, name := range names {
		erase(name)
	}
}

// The cache is in memory only: no file is written under its mutex.
func cached(name string) string {
	hits++
	cacheMu.Lock()
	defer cacheMu.Unlock()
	return cache[name]
}

func fill(name, text string) {
	cacheMu.Lock()
	defer cacheMu.Unlock()
	cache[name] = text
	hits = 0
}

// local has a variable of its own by the name.
func local() error {
	shelf := "mine"
	booksMu.Lock()
	defer booksMu.Unlock()
	books[shelf] = 1
	return saveBooks()
}

// closeBooks hands the mutex over to a goroutine.
func closeBooks() {
	booksMu.Lock()
	shelf = ""
	go func() {
		defer booksMu.Unlock()
		books = map[string]int{}
		saveBooks()
	}()
}

// settleBooks is started with the mutex that another has taken.
func settleBooks() {
	shelf = ""
	saveBooks()
	booksMu.Unlock()
}

func beginBooks() {
	booksMu.Lock()
	go settleBooks()
}

// borrowBooks gives the mutex to its caller.
func borrowBooks() func() {
	booksMu.Lock()
	return booksMu.Unlock
}

func sortBooks() {
	defer borrowBooks()()
	shelf = "sorted"
}
