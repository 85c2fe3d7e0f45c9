package files

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"openclaw/toolwasm/guest/columns"
	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/sys"
)

const fileHelp = `Usage: file [OPTION]... FILE...
Tell what kind of data files hold, by their content.

  -b, --brief         no names
  -E                  errors about files end the status
  -f, --files-from=FILE  names from FILE
  -F, --separator=S   use S instead of :
  -h, --no-dereference   describe symbolic links (the default)
  -i, --mime          type and encoding as MIME has them
  -k, -n, -p, -r, -s, -z  accepted
  -L, --dereference   describe what links lead to
      --mime-type, --mime-encoding  one half of -i
  -N, --no-pad        do not align
  -0, --print0        NUL after names
`

// probeSize is how much of a file is looked at.
const probeSize = 64 << 10

// gzipTrailer is the length of what ends a gzip file; its last four bytes are the size.
const gzipTrailer = 8

// mimeMode says which half of a MIME description is shown.
type mimeMode int

const (
	mimeNone mimeMode = iota
	mimeBoth
	mimeType
	mimeEncoding
)

// verdict is what a file is: in words, and in MIME's.
type verdict struct {
	text     string
	mime     string
	encoding string
}

// identifier is a running file.
type identifier struct {
	p         *command.Proc
	brief     bool
	follow    bool
	mime      mimeMode
	separator string
	noPad     bool
	zero      bool
	strict    bool
}

func fileCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "bcEf:F:hiklLnNprsSvzZ0e:m:P:", Unsupported: "cClmMeP",
		Long: []getopt.Long{
			{Name: "brief", Short: 'b'},
			{Name: "files-from", Arg: getopt.Required, Short: 'f'},
			{Name: "separator", Arg: getopt.Required, Short: 'F'},
			{Name: "no-dereference", Short: 'h'},
			{Name: "mime", Short: 'i'},
			{Name: "mime-type"},
			{Name: "mime-encoding"},
			{Name: "keep-going", Short: 'k'},
			{Name: "dereference", Short: 'L'},
			{Name: "no-pad", Short: 'N'},
			{Name: "print0", Short: '0'},
			{Name: "no-buffer", Short: 'n'},
			{Name: "preserve-date", Short: 'p'},
			{Name: "raw", Short: 'r'},
			{Name: "special-files", Short: 's'},
			{Name: "uncompress", Short: 'z'},
			{Name: "extension"},
		},
	})
	f := &identifier{p: p, separator: ":"}
	for _, o := range opts {
		switch o.Name {
		case "b":
			f.brief = true
		case "E":
			f.strict = true
		case "f":
			data, err := p.ReadFile(o.Arg)
			if err != nil {
				p.Errorf("Cannot open `%s' (%s).", o.Arg, sys.Strerror(err))
				return 1
			}
			for line := range strings.SplitSeq(strings.TrimRight(string(data), "\n"), "\n") {
				operands = append(operands, line)
			}
		case "F":
			f.separator = o.Arg
		case "h":
			f.follow = false
		case "i":
			f.mime = mimeBoth
		case "mime-type":
			f.mime = mimeType
		case "mime-encoding":
			f.mime = mimeEncoding
		case "L":
			f.follow = true
		case "N":
			f.noPad = true
		case "0":
			f.zero = true
		}
	}
	if len(operands) == 0 {
		fmt.Fprintf(p.Stderr, "Usage: file [-bcCdEhikLlNnprsSvzZ0] [--apple] [--extension] [--mime-encoding]\n"+
			"            [--mime-type] [-e <testname>] [-F <separator>]  [-f <namefile>]\n            <file> ...\n")
		return 1
	}
	widest := 0
	for _, name := range operands {
		widest = max(widest, columns.Text(shownName(name)))
	}
	status := 0
	for _, name := range operands {
		if !f.one(name, widest) {
			status = 1
		}
	}
	return status
}

func shownName(name string) string {
	if name == "-" {
		return "/dev/stdin"
	}
	return name
}

func (f *identifier) one(name string, widest int) bool {
	v, err := f.identify(name)
	out := f.p.Out()
	if !f.brief {
		shown := shownName(name)
		_, _ = out.WriteString(shown)
		if f.zero {
			_ = out.WriteByte(0)
		} else {
			_, _ = out.WriteString(f.separator)
		}
		pad := 1
		if !f.noPad {
			pad += widest - columns.Text(shown)
		}
		_, _ = out.WriteString(strings.Repeat(" ", pad))
	}
	if err != nil {
		fmt.Fprintf(out, "cannot open `%s' (%s)\n", name, sys.Strerror(err))
		return !f.strict
	}
	switch f.mime {
	case mimeBoth:
		_, _ = out.WriteString(v.mime + "; charset=" + v.encoding)
	case mimeType:
		_, _ = out.WriteString(v.mime)
	case mimeEncoding:
		_, _ = out.WriteString(v.encoding)
	default:
		_, _ = out.WriteString(v.text)
	}
	_ = out.WriteByte('\n')
	return true
}

func (f *identifier) identify(name string) (verdict, error) {
	p := f.p
	if name != "-" {
		info, err := stat(p, name, f.follow)
		if err != nil {
			return verdict{}, err
		}
		if v, ok := f.special(name, info); ok {
			return v, nil
		}
		if info.IsRegular() && info.Size == 0 {
			return verdict{"empty", "inode/x-empty", "binary"}, nil
		}
	}
	r, err := p.OpenArg(name)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return verdict{"regular file, no read permission", "application/octet-stream", "binary"}, nil
		}
		return verdict{}, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, probeSize))
	if err != nil {
		return verdict{}, err
	}
	if len(data) == 0 {
		return verdict{"empty", "inode/x-empty", "binary"}, nil
	}
	v := classifyData(data)
	if strings.HasPrefix(v.text, "gzip compressed data") && len(data) < probeSize && len(data) > gzipTrailer {
		v.text += fmt.Sprintf(", original size modulo 2^32 %d", binary.LittleEndian.Uint32(data[len(data)-4:]))
	}
	return v, nil
}

// special describes what is no regular file.
func (f *identifier) special(name string, i sys.Info) (verdict, bool) {
	switch m := i.Mode; {
	case m.IsDir():
		text := "directory"
		if m&fs.ModeSticky != 0 {
			text = "sticky, directory"
		}
		return verdict{text, "inode/directory", "binary"}, true
	case m&fs.ModeSymlink != 0:
		target, _ := sys.Readlink(f.p.Path(name))
		text := "symbolic link to " + target
		if _, err := f.p.Stat(name); err != nil {
			text = "broken symbolic link to " + target
		}
		return verdict{text, "inode/symlink", "binary"}, true
	case m&fs.ModeNamedPipe != 0:
		return verdict{"fifo (named pipe)", "inode/fifo", "binary"}, true
	case m&fs.ModeSocket != 0:
		return verdict{"socket", "inode/socket", "binary"}, true
	case m&fs.ModeCharDevice != 0:
		return verdict{"character special", "inode/chardevice", "binary"}, true
	case m&fs.ModeDevice != 0:
		return verdict{"block special", "inode/blockdevice", "binary"}, true
	}
	return verdict{}, false
}
