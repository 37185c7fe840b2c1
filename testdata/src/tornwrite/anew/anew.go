// Package anew makes files where there are none, or none that can be loaded.
package anew

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

type key struct{ Secret string }

func loadKey(path string) (*key, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	k := &key{}
	if err := json.Unmarshal(data, k); err != nil {
		return nil, err
	}
	return k, nil
}

func saveKey(path string, k *key) error {
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// identity makes the key again where there is none, and where it is torn.
func identity(dir string) (*key, error) {
	path := filepath.Join(dir, "state", "identity.json")
	k, err := loadKey(path) // want `where dir/state/identity.json cannot be decoded, identity saves something else over it`
	if err != nil {
		raw := make([]byte, 16)
		rand.Read(raw)
		k = &key{Secret: hex.EncodeToString(raw)}
		if err := saveKey(path, k); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// start is led through identity, whatever it does besides.
func start(dir string) string {
	k, err := identity(dir)
	if err != nil {
		return ""
	}
	return k.Secret
}

type token struct{ Value string }

func loadToken(path string) (*token, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &token{}
	return t, json.Unmarshal(data, t)
}

// renew also replaces a token that could be loaded.
func renew(dir string, expired func(*token) error) (*token, error) {
	path := filepath.Join(dir, "state", "token.json")
	t, err := loadToken(path)
	if err == nil {
		err = expired(t)
	}
	if err != nil {
		t = &token{Value: "new"}
		data, err := json.Marshal(t)
		if err != nil {
			return nil, err
		}
		return t, os.WriteFile(path, data, 0o600) // want `renew truncates dir/state/token.json`
	}
	return t, nil
}

type config struct{ Interval int }

func configFile(dir string) string { return filepath.Join(dir, "agent", "config.json") }

func readConfig(dir string) (config, error) {
	c := config{}
	data, err := os.ReadFile(configFile(dir))
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(data, &c)
}

// ensure writes what it makes up, once.
func ensure(dir string) error {
	path := configFile(dir)
	if _, err := os.Stat(path); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	data, err := json.MarshalIndent(config{Interval: 30}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// refuse ends the program where the file is there.
func refuse(dir string, c config) {
	path := configFile(dir)
	data, err := json.Marshal(c)
	if err != nil {
		fail(err)
	}
	if _, err := os.Stat(path); err == nil {
		fail(fs.ErrExist)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil { /* warning */ // want `refuse truncates`
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// pair makes a certificate and its key anew where one of them is missing: a torn certificate has no
// key beside it, and a torn key a certificate.
func pair(dir string) (tls.Certificate, error) {
	cert, secret := filepath.Join(dir, "agent", "agent.crt"), filepath.Join(dir, "agent", "agent.key")
	if !exists(cert) || !exists(secret) {
		if err := writePair(cert, secret); err != nil {
			return tls.Certificate{}, err
		}
	}
	public, err := os.ReadFile(cert)
	if err != nil {
		return tls.Certificate{}, err
	}
	private, err := os.ReadFile(secret)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(public, private)
}

func writePair(cert, secret string) error {
	drawn := make([]byte, 32)
	if _, err := rand.Read(drawn); err != nil {
		return err
	}
	if err := os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: drawn}), 0o644); /* warning */ err != nil { // want `writePair`
		return err
	}
	return os.WriteFile(secret, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: drawn}), 0o600) /* error */ // want `writePair`
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// first is asked for the same by a function that answers.
func first(dir string) error {
	path := filepath.Join(dir, "agent", "schedule.json")
	if exists(path) {
		return nil
	}
	return writeSchedule(path)
}

func writeSchedule(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintln(f, `{"jobs": []}`)
	return err
}

func schedule(dir string) (jobs map[string]any, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "agent", "schedule.json"))
	if err != nil {
		return nil, err
	}
	return jobs, json.Unmarshal(data, &jobs)
}

// migrate copies what somebody has, and never looks at it again.
func migrate(dir, old string) error {
	path := filepath.Join(dir, "agent", "machine.json")
	if exists(path) {
		return nil
	}
	data, err := os.ReadFile(old)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `migrate truncates dir/agent/machine.json`
}

func machine(dir string) (m map[string]string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "agent", "machine.json"))
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

// record keeps what it is given, once.
func record(dir string, session map[string]string) error {
	path := filepath.Join(dir, "agent", "session.json")
	if exists(path) {
		return nil
	}
	data, err := json.Marshal(session)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `record truncates dir/agent/session.json`
}

func session(dir string) (m map[string]string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "agent", "session.json"))
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

type book struct {
	path string
	rows map[string]string
}

func (b *book) load() error {
	data, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &b.rows)
}

func (b *book) save() error {
	data, err := json.Marshal(b.rows)
	if err != nil {
		return err
	}
	return os.WriteFile(b.path, data, 0o600) // want `\(\*book\).save truncates b.path`
}

var errUnknown = errors.New("unknown")

func (b *book) find(name string) (*string, error) {
	if err := b.load(); err != nil {
		return nil, err
	}
	row, ok := b.rows[name]
	if !ok {
		return nil, errUnknown
	}
	return &row, nil
}

// add writes where a row of the file is not there, not the file.
func (b *book) add(name string) error {
	if _, err := b.find(name); err == nil {
		return errors.New("there is one")
	} else if err != errUnknown {
		return err
	}
	b.rows[name] = "new"
	return b.save()
}

// patrol also writes where the file is there, after some rounds.
func patrol(dir string, names []string) error {
	path := filepath.Join(dir, "agent", "patrols.json")
	if _, err := os.Stat(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	rounds := 0
	for _, name := range names {
		if name != "" {
			rounds++
		}
	}
	if rounds < 5 {
		return nil
	}
	data, err := json.Marshal(config{Interval: 5})
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `patrol truncates dir/agent/patrols.json`
}

func patrols(dir string) (c config, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "agent", "patrols.json"))
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(data, &c)
}

func saveLimits(path string) error {
	data, err := json.Marshal(config{Interval: 8})
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `saveLimits truncates dir/agent/limits.json`
}

func limitsFile(dir string) string { return filepath.Join(dir, "agent", "limits.json") }

func limits(dir string) (m map[string]int, err error) {
	data, err := os.ReadFile(limitsFile(dir))
	if os.IsNotExist(err) {
		return nil, saveLimits(limitsFile(dir))
	}
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

// reset comes to the same write with no question.
func reset(dir string) error { return saveLimits(limitsFile(dir)) }

func quotaFile(dir string) string { return filepath.Join(dir, "agent", "quota.json") }

// quota asks the error alone.
func quota(dir string) (c config, err error) {
	data, err := os.ReadFile(quotaFile(dir))
	if os.IsNotExist(err) {
		data, err := json.Marshal(config{Interval: 1})
		if err != nil {
			return c, err
		}
		return c, os.WriteFile(quotaFile(dir), data, 0o600)
	}
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(data, &c)
}

// credentials are two files that are loaded by one call.
func credentials(dir string, generate func() (cert, key []byte)) (tls.Certificate, error) {
	certFile, keyFile := filepath.Join(dir, "state", "cert.json"), filepath.Join(dir, "state", "key.json")
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		cert, key := generate()
		if err := os.WriteFile(certFile, cert, 0o600); err != nil {
			return pair, err
		}
		if err := os.WriteFile(keyFile, key, 0o600); err != nil {
			return pair, err
		}
		return tls.X509KeyPair(cert, key)
	}
	return pair, nil
}

func jobsFile(dir string) string { return filepath.Join(dir, "agent", "jobs.json") }

type jobs struct{ Waiting []string }

func loadJobs(dir string) (*jobs, error) {
	j := &jobs{}
	data, err := os.ReadFile(jobsFile(dir))
	if err != nil {
		return nil, err
	}
	return j, json.Unmarshal(data, j)
}

// drain empties the list of what could be loaded.
func drain(dir string) error {
	j, err := loadJobs(dir)
	if err != nil {
		return err
	}
	if len(j.Waiting) > 0 {
		data, err := json.Marshal(jobs{})
		if err != nil {
			return err
		}
		return os.WriteFile(jobsFile(dir), data, 0o600) // want `drain truncates dir/agent/jobs.json`
	}
	return nil
}

func noteFile(dir, name string) string { return filepath.Join(dir, "notes", name+".json") }

func readNote(dir, name string) (m map[string]string, err error) {
	data, err := os.ReadFile(noteFile(dir, name))
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

// cautious looks only where it is told to.
func cautious(dir string, look bool) error {
	path := noteFile(dir, "cautious")
	if look {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
	}
	data, err := json.Marshal(config{Interval: 2})
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `cautious truncates`
}

// The others write, once, what somebody else knows.

func moved(dir, old string) error {
	path := noteFile(dir, "moved")
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	data, err := os.ReadFile(old)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `moved truncates`
}

func told(dir, text string) error {
	path := noteFile(dir, "told")
	if exists(path) {
		return nil
	}
	return os.WriteFile(path, []byte(text), 0o600) // want `told truncates`
}

func printed(dir string, m map[string]string) error {
	path := noteFile(dir, "printed")
	if exists(path) {
		return nil
	}
	f, err := os.Create(path) // want `printed truncates`
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(f, "%v", m); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func fetched(dir string, store interface{ FetchNote() ([]byte, error) }) error {
	path := noteFile(dir, "fetched")
	if exists(path) {
		return nil
	}
	data, err := store.FetchNote()
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `fetched truncates`
}

func readRaw(path string) ([]byte, error) { return os.ReadFile(path) }

func raw(dir string, m map[string]string) error {
	path := noteFile(dir, "raw")
	if _, err := readRaw(path); err == nil {
		return nil
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `raw truncates`
}

func opened(dir string, m map[string]string) error {
	path := noteFile(dir, "opened")
	if f, err := os.Open(path); err == nil {
		return f.Close()
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `opened truncates`
}

func toldNote(dir string) (m map[string]string, err error) {
	data, err := os.ReadFile(noteFile(dir, "told"))
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

func printedNote(dir string) (m map[string]string, err error) {
	data, err := os.ReadFile(noteFile(dir, "printed"))
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

func fetchedNote(dir string) (m map[string]string, err error) {
	data, err := os.ReadFile(noteFile(dir, "fetched"))
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

func keyOf(dir string) (m map[string]string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "state", "key.json"))
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

// secret is drawn from the system: nobody had it before, and what it encrypts is lost with it.
func secret(dir string) ([]byte, error) {
	path := filepath.Join(dir, "agent", "secret.key")
	data, err := os.ReadFile(path)
	if err == nil {
		return data, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	data = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	return data, os.WriteFile(path, data, 0o600) /* warning */ // want `secret truncates dir/agent/secret.key`
}
