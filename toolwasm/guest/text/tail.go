package text

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
	"openclaw/toolwasm/guest/text/lines"
)

const tailHelp = `Usage: tail [OPTION]... [FILE]...
Write the last 10 lines of each FILE, with a header when there are several. Without FILE, or where FILE is -, read
standard input.

  -c, --bytes=[+]NUM        the last NUM bytes; with + from byte NUM on
  -f, --follow              go on and write what is appended, until the command is ended
  -F                        the same as -f --retry
  -n, --lines=[+]NUM        the last NUM lines; with + from line NUM on
      --pid=PID             accepted and without effect
  -q, --quiet, --silent     never write headers
      --retry               keep trying to open a file that is not there
  -s, --sleep-interval=SEC  with -f, look every SEC seconds (1)
  -v, --verbose             always write headers
  -z, --zero-terminated     lines end with NUL

NUM may have a multiplier: b 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024, and so on. -NUM and +NUM mean -n.
`

type tailer struct {
	piece
	follow bool
	retry  bool
	every  time.Duration
}

func tailCommand(p *command.Proc) int {
	t := tailer{piece: piece{n: 10, delim: '\n', first: true}, every: time.Second}
	p.Args = obsoleteTail(p.Args)
	opts, operands := p.Options(1, getopt.Spec{
		Short: "c:fFn:qs:vz",
		Long: []getopt.Long{
			{Name: "bytes", Arg: getopt.Required, Short: 'c'},
			{Name: "follow", Arg: getopt.Optional, Short: 'f'},
			{Name: "lines", Arg: getopt.Required, Short: 'n'},
			{Name: "pid", Arg: getopt.Required},
			{Name: "quiet", Short: 'q'},
			{Name: "silent", Short: 'q'},
			{Name: "retry"},
			{Name: "sleep-interval", Arg: getopt.Required, Short: 's'},
			{Name: "verbose", Short: 'v'},
			{Name: "zero-terminated", Short: 'z'},
			{Name: "max-unchanged-stats", Arg: getopt.Required},
		},
	})
	for _, o := range opts {
		t.set(p, o)
	}
	if !t.follow {
		return t.each(p, operands, tailFile)
	}
	return t.followAll(p, operands)
}

func (t *tailer) set(p *command.Proc, o getopt.Option) {
	switch o.Name {
	case "c", "n":
		t.bytes = o.Name == "c"
		t.flipped = strings.HasPrefix(o.Arg, "+")
		num := strings.TrimPrefix(strings.TrimPrefix(o.Arg, "+"), "-")
		t.n = count(p, num, o.Arg, t.bytes)
	case "f":
		t.follow = true
	case "F":
		t.follow, t.retry = true, true
	case "retry":
		t.retry = true
	case "q":
		t.quiet, t.verbose = true, false
	case "v":
		t.quiet, t.verbose = false, true
	case "z":
		t.delim = 0
	case "s":
		sec, err := strconv.ParseFloat(o.Arg, 64)
		if err != nil || sec < 0 {
			p.Errorf("invalid number of seconds: %s", quote.Locale(o.Arg))
			p.Exit(1)
		}
		const shortest = 10 * time.Millisecond
		t.every = max(time.Duration(sec*float64(time.Second)), shortest)
	}
}

// obsoleteTail turns a first argument such as -5, +5, -5c, -b or -20f into options.
func obsoleteTail(args []string) []string {
	if len(args) == 0 || len(args[0]) < 2 {
		return args
	}
	a := args[0]
	single := len(args) == 1 || len(args) == 2 && (args[1] == "-" || !strings.HasPrefix(args[1], "-"))
	if a[0] != '-' && (a[0] != '+' || !single) {
		return args
	}
	rest := trimDigits(a[1:])
	num := a[1 : len(a)-len(rest)]
	if num == "" && (!single || a == "-c") {
		return args
	}
	if num == "" {
		num = "10"
	}
	unit := "-n"
	switch {
	case strings.HasPrefix(rest, "c"):
		unit, rest = "-c", rest[1:]
	case strings.HasPrefix(rest, "b"):
		unit, num, rest = "-c", num+"b", rest[1:]
	case strings.HasPrefix(rest, "l"):
		rest = rest[1:]
	}
	if rest != "" && rest != "f" || a == "-"+rest {
		return args
	}
	if a[0] == '+' {
		num = "+" + num
	}
	out := []string{unit, num}
	if rest == "f" {
		out = append(out, "-f")
	}
	return append(out, args[1:]...)
}

func tailFile(p *command.Proc, s *piece, f command.File) error {
	switch {
	case s.flipped && s.bytes:
		return tailFromByte(p, f, s.n)
	case s.flipped:
		return tailFromLine(p, f, s.n, s.delim)
	case s.bytes:
		return tailBytes(p, f, s.n)
	}
	return tailLines(p, f, s.n, s.delim)
}

func tailFromByte(p *command.Proc, f command.File, n int64) error {
	skip := max(n-1, 0)
	if file, info, ok := regular(f); ok && info.Size > 0 {
		if at, err := file.Seek(0, io.SeekCurrent); err == nil {
			_, err = file.Seek(min(at+skip, max(info.Size, at)), io.SeekStart)
			if err == nil {
				return pass(p, f)
			}
		}
	}
	buf := make([]byte, copyBuffer)
	for skip > 0 {
		p.Yield()
		k, err := f.Read(buf[:min(skip, int64(len(buf)))])
		skip -= int64(k)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return pass(p, f)
}

func tailFromLine(p *command.Proc, f command.File, n int64, delim byte) error {
	r := lines.New(p, f, delim)
	for ; n > 1; n-- {
		if _, ok := r.Next(); !ok {
			return r.Err()
		}
	}
	_, _ = p.Out().Write(r.Buffered())
	if r.Err() != nil {
		return r.Err()
	}
	return pass(p, f)
}

func tailBytes(p *command.Proc, f command.File, n int64) error {
	if file, info, ok := regular(f); ok && info.Size > 0 {
		at, err := file.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		if at < info.Size-n {
			if _, err := file.Seek(-n, io.SeekEnd); err != nil {
				return err
			}
		}
		return pass(p, f)
	}
	k := keeper{}
	return k.run(p, f, func() bool { return k.size-int64(len(k.chunks[0])) >= n }, func() int {
		return int(max(k.size-n, 0))
	})
}

func tailLines(p *command.Proc, f command.File, n int64, delim byte) error {
	if file, info, ok := regular(f); ok && info.Size > 0 {
		at, err := file.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		if at < info.Size {
			return tailSeek(p, file, at, info.Size, n, delim)
		}
	}
	k := keeper{delim: delim, counting: true}
	return k.run(p, f, func() bool { return k.lines-k.counts[0] > n }, func() int { return k.skipLines(n) })
}

type seeker interface {
	io.Reader
	io.Seeker
}

// tailSeek finds the last n lines by reading blocks backwards from the end.
func tailSeek(p *command.Proc, f seeker, start, end, n int64, delim byte) error {
	const block = 32 << 10
	buf := make([]byte, block)
	at := end
	last := true
	for at > start && n >= 0 {
		p.Yield()
		from := max(start, at-block)
		b := buf[:at-from]
		if _, err := f.Seek(from, io.SeekStart); err != nil {
			return err
		}
		k, err := io.ReadFull(f, b)
		if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
			return err
		}
		b = b[:k]
		i := len(b)
		if last && i > 0 && b[i-1] == delim {
			i-- // the end of the last line, not of one before it
		}
		last = false
		for {
			i = bytes.LastIndexByte(b[:i], delim)
			if i < 0 {
				break
			}
			if n--; n == 0 {
				if _, err := f.Seek(from+int64(i)+1, io.SeekStart); err != nil {
					return err
				}
				return pass(p, f)
			}
		}
		at = from
		if n == 0 {
			break
		}
	}
	if n <= 0 {
		_, err := f.Seek(end, io.SeekStart)
		return err
	}
	if _, err := f.Seek(start, io.SeekStart); err != nil {
		return err
	}
	return pass(p, f)
}

// keeper holds the end of a stream in chunks.
type keeper struct {
	delim    byte
	counting bool
	chunks   [][]byte
	counts   []int64 // lines that end in each chunk
	size     int64
	lines    int64
}

// run reads f to its end, dropping the first chunk while spare says that the rest is enough, and writes what is
// left, less what skip gives.
func (k *keeper) run(p *command.Proc, f io.Reader, spare func() bool, skip func() int) error {
	for {
		p.Yield()
		chunk := k.room()
		n, err := f.Read(chunk[len(chunk):cap(chunk)])
		k.add(chunk, n)
		for len(k.chunks) > 1 && spare() {
			k.drop()
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if len(k.chunks) == 0 {
		return nil
	}
	left := skip()
	for _, c := range k.chunks {
		d := min(left, len(c))
		left -= d
		_, _ = p.Out().Write(c[d:])
	}
	return nil
}

// room returns the last chunk when it has room, or a new one.
func (k *keeper) room() []byte {
	if n := len(k.chunks); n > 0 && cap(k.chunks[n-1])-len(k.chunks[n-1]) > 0 {
		return k.chunks[n-1]
	}
	k.chunks = append(k.chunks, make([]byte, 0, copyBuffer))
	k.counts = append(k.counts, 0)
	return k.chunks[len(k.chunks)-1]
}

func (k *keeper) add(chunk []byte, n int) {
	last := len(k.chunks) - 1
	fresh := chunk[len(chunk) : len(chunk)+n]
	k.chunks[last] = chunk[:len(chunk)+n]
	k.size += int64(n)
	if k.counting {
		c := int64(bytes.Count(fresh, []byte{k.delim}))
		k.counts[last] += c
		k.lines += c
	}
}

func (k *keeper) drop() {
	k.size -= int64(len(k.chunks[0]))
	k.lines -= k.counts[0]
	k.chunks[0] = nil
	k.chunks, k.counts = k.chunks[1:], k.counts[1:]
}

// skipLines is how many bytes stand before the last n lines.
func (k *keeper) skipLines(n int64) int {
	total := k.lines
	if last := k.lastByte(); last >= 0 && byte(last) != k.delim {
		total++
	}
	skip := 0
	drop := total - n
	for _, c := range k.chunks {
		for at := 0; ; {
			if drop <= 0 {
				return skip + at
			}
			i := bytes.IndexByte(c[at:], k.delim)
			if i < 0 {
				break
			}
			at += i + 1
			drop--
		}
		skip += len(c)
	}
	return skip
}

func (k *keeper) lastByte() int {
	for i := len(k.chunks) - 1; i >= 0; i-- {
		if c := k.chunks[i]; len(c) > 0 {
			return int(c[len(c)-1])
		}
	}
	return -1
}

// followed is a file that tail -f watches.
type followed struct {
	name string
	file command.File
	size int64
}

func (t *tailer) followAll(p *command.Proc, operands []string) int {
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	t.multiple = len(operands) > 1
	status := 0
	var files []*followed
	for _, name := range operands {
		w := &followed{name: name}
		f, err := p.OpenArg(name)
		if err != nil {
			p.Errorf("cannot open %s for reading: %s", quote.Always(operandName(name)), sys.Strerror(err))
			status = 1
			if t.retry {
				files = append(files, w)
			}
			continue
		}
		t.header(p, operandName(name))
		if err := tailFile(p, &t.piece, f); err != nil {
			p.Errorf("error reading %s: %s", quote.Always(operandName(name)), sys.Strerror(err))
			status = 1
		}
		if _, info, ok := regular(f); ok {
			w.file, w.size = f, info.Size
			files = append(files, w)
			continue
		}
		f.Close()
	}
	if len(files) == 0 {
		return status
	}
	t.watch(p, files)
	return status
}

// watch writes what is appended to the files until the command is ended.
func (t *tailer) watch(p *command.Proc, files []*followed) {
	shown := files[len(files)-1]
	tick := time.NewTicker(t.every)
	defer tick.Stop()
	for {
		_ = p.Flush()
		select {
		case <-tick.C:
		case <-p.Ctx.Done():
		}
		p.Yield()
		for _, w := range files {
			t.look(p, w, &shown)
		}
	}
}

// look writes what is new in one file, and starts again when the file has become shorter.
func (t *tailer) look(p *command.Proc, w *followed, shown **followed) {
	if w.file == nil {
		f, err := p.Open(w.name)
		if err != nil {
			return
		}
		p.Errorf("%s has appeared;  following new file", quote.Always(w.name))
		w.file = f
	}
	f, info, ok := regular(w.file)
	if !ok || info.Size == w.size {
		return
	}
	if info.Size < w.size {
		p.Errorf("%s: file truncated", w.name)
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return
		}
	}
	w.size = info.Size
	if *shown != w {
		*shown = w
		t.header(p, operandName(w.name))
	}
	_ = pass(p, f)
}
