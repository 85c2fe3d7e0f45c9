package search

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"syscall"
	"time"
	"unicode/utf8"
)

// The colours of rg's output.
const (
	rgNameColor   = "\x1b[0m\x1b[35m"
	rgNumberColor = "\x1b[0m\x1b[32m"
	rgMatchColor  = "\x1b[0m\x1b[1m\x1b[31m"
	rgColorOff    = "\x1b[0m"
)

func errno(err error) int {
	var no syscall.Errno
	if errors.As(err, &no) {
		return int(no)
	}
	return 0
}

func (r *rg) colored(color, text string) {
	if !r.o.color {
		_, _ = r.out.WriteString(text)
		return
	}
	_, _ = r.out.WriteString(color + text + rgColorOff)
}

// begin prints what stands before the first line of a file.
func (f *rgFile) begin() {
	if f.begun {
		return
	}
	f.begun = true
	r := f.r
	if r.o.heading && !r.o.vimgrep && !r.o.only || r.o.heading && r.o.only {
		if r.printed {
			_ = r.out.WriteByte('\n')
		}
		if r.names {
			r.writeName(f.name)
		}
		return
	}
	if r.printed && (r.o.before > 0 || r.o.after > 0) && !r.o.noSeparator {
		_, _ = r.out.WriteString(r.o.separator + "\n")
	}
}

// prefix prints the file's name, line, column and offset as asked for. A negative column is left out.
func (f *rgFile) prefix(rec record, sep byte, column int) {
	r := f.r
	if r.names && !r.o.heading {
		r.colored(rgNameColor, f.name)
		if r.o.null {
			_ = r.out.WriteByte(0)
		} else {
			_ = r.out.WriteByte(sep)
		}
	}
	if r.o.number {
		r.colored(rgNumberColor, strconv.FormatInt(rec.line, 10))
		_ = r.out.WriteByte(sep)
	}
	if r.o.column && column >= 0 {
		_, _ = r.out.WriteString(strconv.Itoa(column + 1))
		_ = r.out.WriteByte(sep)
	}
	if r.o.offset {
		_, _ = r.out.WriteString(strconv.FormatInt(rec.offset, 10))
		_ = r.out.WriteByte(sep)
	}
}

// print prints a line, or the matches in it.
func (f *rgFile) print(rec record, selected bool, locs [][]int) {
	r, o := f.r, f.r.o
	if o.json {
		f.jsonLine(rec, selected, locs)
		return
	}
	f.begin()
	if !selected {
		f.prefix(rec, '-', -1)
		f.writeLine(rec.text)
		return
	}
	switch {
	case o.only && !o.invert:
		for _, loc := range locs {
			if loc[0] == loc[1] && o.replace == nil {
				continue
			}
			part := rec
			part.offset += int64(loc[0])
			f.prefix(part, ':', loc[0])
			text := rec.text[loc[0]:loc[1]]
			if o.replace != nil {
				text = r.m.expand(nil, *o.replace, rec.text, loc)
			}
			r.colored(rgMatchColor, string(text))
			_ = r.out.WriteByte('\n')
		}
	case o.vimgrep && !o.invert:
		for _, loc := range locs {
			f.prefix(rec, ':', loc[0])
			f.writeMatched(rec.text, locs)
		}
	default:
		column := -1
		if len(locs) > 0 {
			column = locs[0][0]
		}
		f.prefix(rec, ':', column)
		f.writeMatched(rec.text, locs)
	}
}

func (f *rgFile) writeLine(line []byte) {
	o := f.r.o
	if o.trim {
		line = bytes.TrimLeft(line, " \t\v\f\r")
	}
	if o.maxColumns > 0 && len(line) > o.maxColumns {
		_, _ = f.r.out.WriteString("[Omitted long context line]\n")
		return
	}
	_, _ = f.r.out.Write(line)
	_ = f.r.out.WriteByte('\n')
}

// writeMatched prints a selected line, with its matches replaced or coloured.
func (f *rgFile) writeMatched(line []byte, locs [][]int) {
	o, out := f.r.o, f.r.out
	if o.maxColumns > 0 && len(line) > o.maxColumns {
		if len(locs) > 0 {
			fmt.Fprintf(out, "[Omitted long line with %d matches]\n", len(locs))
		} else {
			_, _ = out.WriteString("[Omitted long matching line]\n")
		}
		return
	}
	var built []byte
	at := 0
	for _, loc := range locs {
		built = append(built, line[at:loc[0]]...)
		if o.color && loc[0] < loc[1] {
			built = append(built, rgMatchColor...)
		}
		if o.replace != nil {
			built = f.r.m.expand(built, *o.replace, line, loc)
		} else {
			built = append(built, line[loc[0]:loc[1]]...)
		}
		if o.color && loc[0] < loc[1] {
			built = append(built, rgColorOff...)
		}
		at = loc[1]
	}
	built = append(built, line[at:]...)
	if o.trim {
		built = bytes.TrimLeft(built, " \t\v\f\r")
	}
	_, _ = out.Write(built)
	_ = out.WriteByte('\n')
}

// summary prints what --stats or --json add at the end.
func (r *rg) summary() {
	elapsed := time.Since(r.begun)
	switch {
	case r.o.json:
		r.jsonSummary(elapsed)
	case r.o.stats:
		fmt.Fprintf(r.out, "\n%d matches\n%d matched lines\n%d files contained matches\n%d files searched\n%d bytes searched\n%.6f seconds\n",
			r.stats.matches, r.stats.lines, r.stats.filesMatched, r.stats.files, r.stats.bytesSearched, elapsed.Seconds())
	}
}

// validUTF8 reports whether bytes can be shown as text in JSON.
func validUTF8(b []byte) bool { return utf8.Valid(b) }
