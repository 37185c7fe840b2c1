// Package saver has functions of libraries rewrite its files, which can as well write another one.
package saver

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/joho/godotenv"
	"github.com/spf13/viper"
	"gopkg.in/ini.v1"
	"k8s.io/client-go/tools/clientcmd"
)

// A store has its files in a directory.
type store struct {
	dir      string
	settings *ini.File
	v        *viper.Viper
}

func (s *store) saveSettings() error {
	// The settings of the user.
	return s.settings.SaveTo(filepath.Join(s.dir, "settings.ini")) // want `saveSettings rewrites s\.dir/settings\.ini in place through ini\.v1\.File\.SaveTo\(\): a crash`
}

func (s *store) saveSession() error {
	if err := s.v.WriteConfigAs(filepath.Join(s.dir, "session.yaml")); err != nil { // want `saveSession rewrites s\.dir/session\.yaml in place through viper\.Viper\.WriteConfigAs\(\)`
		return fmt.Errorf("failed to save session: %w", err)
	}
	return nil
}

func saveSessionOfAll(dir string) {
	path := filepath.Join(dir, "session.toml")
	err := viper.WriteConfigAs(path) // want `saveSessionOfAll rewrites dir/session\.toml in place through viper\.WriteConfigAs\(\)`
	if err != nil {
		log.Print(err)
	}
}

func saveCredentials(dir string) error {
	return ini.Empty().SaveTo( // want `saveCredentials rewrites dir/credentials\.ini in place`
		filepath.Join(dir, "credentials.ini"), // beside the others
	)
}

// SaveIndented has a literal that is not exported.
func (s *store) SaveIndented() error {
	return s.settings.SaveToIndent(filepath.Join(s.dir, "config.ini"), "\t") // want `SaveIndented rewrites s\.dir/config\.ini in place through ini\.v1\.File\.SaveToIndent\(\)`
}

// saveState has a variable that is called name.
func (s *store) saveState(name string) error {
	env := map[string]string{"NAME": name}
	if err := godotenv.Write(env, filepath.Join(s.dir, "state.env")); err != nil { // want `saveState rewrites s\.dir/state\.env in place through godotenv\.Write\(\)`
		return err
	}
	return nil
}

// saveCluster makes the directory, as clientcmd does.
func saveCluster(dir string, c clientcmd.Config) (int, error) {
	path := filepath.Join(dir, ".kube", "config")
	c.CurrentContext = "new"
	// For kubectl.
	if err := clientcmd.WriteToFile(c, path); err != nil { // want `saveCluster rewrites dir/\.kube/config in place through clientcmd\.WriteToFile\(\)`
		return 0, fmt.Errorf("failed to save config: %w", err)
	}
	return 1, nil
}

// changeCluster finds the directory: it has loaded the file.
func changeCluster(dir, cluster string) error {
	path := filepath.Join(dir, ".kube", "config")
	c, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return err
	}
	c.CurrentContext = cluster
	return clientcmd.WriteToFile(*c, path) // want `changeCluster rewrites dir/\.kube/config in place through clientcmd\.WriteToFile\(\)` `changeCluster loads dir/.kube/config, changes it and saves it with no lock`
}

// copyCluster finds the directory of another file.
func copyCluster(dir, from string) error {
	path := filepath.Join(dir, ".kube", "config")
	c, err := clientcmd.LoadFromFile(from)
	if err != nil {
		return err
	}
	return clientcmd.WriteToFile(*c, path) // want `copyCluster rewrites dir/\.kube/config in place through clientcmd\.WriteToFile\(\)`
}

// moveCluster finds the directory of another file under the name that is another one by then.
func moveCluster(dir string) error {
	path := filepath.Join(dir, ".kube", "config.old")
	c, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return err
	}
	path = filepath.Join(dir, "new", ".kube", "config")
	return clientcmd.WriteToFile(*c, path) // want `moveCluster rewrites dir/new/\.kube/config in place through clientcmd\.WriteToFile\(\)`
}

// mergeCluster has made the directory before.
func mergeCluster(home string, c clientcmd.Config) error {
	dir := filepath.Join(home, ".kube")
	err := os.Mkdir(dir, 0o755)
	if err != nil && !os.IsExist(err) {
		return err
	}
	path := filepath.Join(dir, "config")
	return clientcmd.WriteToFile(c, path) // want `mergeCluster rewrites home/\.kube/config in place through clientcmd\.WriteToFile\(\)`
}

func (s *store) remember(key string) error {
	if err := s.v.ReadInConfig(); err != nil {
		return err
	}
	s.v.Set(key, true)
	return s.v.WriteConfig() // want `remember rewrites s\.v\.ConfigFileUsed\(\) in place through viper\.Viper\.WriteConfig\(\)`
}

func rememberOfAll(key string) error {
	err := viper.ReadInConfig()
	if err != nil {
		return err
	}
	viper.Set(key, true)
	return viper.WriteConfig() // want `rememberOfAll rewrites viper\.ConfigFileUsed\(\) in place through viper\.WriteConfig\(\)`
}

// renameCluster has an err, and one more that it asks for at its end.
func renameCluster(dir string, c clientcmd.Config) error {
	err := os.MkdirAll(dir, 0o700)
	err = clientcmd.WriteToFile(c, filepath.Join(dir, ".kube", "config")) // want `renameCluster rewrites dir/\.kube/config in place through clientcmd\.WriteToFile\(\)`
	if err != nil {
		return err
	}
	return err
}

// declareCluster declares its err where it writes.
func declareCluster(dir string, c clientcmd.Config) error {
	err := clientcmd.WriteToFile(c, filepath.Join(dir, ".kube", "config")) // want `declareCluster rewrites dir/\.kube/config in place through clientcmd\.WriteToFile\(\)`
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// tryCluster has nobody to tell, and has the directory.
func tryCluster(dir, cluster string) {
	path := filepath.Join(dir, ".kube", "config")
	c, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return
	}
	c.CurrentContext = cluster
	if err := clientcmd.WriteToFile(*c, path); err != nil { // want `tryCluster rewrites dir/\.kube/config in place through clientcmd\.WriteToFile\(\)` `tryCluster loads dir/\.kube/config, changes it and saves it with no lock`
		log.Print(err)
	}
}

// saveNamed has a path that is put together.
func saveNamed(file *ini.File, dir, name string) error {
	return file.SaveTo(dir + "/" + name + "-settings.ini") // want `saveNamed rewrites .* in place through ini\.v1\.File\.SaveTo\(\)`
}

// rememberAny goes on where there is no file, which WriteConfig then looks for.
func rememberAny(key string) error {
	if err := viper.ReadInConfig(); err != nil && key == "" {
		return err
	}
	viper.Set(key, true)
	return viper.WriteConfig() // want `rememberAny rewrites viper\.ConfigFileUsed\(\) in place`
}

// swapped has another file by then.
func swapped(key string, v, other *viper.Viper) error {
	if err := v.ReadInConfig(); err != nil {
		return err
	}
	v = other
	v.Set(key, true)
	return v.WriteConfig() // want `swapped rewrites other\.ConfigFileUsed\(\)`
}

// rememberNamed names the file.
func rememberNamed(dir, key string, v *viper.Viper) error {
	path := filepath.Join(dir, "session.yaml")
	v.SetConfigName("session")
	v.SetConfigFile(path)
	v.Set(key, true)
	return v.WriteConfig() // want `rememberNamed rewrites v\.ConfigFileUsed\(\) in place`
}

// rememberHanded may have no name for the file.
func rememberHanded(path, key string, v *viper.Viper) {
	v.SetConfigFile(path)
	v.Set(key, true)
	v.WriteConfig() // want `rememberHanded rewrites v\.ConfigFileUsed\(\) in place`
}
