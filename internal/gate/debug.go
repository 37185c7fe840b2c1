package gate

import (
	"fmt"
	"os"
)

func Debug(a ...any) {
	if os.Getenv("LATEDBG") != "" {
		fmt.Fprintln(os.Stderr, a...)
	}
}
