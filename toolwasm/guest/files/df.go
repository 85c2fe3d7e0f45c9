package files

import (
	"fmt"
	"strconv"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const dfHelp = `Usage: df [OPTION]... [FILE]...
Show the space of the filesystems that hold the FILEs, or of all that the sandbox has.

  -a, --all             accepted
  -B, --block-size=SIZE count in units of SIZE
  -h, --human-readable  sizes like 1K 234M 2G
  -H, --si              the same in powers of 1000
  -i, --inodes          files instead of blocks
  -k                    units of 1024 bytes (the default)
  -P, --portability     the format of POSIX
  -T, --print-type      the type too
      --total           a total
`

// mounts are the places where the sandbox may have filesystems of their own. It is never changed.
var mounts = []string{"/", "/workspace", "/tmp", "/agent", "/skills"}

// filesystem is one line of df.
type filesystem struct {
	name  string
	mount string
	space sys.Space
}

// freeLister is a running df.
type freeLister struct {
	p      *command.Proc
	unit   sizeUnit
	inodes bool
	posix  bool
	kind   bool
	total  bool
}

func df(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "aB:hHiklPTt:x:", UnsupLong: []string{"output"},
		Long: []getopt.Long{
			{Name: "all", Short: 'a'},
			{Name: "block-size", Arg: getopt.Required, Short: 'B'},
			{Name: "human-readable", Short: 'h'},
			{Name: "si", Short: 'H'},
			{Name: "inodes", Short: 'i'},
			{Name: "local", Short: 'l'},
			{Name: "portability", Short: 'P'},
			{Name: "print-type", Short: 'T'},
			{Name: "total"},
			{Name: "no-sync"},
			{Name: "sync"},
			{Name: "type", Arg: getopt.Required, Short: 't'},
			{Name: "exclude-type", Arg: getopt.Required, Short: 'x'},
		},
	})
	d := &freeLister{p: p, unit: sizeUnit{size: 1024}}
	for _, o := range opts {
		switch o.Name {
		case "B":
			u, ok := parseUnit(o.Arg)
			if !ok {
				p.Errorf("invalid -B argument %s", quote.Locale(o.Arg))
				return 1
			}
			d.unit = u
		case "h":
			d.unit = sizeUnit{human: 1024}
		case "H":
			d.unit = sizeUnit{human: 1000}
		case "i":
			d.inodes = true
		case "k":
			d.unit = sizeUnit{size: 1024}
		case "P":
			d.posix = true
		case "T":
			d.kind = true
		case "total":
			d.total = true
		}
	}
	list, ok := d.find(operands)
	if len(list) > 0 {
		d.show(list)
	}
	return statusOf(!ok)
}

// find returns the filesystems to show.
func (d *freeLister) find(operands []string) (list []filesystem, ok bool) {
	ok = true
	if len(operands) == 0 {
		seen := map[uint64]bool{}
		for _, m := range mounts {
			info, err := sys.Stat(m)
			if err != nil || seen[info.Dev] {
				continue
			}
			seen[info.Dev] = true
			if space, err := sys.Statfs(m); err == nil && space.Blocks > 0 {
				list = append(list, filesystem{filesystemType, m, space})
			}
		}
		return list, ok
	}
	for _, name := range operands {
		_, err := d.p.Stat(name)
		var space sys.Space
		if err == nil {
			space, err = sys.Statfs(d.p.Path(name))
		}
		if err != nil {
			d.p.Errorf("%s: %s", quote.File(name), sys.Strerror(err))
			ok = false
			continue
		}
		list = append(list, filesystem{filesystemType, mountPoint(d.p, name), space})
	}
	return list, ok
}

func (d *freeLister) show(list []filesystem) {
	rows := [][]string{d.header()}
	var sum sys.Space
	for _, f := range list {
		rows = append(rows, d.row(f.name, f.mount, f.space))
		sum.Blocks += f.space.Blocks * f.space.BlockSize
		sum.BlocksFree += f.space.BlocksFree * f.space.BlockSize
		sum.Files += f.space.Files
		sum.FilesFree += f.space.FilesFree
	}
	if d.total {
		sum.BlockSize = 1
		rows = append(rows, d.row("total", "-", sum))
	}
	d.print(rows)
}

func (d *freeLister) header() []string {
	row := []string{"Filesystem"}
	if d.kind {
		row = append(row, "Type")
	}
	switch {
	case d.inodes:
		row = append(row, "Inodes", "IUsed", "IFree", "IUse%")
	case d.unit.human != 0:
		row = append(row, "Size", "Used", "Avail", "Use%")
	case d.posix:
		row = append(row, strconv.FormatInt(d.unit.size, 10)+"-blocks", "Used", "Available", "Capacity")
	default:
		row = append(row, humanSize(d.unit.size, 1024)+"-blocks", "Used", "Available", "Use%")
		if d.unit.size == 1024 {
			row[len(row)-4] = "1K-blocks"
		}
	}
	return append(row, "Mounted on")
}

func (d *freeLister) row(name, mount string, s sys.Space) []string {
	row := []string{name}
	if d.kind {
		row = append(row, filesystemType)
	}
	total, free := s.Blocks*s.BlockSize, s.BlocksFree*s.BlockSize
	show := d.unit.format
	if d.inodes {
		total, free = s.Files, s.FilesFree
		show = func(n int64) string {
			if d.unit.human != 0 {
				return humanSize(n, d.unit.human)
			}
			return strconv.FormatInt(n, 10)
		}
	}
	used := total - min(free, total)
	share := "-"
	if total > 0 {
		share = strconv.FormatUint((used*100+total-1)/total, 10) + "%"
	}
	return append(row, show(int64(total)), show(int64(used)), show(int64(free)), share, mount)
}

// print aligns the columns: text to the left, numbers to the right.
func (d *freeLister) print(rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			widths[i] = max(widths[i], len(c))
		}
	}
	const nameWidth, numberWidth = 14, 5
	widths[0] = max(widths[0], nameWidth)
	for i := 1; i < len(widths)-1; i++ {
		if rows[0][i] != "Type" && rows[0][i] != "Use%" {
			widths[i] = max(widths[i], numberWidth)
		}
	}
	for _, r := range rows {
		for i, c := range r {
			switch {
			case i == len(r)-1:
				fmt.Fprintf(d.p.Out(), "%s\n", c)
			case i == 0 || (d.kind && i == 1):
				fmt.Fprintf(d.p.Out(), "%-*s ", widths[i], c)
			default:
				fmt.Fprintf(d.p.Out(), "%*s ", widths[i], c)
			}
		}
	}
}
