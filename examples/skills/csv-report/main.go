// Csv-report sums up the columns of a CSV file: as a tool, with the arguments as JSON on standard input, and as a command that reads the file
// itself there.
package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
)

type column struct {
	Name    string   `json:"name"`
	Numbers int      `json:"numbers"`
	Empty   int      `json:"empty"`
	Sum     *float64 `json:"sum,omitempty"`
	Least   *float64 `json:"least,omitempty"`
	Most    *float64 `json:"most,omitempty"`
	Mean    *float64 `json:"mean,omitempty"`
}

type report struct {
	Rows    int      `json:"rows"`
	Columns []column `json:"columns"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "csv-report:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		r, err := read(os.Stdin)
		if err != nil {
			return err
		}
		return r.print(os.Stdout)
	}
	var arguments struct {
		File string `json:"file"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&arguments); err != nil {
		return err
	}
	name := arguments.File
	if !filepath.IsAbs(name) {
		name = filepath.Join("/workspace", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", arguments.File, err)
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

func read(in io.Reader) (*report, error) {
	rows := csv.NewReader(in)
	rows.FieldsPerRecord, rows.ReuseRecord = -1, true
	head, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return &report{Columns: []column{}}, nil
	}
	if err != nil {
		return nil, err
	}
	r := &report{Columns: make([]column, len(head))}
	for i, name := range head {
		r.Columns[i].Name = strings.TrimPrefix(name, "\ufeff")
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		r.Rows++
		for i, cell := range row[:min(len(row), len(r.Columns))] {
			r.Columns[i].add(strings.TrimSpace(cell))
		}
	}
	for i := range r.Columns {
		if c := &r.Columns[i]; c.Numbers > 0 {
			mean := *c.Sum / float64(c.Numbers)
			c.Mean = &mean
		}
	}
	return r, nil
}

func (c *column) add(cell string) {
	if cell == "" {
		c.Empty++
		return
	}
	n, err := strconv.ParseFloat(cell, 64)
	if err != nil || n-n != 0 { // a word, or no finite number, which JSON has not
		return
	}
	if c.Numbers++; c.Numbers == 1 {
		sum, least, most := n, n, n
		c.Sum, c.Least, c.Most = &sum, &least, &most
		return
	}
	*c.Sum, *c.Least, *c.Most = *c.Sum+n, min(*c.Least, n), max(*c.Most, n)
}

func (r *report) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%d rows\tnumbers\tsum\tleast\tmost\tmean\n", r.Rows)
	for _, c := range r.Columns {
		fmt.Fprintf(w, "%s\t%d", c.Name, c.Numbers)
		for _, v := range []*float64{c.Sum, c.Least, c.Most, c.Mean} {
			text := "-"
			if v != nil {
				text = strconv.FormatFloat(*v, 'g', 12, 64)
			}
			fmt.Fprint(w, "\t", text)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
