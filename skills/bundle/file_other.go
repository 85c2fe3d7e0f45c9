//go:build !unix

package bundle

// quietly is nothing where no open waits.
const quietly = 0
