package imports

import (
	"encoding/json"
	"os"

	// Nothing else reads all formats. Lifting its helpers into this package would
	// make a circle.
	"github.com/spf13/viper"
)

var _ = viper.New

// saveCommented has a comment on the import that follows the new one.
func saveCommented(dir string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(dir+"/commented.json", b, 0o600) // want `saveCommented truncates dir/commented\.json`
}
