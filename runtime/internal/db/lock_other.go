//go:build !unix

package db

import "context"

// lockDirectory does nothing where directories cannot be locked: publish still never replaces a database.
func lockDirectory(context.Context, string) (unlock func(), err error) { return func() {}, nil }

func readable(string) error { return nil }
