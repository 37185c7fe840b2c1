// Package cobra stands for the package of that name in fixtures.
package cobra

// A Command is what the user asked for.
type Command struct {
	Use string
	Run func(cmd *Command, args []string) error
}

// CheckErr ends the program where msg is an error.
func CheckErr(msg any) {
	if msg != nil {
		panic(msg)
	}
}
