// Package viper stands for the package of that name in fixtures.
package viper

// A Viper is a configuration with a file.
type Viper struct{ file string }

// New is one without a file.
func New() *Viper { return &Viper{} }

func (v *Viper) SetConfigFile(name string)           { v.file = name }
func (v *Viper) SetConfigName(name string)           { v.file = "" }
func (v *Viper) Set(key string, value any)           {}
func (v *Viper) ConfigFileUsed() string              { return v.file }
func (v *Viper) ReadInConfig() error                 { return nil }
func (v *Viper) SetFs(fs any)                        {}
func (v *Viper) Get(key string) any                  { return nil }
func (v *Viper) WriteConfig() error                  { return nil }
func (v *Viper) WriteConfigAs(filename string) error { return nil }
func (v *Viper) SafeWriteConfigAs(name string) error { return nil }
func Set(key string, value any)                      {}
func ReadInConfig() error                            { return nil }
func ConfigFileUsed() string                         { return "" }
func WriteConfig() error                             { return nil }
func WriteConfigAs(filename string) error            { return nil }
