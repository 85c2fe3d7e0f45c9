// Package digest holds the commands that look at bytes: checksums, encodings and dumps.
package digest

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{
		{Name: "b2sum", Run: sumCommand("blake2b"), Help: sumHelp("b2sum", "BLAKE2b")},
		{Name: "base32", Run: baseCommand("base32"), Help: baseHelp("base32", "base32")},
		{Name: "base64", Run: baseCommand("base64"), Help: baseHelp("base64", "base64")},
		{Name: "basenc", Run: baseCommand("basenc"), Help: baseHelp("basenc", "one of several encodings")},
		{Name: "cksum", Run: cksumCommand, Help: cksumHelp},
		{Name: "hd", Run: hdCommand, Help: hexdumpHelp},
		{Name: "hexdump", Run: hexdumpCommand, Help: hexdumpHelp},
		{Name: "md5sum", Run: sumCommand("md5"), Help: sumHelp("md5sum", "MD5")},
		{Name: "od", Run: odCommand, Help: odHelp},
		{Name: "sha1sum", Run: sumCommand("sha1"), Help: sumHelp("sha1sum", "SHA1")},
		{Name: "sha224sum", Run: sumCommand("sha224"), Help: sumHelp("sha224sum", "SHA224")},
		{Name: "sha256sum", Run: sumCommand("sha256"), Help: sumHelp("sha256sum", "SHA256")},
		{Name: "sha384sum", Run: sumCommand("sha384"), Help: sumHelp("sha384sum", "SHA384")},
		{Name: "sha512sum", Run: sumCommand("sha512"), Help: sumHelp("sha512sum", "SHA512")},
		{Name: "sum", Run: sumLegacyCommand, Help: sumLegacyHelp},
		{Name: "xxd", Run: xxdCommand, Help: xxdHelp},
	}
}
