// Package archive holds the commands that pack and unpack: tar, zip, gzip and their kin.
//
// All of them stream: an archive of any size is read and written in bounded memory. What an archive says about
// where its members go is never trusted: names that lead out of the directory are stripped or refused, and nothing is
// written through a symbolic link that the archive has brought along.
package archive

import "openclaw/toolwasm/guest/command"

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{
		{Name: "bunzip2", Run: compressCommand, Help: bzip2Help},
		{Name: "bzcat", Run: compressCommand, Help: bzip2Help},
		{Name: "bzip2", Run: compressCommand, Help: bzip2Help},
		{Name: "gunzip", Run: gzipCommand, Help: gzipHelp},
		{Name: "gzip", Run: gzipCommand, Help: gzipHelp},
		{Name: "tar", Run: tarCommand, Help: tarHelp},
		{Name: "unxz", Run: compressCommand, Help: xzHelp},
		{Name: "unzstd", Run: compressCommand, Help: zstdHelp},
		{Name: "unzip", Run: unzip, Help: unzipHelp},
		{Name: "xz", Run: compressCommand, Help: xzHelp},
		{Name: "xzcat", Run: compressCommand, Help: xzHelp},
		{Name: "zcat", Run: gzipCommand, Help: gzipHelp},
		{Name: "zip", Run: zipCommand, Help: zipHelp},
		{Name: "zstd", Run: compressCommand, Help: zstdHelp},
		{Name: "zstdcat", Run: compressCommand, Help: zstdHelp},
	}
}
