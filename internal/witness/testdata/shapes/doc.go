// Package shapes has, for each way to lose a file that can be executed, a program that does and a twin that does not.
package shapes
