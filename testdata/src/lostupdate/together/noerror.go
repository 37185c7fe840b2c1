package together

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
)

type visits struct{ N int }

// visit returns no error, and says so where it cannot load the file.
func visit(dir string) {
	path := filepath.Join(dir, "visits.json")
	data, err := os.ReadFile(path)
	if err != nil {
		log.Printf("count the visit: %v", err)
		return
	}
	var v visits
	if err := json.Unmarshal(data, &v); err != nil {
		log.Printf("count the visit: %v", err)
		return
	}
	v.N++
	if data, err = json.Marshal(v); err != nil {
		log.Printf("count the visit: %v", err)
		return
	}
	if err := replace(path, data); err != nil { // want `visit loads dir/visits.json.*no fix: .*the function returns no error`
		log.Printf("count the visit: %v", err)
	}
}

// forgetVisits saves the same file, and has no error of a load to go by.
func forgetVisits(dir string) {
	if err := replace(filepath.Join(dir, "visits.json"), []byte("{}")); err != nil {
		log.Printf("forget the visits: %v", err)
		return
	}
}
