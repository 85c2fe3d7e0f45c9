//go:build !unix

package programs

import "context"

// lock does nothing where there is no flock: the last writer wins.
func lock(context.Context, string) (unlock func(), err error) {
	return func() {}, nil
}
