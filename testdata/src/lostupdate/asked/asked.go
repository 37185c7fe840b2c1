// Package asked has commands that ask the user and save what was loaded when the program
// started.
package asked

import (
	"bufio"
	"fmt"
	"os"

	"lostupdate/asked/conf"
)

type state interface {
	Config() conf.Config
}

func ask() string {
	fmt.Print("Token: ")
	lines := bufio.NewScanner(os.Stdin)
	lines.Scan()
	return lines.Text()
}

func login(s state) error {
	cfg := s.Config()
	token := ask()
	cfg.SetTokens(append(cfg.Tokens(), token))
	return cfg.Write() // want `login waits for the user and then saves the conf.Config as it was loaded before: what another process has saved meanwhile is lost`
}

func given(cfg conf.Config) error {
	cfg.SetTokens(append(cfg.Tokens(), ask()))
	return cfg.Write() // want `given waits for the user and then saves the conf.Config cfg as it was loaded before`
}

// again loads it when the user has answered.
func again(s state) error {
	cfg, token := s.Config(), ask()
	if err := cfg.Read(); err != nil {
		return err
	}
	cfg.SetTokens(append(cfg.Tokens(), token))
	return cfg.Write() // want `again loads .*, changes it and saves it with no lock`
}

// logout asks nothing: others have no time to save theirs.
func logout(s state) error {
	cfg := s.Config()
	cfg.SetTokens(nil)
	return cfg.Write()
}

// setup makes a configuration that nobody has loaded.
func setup() error {
	cfg := conf.New()
	cfg.SetTokens([]string{ask()})
	return cfg.Write()
}

// show asks, and changes nothing.
func show(s state) error {
	if cfg := s.Config(); ask() == "y" {
		return cfg.Write()
	}
	return nil
}
