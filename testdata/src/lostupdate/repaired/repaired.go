// Package repaired has a reader that repairs, and so saves, what it loads. All that goes on under a
// lock, of one file after the other.
package repaired

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"lostupdate/repaired/files"
)

type manager struct{ baseDir string }

type status struct {
	Status    string `json:"status"`
	ProcessID int    `json:"process_id"`
}

func (m *manager) withFileLock(name string, fn func(string) error) error {
	statusPath := m.getStatusFilePath(name)
	lockPath := m.getLockFilePath(name)
	fileLock := flock.New(lockPath)
	defer fileLock.Unlock()
	locked, err := fileLock.TryLock()
	if err != nil || !locked {
		return err
	}
	return fn(statusPath)
}

func (m *manager) getStatusFilePath(name string) string {
	return filepath.Join(m.baseDir, fmt.Sprintf("%s.json", name))
}

func (m *manager) getLockFilePath(name string) string {
	return filepath.Join(m.baseDir, fmt.Sprintf("%s.lock", name))
}

func (m *manager) readStatusFile(statusPath string) (*status, error) {
	data, err := os.ReadFile(statusPath)
	if err != nil {
		return nil, err
	}
	var statusFile status
	if json.Unmarshal(data, &statusFile) == nil {
		return &statusFile, nil
	}
	recoveredFile, recoveryErr := m.recovered(data)
	if recoveryErr != nil {
		return nil, recoveryErr
	}
	if err := m.writeStatusFile(statusPath, *recoveredFile); err != nil {
		log.Print(err)
	}
	return recoveredFile, nil
}

func (*manager) recovered(data []byte) (*status, error) {
	str := string(data)
	var statusFile status
	cleaned := strings.TrimSpace(str)
	if err := json.Unmarshal([]byte(cleaned), &statusFile); err == nil {
		if statusFile.Status != "" {
			return &statusFile, nil
		}
	}
	return nil, fmt.Errorf("nothing can be recovered")
}

func (*manager) writeStatusFile(statusPath string, statusFile status) error {
	data, err := json.MarshalIndent(statusFile, "", "  ")
	if err != nil {
		return err
	}
	return files.Replace(statusPath, data)
}

func (m *manager) loadAll() (map[string]int, error) {
	found, err := filepath.Glob(filepath.Join(m.baseDir, "*.json"))
	if err != nil {
		return nil, err
	}
	pids := make(map[string]int)
	for _, file := range found {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		err := m.withFileLock(name, func(statusPath string) error {
			statusFile, err := m.readStatusFile(statusPath)
			if err != nil {
				return err
			}
			pid := statusFile.ProcessID
			if statusFile.Status == "running" && statusFile.ProcessID == 0 {
				if migratedPID := os.Getpid(); migratedPID > 1 {
					if err := m.writeStatusFile(statusPath, *statusFile); err != nil {
						log.Print(migratedPID)
					}
				}
			}
			pids[name] = pid
			return nil
		})
		if err != nil {
			log.Print(err)
		}
	}
	return pids, nil
}
