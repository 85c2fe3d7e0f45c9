package system

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/getopt"
)

const calHelp = `Usage: cal [OPTION]... [[[DAY] MONTH] YEAR]
Write a calendar of the month, or of MONTH or YEAR.

  -1, --one       one month (the default)
  -3, --three     the months before and after it too
  -n, --months=N  N months
  -m, --monday    weeks begin on Monday
  -s, --sunday    weeks begin on Sunday (the default)
  -j, --julian    days are counted through the year
  -y, --year      the whole year
`

type calendar struct {
	monday, julian bool
	cell           int // the width of a day, with the blank before it
}

func calCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "13n:msjy",
		Long: []getopt.Long{
			{Name: "one", Short: '1'},
			{Name: "three", Short: '3'},
			{Name: "months", Arg: getopt.Required, Short: 'n'},
			{Name: "monday", Short: 'm'},
			{Name: "sunday", Short: 's'},
			{Name: "julian", Short: 'j'},
			{Name: "year", Short: 'y'},
		},
	})
	c := calendar{cell: 3}
	now := time.Now().In(datetime.Location(p.Env))
	year, month := now.Year(), now.Month()
	count, before, whole := 1, 0, false
	for _, o := range opts {
		switch o.Name {
		case "1":
			count, before = 1, 0
		case "3":
			count, before = 3, 1
		case "n":
			const most = 12000
			n, err := strconv.Atoi(o.Arg)
			if err != nil || n < 1 || n > most {
				p.Errorf("invalid month argument: '%s'", o.Arg)
				return 1
			}
			count = n
		case "m":
			c.monday = true
		case "s":
			c.monday = false
		case "j":
			c.julian, c.cell = true, 4
		case "y":
			whole = true
		}
	}
	if len(operands) > 3 {
		return p.Usage(1, "bad usage")
	}
	if n := len(operands); n > 0 {
		y, err := strconv.Atoi(operands[n-1])
		if err != nil || y < 1 {
			p.Errorf("illegal year value: use positive integer")
			return 1
		}
		year = y
		if n == 1 {
			whole = true
		} else if month = monthNamed(operands[n-2]); month == 0 {
			p.Errorf("illegal month value: use 1-12")
			return 1
		}
	}
	if whole {
		c.writeYear(p, year)
		return 0
	}
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).AddDate(0, -before, 0)
	c.writeMonths(p, first, count, true)
	return 0
}

func monthNamed(s string) time.Month {
	if n, err := strconv.Atoi(s); err == nil {
		if n < 1 || n > 12 {
			return 0
		}
		return time.Month(n)
	}
	for m := time.January; m <= time.December; m++ {
		name := m.String()
		if len(s) >= 3 && len(s) <= len(name) && strings.EqualFold(name[:len(s)], s) {
			return m
		}
	}
	return 0
}

func (c *calendar) width() int { return 7*c.cell - 1 }

func center(s string, width int) string {
	left := max((width-len(s))/2, 0)
	return strings.Repeat(" ", left) + s + strings.Repeat(" ", max(width-left-len(s), 0))
}

func (c *calendar) writeYear(p *command.Proc, year int) {
	const inRow, gutter = 3, 3
	line := center(strconv.Itoa(year), inRow*c.width()+(inRow-1)*gutter)
	_, _ = p.Out().WriteString(line + "\n\n")
	c.writeMonths(p, time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC), 12, false)
}

// writeMonths writes months in rows of three.
func (c *calendar) writeMonths(p *command.Proc, first time.Time, count int, withYear bool) {
	inRow, gutter := 3, "  "
	if !withYear {
		gutter = "   "
	}
	for at := 0; at < count; at += inRow {
		p.Yield()
		var blocks [][]string
		for i := at; i < min(at+inRow, count); i++ {
			blocks = append(blocks, c.month(first.AddDate(0, i, 0), withYear))
		}
		for row := range blocks[0] {
			for i, b := range blocks {
				if i > 0 {
					_, _ = p.Out().WriteString(gutter)
				}
				_, _ = p.Out().WriteString(b[row])
			}
			_ = p.Out().WriteByte('\n')
		}
	}
}

// month gives the lines of a month: its name, the days of the week and six weeks.
func (c *calendar) month(first time.Time, withYear bool) []string {
	title := first.Month().String()
	if withYear {
		title += " " + strconv.Itoa(first.Year())
	}
	names := []string{"Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"}
	start := int(first.Weekday())
	if c.monday {
		names = append(names[1:], names[0])
		start = (start + 6) % 7
	}
	head := make([]string, len(names))
	for i, n := range names {
		head[i] = fmt.Sprintf("%*s", c.cell-1, n)
	}
	out := []string{center(title, c.width()), strings.Join(head, " ")}
	day := 1 - start
	last := first.AddDate(0, 1, -1).Day()
	const weeks = 6
	for range weeks {
		cells := make([]string, 7)
		for i := range cells {
			cells[i] = strings.Repeat(" ", c.cell-1)
			if day >= 1 && day <= last {
				n := day
				if c.julian {
					n = first.AddDate(0, 0, day-1).YearDay()
				}
				cells[i] = fmt.Sprintf("%*d", c.cell-1, n)
			}
			day++
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out
}
