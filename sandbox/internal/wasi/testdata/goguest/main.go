// Command goguest exercises Go's wasip1 port: each subcommand checks one thing
// and prints what it saw.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"time"
)

func main() {
	commands := map[string]func() error{
		"tick":  tick,
		"files": files,
		"cat":   cat,
		"sleep": sleep,
		"stdin": stdin,
	}
	run := commands[os.Args[1]]
	if run == nil {
		fmt.Fprintln(os.Stderr, "unknown command", os.Args[1])
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tick says so each time a millisecond has gone by while another goroutine
// waits for a line, and ends when the line is there.
func tick() error {
	line := make(chan string)
	go func() {
		s, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		line <- s
	}()
	for {
		select {
		case s := <-line:
			fmt.Print("line ", s)
			return nil
		case <-time.After(time.Millisecond):
			fmt.Println("tick")
		}
	}
}

func cat() error {
	_, err := io.Copy(os.Stdout, os.Stdin)
	return err
}

func sleep() error {
	time.Sleep(time.Hour)
	return nil
}

// stdin reads to the end with a deadline far away.
func stdin() error {
	b, err := io.ReadAll(os.Stdin)
	fmt.Printf("%d bytes\n", len(b))
	return err
}

type step struct {
	name string
	run  func() error
}

func files() error {
	for _, s := range []step{
		{"mkdir", func() error { return os.MkdirAll("/a/b/c", 0o755) }},
		{"write", func() error { return os.WriteFile("/a/b/file", []byte("hello\n"), 0o644) }},
		{"append", appendTo},
		{"read", func() error { return expect("/a/b/file", "hello\nworld\n") }},
		{"seek", seek},
		{"truncate", func() error {
			if err := os.Truncate("/a/b/file", 3); err != nil {
				return err
			}
			return expect("/a/b/file", "hel")
		}},
		{"rename", func() error { return os.Rename("/a/b/file", "/a/file") }},
		{"link", func() error { return os.Link("/a/file", "/a/hard") }},
		{"symlink", func() error { return os.Symlink("file", "/a/soft") }},
		{"readlink", func() error {
			s, err := os.Readlink("/a/soft")
			return same(s, "file", err)
		}},
		{"through link", func() error { return expect("/a/soft", "hel") }},
		{"lstat", lstat},
		{"times", times},
		{"readdir", readdir},
		{"many", many},
		{"walk", walk},
		{"absent", func() error {
			_, err := os.Open("/a/absent")
			if !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("open of an absent file: %v", err)
			}
			return nil
		}},
		{"chdir", func() error {
			if err := os.Chdir("/a/b"); err != nil {
				return err
			}
			return expect("../file", "hel")
		}},
		{"root", root},
		{"remove", func() error { return os.RemoveAll("/a") }},
		{"gone", func() error {
			if _, err := os.Stat("/a"); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("stat of a removed directory: %v", err)
			}
			return nil
		}},
	} {
		if err := s.run(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	fmt.Println("ok")
	return nil
}

func same(got, want string, err error) error {
	if err == nil && got != want {
		err = fmt.Errorf("got %q, want %q", got, want)
	}
	return err
}

func expect(path, want string) error {
	b, err := os.ReadFile(path)
	return same(string(b), want, err)
}

func appendTo() error {
	f, err := os.OpenFile("/a/b/file", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteString("world\n"); err != nil {
		return err
	}
	return f.Close()
}

func seek() error {
	f, err := os.OpenFile("/a/b/file", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("J"), 0); err != nil {
		return err
	}
	if _, err := f.Seek(-6, io.SeekEnd); err != nil {
		return err
	}
	b, err := io.ReadAll(f)
	if err := same(string(b), "world\n", err); err != nil {
		return err
	}
	_, err = f.WriteAt([]byte("h"), 0)
	return err
}

func lstat() error {
	st, err := os.Lstat("/a/soft")
	if err != nil {
		return err
	}
	if st.Mode()&fs.ModeSymlink == 0 {
		return fmt.Errorf("a link has mode %v", st.Mode())
	}
	a, err := os.Stat("/a/file")
	if err != nil {
		return err
	}
	b, err := os.Stat("/a/hard")
	if err == nil && !os.SameFile(a, b) {
		err = errors.New("two names of one file are not the same file")
	}
	return err
}

func times() error {
	want := time.Unix(1_000_000_000, 123)
	if err := os.Chtimes("/a/file", want, want); err != nil {
		return err
	}
	st, err := os.Stat("/a/file")
	if err == nil && !st.ModTime().Equal(want) {
		err = fmt.Errorf("modification time %v", st.ModTime())
	}
	return err
}

func readdir() error {
	list, err := os.ReadDir("/a")
	var names string
	for _, e := range list {
		names += e.Name() + " "
	}
	return same(names, "b file hard soft ", err)
}

// many makes a directory that takes more than one fd_readdir to read.
func many() error {
	const count = 300
	var want []string
	for i := range count {
		name := fmt.Sprintf("/a/b/c/a-rather-long-file-name-number-%03d", i)
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			return err
		}
		want = append(want, filepath.Base(name))
	}
	f, err := os.Open("/a/b/c")
	if err != nil {
		return err
	}
	defer f.Close()
	var got []string
	for {
		names, err := f.Readdirnames(7)
		got = append(got, names...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	sort.Strings(got)
	return same(fmt.Sprint(got), fmt.Sprint(want), nil)
}

func walk() error {
	n := 0
	err := filepath.WalkDir("/a", func(string, fs.DirEntry, error) error { n++; return nil })
	if err == nil && n != 306 {
		err = fmt.Errorf("walked %d entries", n)
	}
	return err
}

// root uses descriptors of directories, below which nothing gets out.
func root() error {
	r, err := os.OpenRoot("/a/b")
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.WriteFile("inside", []byte("x"), 0o600); err != nil {
		return err
	}
	if _, err := r.Open("../file"); err == nil {
		return errors.New("left a root by ..")
	}
	return expect("/a/b/inside", "x")
}
