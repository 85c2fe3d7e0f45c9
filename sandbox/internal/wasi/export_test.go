package wasi

// Limits are the bounds that docs/wasi.md shows.
var Limits = []struct {
	Name  string
	Value int
}{
	{"open descriptors, unless the grant says otherwise", DefaultMaxFiles},
	{"buffers in one read or write", maxIovecs},
	{"bytes moved by one read or write", maxTransfer},
	{"bytes moved between two looks at the deadline", ioChunk},
	{"random bytes made between two looks at the deadline", randomChunk},
	{"subscriptions in one poll", maxSubscriptions},
	{"directory entries kept for going on with `fd_readdir`, besides the last directory read", maxEntries},
	{"bytes in a request to start a program", MaxRequest},
	{"arguments, and variables, of a program that is started", MaxStrings},
	{"descriptors that a program is given", MaxGiven},
	{"writes without a reader before a program that goes on is ended, if it is not one that was initialised", maxBrokenWrites},
}
