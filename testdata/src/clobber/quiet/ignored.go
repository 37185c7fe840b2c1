package quiet

import (
	"encoding/json"
	"os"
)

// put says above the error that it is let be, and take beside it.
func put(path, coin string) error {
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	coins := map[string]int{}
	data, err := os.ReadFile(path + "/purse.json")
	if err == nil {
		// Ignore the error: a crash while it was written leaves nothing to keep.
		_ = json.Unmarshal(data, &coins)
	} else if !os.IsNotExist(err) {
		return err
	}
	coins[coin]++
	if data, err = json.Marshal(coins); err != nil {
		return err
	}
	return replace(path+"/purse.json", data)
}

func take(path, coin string) error {
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	coins := map[string]int{}
	data, err := os.ReadFile(path + "/purse.json")
	if err == nil {
		_ = json.Unmarshal(data, &coins) // ignore errors of broken files
	} else if !os.IsNotExist(err) {
		return err
	}
	coins[coin]--
	if data, err = json.Marshal(coins); err != nil {
		return err
	}
	return replace(path+"/purse.json", data)
}
