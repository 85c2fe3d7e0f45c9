// Stage is a program for pipelines that go wrong: its first argument says how it treats its streams.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	if len(os.Args) < 2 {
		os.Exit(2)
	}
	mode, rest := os.Args[1], os.Args[2:]
	number := func(i int) int {
		if i >= len(rest) {
			return 0
		}
		n, err := strconv.Atoi(rest[i])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return n
	}
	switch mode {
	case "cat": // carries on what it gets
		copyAll(os.Stdout, os.Stdin)
	case "slow": // the same, a few bytes at a time, with pauses
		b := make([]byte, 1+number(0))
		for {
			n, err := os.Stdin.Read(b)
			write(b[:n])
			if err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	case "take": // reads n bytes, carries them on and leaves
		_, _ = io.CopyN(os.Stdout, os.Stdin, int64(number(0)))
	case "flood": // writes n bytes, or for ever
		block := []byte(strings.Repeat("0123456789abcde\n", 4096))
		if n := number(0); n > 0 {
			for ; n > 0; n -= min(n, len(block)) {
				write(block[:min(n, len(block))])
			}
			return
		}
		for {
			write(block)
		}
	case "stubborn": // writes for ever, whatever happens
		for {
			_, _ = os.Stdout.WriteString("y\n")
		}
	case "count": // reads everything and writes how much it was
		n, _ := io.Copy(io.Discard, os.Stdin)
		fmt.Println(n)
	case "silent": // reads everything and writes nothing
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "deaf": // neither reads nor writes
	case "sleep":
		time.Sleep(time.Duration(number(0)) * time.Millisecond)
	case "spin":
		for i := 0; ; i++ {
			if i < 0 {
				fmt.Println()
			}
		}
	case "args":
		fmt.Printf("%q\n", rest)
	case "env":
		fmt.Println(os.Getenv(rest[0]))
	case "pwd":
		dir, err := os.Getwd()
		fmt.Println(dir, err)
	case "exit":
		os.Exit(number(0))
	case "err":
		fmt.Fprintln(os.Stderr, strings.Join(rest, " "))
	case "both":
		fmt.Println("out")
		fmt.Fprintln(os.Stderr, "err")
	case "open": // shows files
		for _, name := range rest {
			f, err := os.Open(name)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			copyAll(os.Stdout, f)
		}
	case "grow":
		var all [][]byte
		for {
			all = append(all, make([]byte, 1<<20))
			all[len(all)-1][0] = 1
		}
	case "lines": // upper case, a line at a time
		s := bufio.NewScanner(os.Stdin)
		for s.Scan() {
			write([]byte(strings.ToUpper(s.Text()) + "\n"))
		}
	default:
		os.Exit(2)
	}
}

// write ends the program when nobody reads, as SIGPIPE would.
func write(b []byte) {
	if _, err := os.Stdout.Write(b); err != nil {
		os.Exit(141)
	}
}

func copyAll(w io.Writer, r io.Reader) {
	if _, err := io.Copy(w, r); err != nil {
		os.Exit(141)
	}
}
