package saver

import (
	"log"
	"os"
	"path/filepath"
	"sync"

	"github.com/joho/godotenv"
	"github.com/spf13/viper"
	"k8s.io/client-go/tools/clientcmd"
)

// research has the file looked for again.
func research(key string, v *viper.Viper) error {
	if err := v.ReadInConfig(); err != nil {
		return err
	}
	v.SetConfigName(key)
	return v.WriteConfig() // want `research rewrites .*\(no fix: which file it is`
}

// saveAlone makes the directory, and has nobody to tell where that fails.
func saveAlone(dir string, c clientcmd.Config) {
	if err := clientcmd.WriteToFile(c, filepath.Join(dir, ".kube", "config")); err != nil { // want `saveAlone rewrites dir/\.kube/config in place .*\(no fix: it makes the directory of the file, too, and what the function does where that fails only its author can say`
		log.Print(err)
	}
}

// saveTolerant goes on where it cannot write.
func saveTolerant(dir string, c clientcmd.Config) error {
	if err := clientcmd.WriteToFile(c, filepath.Join(dir, ".kube", "config")); err != nil { // want `saveTolerant rewrites .*\(no fix: it makes the directory of the file, too`
		log.Print(err)
	}
	return os.Chmod(dir, 0o700)
}

// saveGuarded has more to do where it cannot write.
func saveGuarded(mu *sync.Mutex, dir string, c clientcmd.Config) error {
	mu.Lock()
	if err := clientcmd.WriteToFile(c, filepath.Join(dir, ".kube", "config")); err != nil { // want `saveGuarded rewrites .*\(no fix: it makes the directory of the file, too`
		mu.Unlock()
		return err
	}
	mu.Unlock()
	return nil
}

// saveState does more before it writes than to name the file.
func saveState(dir string, env map[string]string) error {
	return godotenv.Write(env, filepath.Join(made(dir), "state.env")) // want `saveState rewrites .* in place .*\(no fix: the call is written in a form of its own`
}

func made(dir string) string {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		log.Print(err)
	}
	return dir
}

// byExpression calls the method by its type.
func byExpression(dir string, v *viper.Viper) error {
	return (*viper.Viper).WriteConfigAs(v, filepath.Join(dir, "session.json")) // want `byExpression rewrites dir/session\.json in place .*\(no fix: the call is written in a form of its own`
}

// pendingCluster returns an error that it had before.
func pendingCluster(dir string, c clientcmd.Config) error {
	_, err := os.Stat(dir)
	if err := clientcmd.WriteToFile(c, filepath.Join(dir, ".kube", "config")); err != nil { // want `pendingCluster rewrites dir/\.kube/config in place through clientcmd\.WriteToFile\(\).*\(no fix: the call is written in a form of its own`
		return err
	}
	return err
}

// outerCluster assigns to an err that is declared outside of the block, and returned there.
func outerCluster(dir string, c clientcmd.Config, save bool) (err error) {
	if save {
		err = clientcmd.WriteToFile(c, filepath.Join(dir, ".kube", "config")) // want `outerCluster rewrites dir/\.kube/config in place through clientcmd\.WriteToFile\(\).*\(no fix: the call is written in a form of its own`
		if err != nil {
			return err
		}
	}
	return err
}
