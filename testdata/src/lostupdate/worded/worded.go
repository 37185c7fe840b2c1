package worded

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/lockvet/lockvet/safeio"
	"github.com/pkg/errors"
)

var homeAccountsPath = "accounts.json"

// add wraps errors in words, and what is wrapped cannot be asked for.
func add(name string) error {
	data, err := os.ReadFile(homeAccountsPath)
	if err != nil {
		return fmt.Errorf("error reading accounts: %v", err)
	}
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return fmt.Errorf("error unmarshalling accounts: %v", err)
	}
	out, err := json.Marshal(append(names, name))
	if err != nil {
		return fmt.Errorf("error marshalling accounts: %v", err)
	}
	if err := safeio.WriteFile(homeAccountsPath, out, 0o600); err != nil { // want `add loads worded.homeAccountsPath`
		return fmt.Errorf("error writing accounts: %v", err)
	}
	return nil
}

// set wraps them by a function that takes the error first.
func set(configPath, key, value string) (int, error) {
	data, err := os.ReadFile(configPath)
	if err != nil {
		return 0, errors.Wrapf(err, "Unable to load config %s", configPath)
	}
	values := map[string]string{}
	if err := json.Unmarshal(data, &values); err != nil {
		return 0, errors.Wrap(err, "Unable to decode config")
	}
	values[key] = value
	out, err := json.Marshal(values)
	if err != nil {
		return 0, errors.Wrap(err, "Unable to encode config")
	}
	if err := safeio.WriteFile(configPath, out, 0o600); err != nil { // want `set loads configPath`
		return 0, errors.Wrap(err, "Unable to save config")
	}
	return len(values), nil
}

// drop wraps them by a function that its package has with a format alone.
func drop(statePath, key string) error {
	data, err := os.ReadFile(statePath)
	if err != nil {
		return errors.WithMessagef(err, "Loading %s", statePath)
	}
	values := map[string]string{}
	if err := json.Unmarshal(data, &values); err != nil {
		return errors.WithMessagef(err, "Decoding %s", statePath)
	}
	delete(values, key)
	out, err := json.Marshal(values)
	if err != nil {
		return errors.WithMessagef(err, "Encoding %s", statePath)
	}
	if err := safeio.WriteFile(statePath, out, 0o600); err != nil { // want `drop loads statePath`
		return errors.WithMessagef(err, "Saving %s", statePath)
	}
	return nil
}
