//go:build !unix

package workspace

import "os"

// lock does nothing: there an open directory cannot be renamed, which is what it is for.
func lock(*os.File, bool) error { return nil }
