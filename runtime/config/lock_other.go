//go:build !unix

package config

import "context"

// lockDirectory does nothing where there is no flock: a file that changed meanwhile is still found before it is replaced.
func lockDirectory(context.Context, string) (unlock func(), err error) {
	return func() {}, nil
}
