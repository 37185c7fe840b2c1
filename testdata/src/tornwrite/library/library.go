// Package library has other packages write its files, which truncate them first.
package library

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"

	"github.com/spf13/afero"
	"github.com/spf13/viper"
	"k8s.io/client-go/tools/clientcmd"
)

// remember changes the configuration that the program was started with.
func remember(v *viper.Viper, key, value string) error {
	if err := v.ReadInConfig(); err != nil {
		return err
	}
	v.Set(key, value)
	return v.WriteConfig() // want `remember rewrites v\.ConfigFileUsed\(\) in place through viper\.Viper\.WriteConfig\(\): a crash or a reader in between meets a torn file`
}

func rememberGlobally(key, value string) error {
	viper.Set(key, value)
	return viper.WriteConfig() // want `rememberGlobally rewrites viper\.ConfigFileUsed\(\) in place through viper\.WriteConfig\(\)`
}

func saveServers(dir string, v *viper.Viper) error {
	return v.WriteConfigAs(filepath.Join(dir, "servers.yaml")) // want `saveServers rewrites dir/servers\.yaml in place through viper\.Viper\.WriteConfigAs\(\)`
}

// saveFirst refuses where there is one.
func saveFirst(dir string, v *viper.Viper) error {
	return v.SafeWriteConfigAs(filepath.Join(dir, "first.yaml"))
}

// show writes where the user says.
func show(v *viper.Viper) error {
	to := flag.String("to", "", "where the configuration is written")
	flag.Parse()
	return v.WriteConfigAs(*to)
}

type settings struct {
	fs  afero.Fs
	dir string
}

func (s *settings) load() (m map[string]string, err error) {
	data, err := afero.ReadFile(s.fs, filepath.Join(s.dir, "settings.json"))
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

func (s *settings) save(m map[string]string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return afero.WriteFile(s.fs, filepath.Join(s.dir, "settings.json"), data, 0o600) // want `\(\*settings\)\.save rewrites s\.dir/settings\.json in place through afero\.WriteFile\(\)`
}

// serve keeps what it makes in memory.
func serve(files map[string]string) (afero.Fs, error) {
	over := afero.NewMemMapFs()
	for name, content := range files {
		data, err := json.Marshal(content)
		if err != nil {
			return nil, err
		}
		if err := each(func() error { return afero.WriteFile(over, filepath.Join("sessions", name+".json"), data, 0o600) }); err != nil {
			return nil, err
		}
	}
	return over, nil
}

func each(f func() error) error { return f() }

// put writes what it is given, of which nothing is known.
func (s *settings) put(name string, data []byte) error {
	return afero.WriteFile(s.fs, filepath.Join(s.dir, name), data, 0o600)
}

// use makes another cluster the current one.
func use(cluster string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	path := filepath.Join(home, ".kube", "config")
	c, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return err
	}
	c.CurrentContext = cluster
	return clientcmd.WriteToFile(*c, path) // want `use rewrites ~/\.kube/config in place through clientcmd\.WriteToFile\(\)` `use loads ~/.kube/config, changes it and saves it with no lock`
}

// convert reads one file and writes another: each viper has its own.
func convert(from, to string) error {
	old := viper.New()
	old.SetConfigFile(from)
	if err := old.ReadInConfig(); err != nil {
		return err
	}
	v := viper.New()
	v.SetConfigFile(to)
	v.Set("servers", old.Get("servers"))
	return v.WriteConfig() // want `convert rewrites viper.Viper.ConfigFileUsed\(\) in place through viper.Viper.WriteConfig\(\): a crash`
}
