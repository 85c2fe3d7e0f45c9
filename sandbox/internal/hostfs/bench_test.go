package hostfs_test

import (
	"os"
	"strings"
	"testing"

	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/vfs"
)

// benchmarkDepths are how many directories are above the file.
var benchmarkDepths = map[string]int{"depth=1": 0, "depth=4": 3, "depth=8": 7}

func benchmark(b *testing.B, mounted func(fs vfs.FS, path string), native func(path string)) {
	w := newWorld(b)
	fs := w.mount(hostfs.Options{Protect: hostfs.DefaultProtection()})
	for _, name := range []string{"depth=1", "depth=4", "depth=8"} {
		path := strings.Repeat("dir/", benchmarkDepths[name]) + "file"
		w.write(path, "content")
		b.Run(name+"/mounted", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mounted(fs, path)
			}
		})
		// The same without the one step over plain directories.
		b.Run(name+"/stepwise", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mounted(fs, "./"+path)
			}
		})
		host := w.host(path)
		b.Run(name+"/native", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				native(host)
			}
		})
	}
}

func BenchmarkStat(b *testing.B) {
	benchmark(b, func(fs vfs.FS, path string) {
		if _, errno := fs.Stat(path, true); errno != vfs.OK {
			b.Fatalf("errno %d", errno)
		}
	}, func(path string) {
		if _, err := os.Stat(path); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	benchmark(b, func(fs vfs.FS, path string) {
		f, errno := fs.Open(path, vfs.Read, 0)
		if errno != vfs.OK {
			b.Fatalf("errno %d", errno)
		}
		f.Close()
	}, func(path string) {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	})
}

func BenchmarkAppend(b *testing.B) {
	line := []byte(strings.Repeat("x", 100))
	w := newWorld(b)
	f := open(b, w.mount(hostfs.Options{}), "mounted", vfs.Write|vfs.Append|vfs.Create)
	defer f.Close()
	b.Run("mounted", func(b *testing.B) {
		for b.Loop() {
			f.Write(line)
		}
	})
	native, err := os.OpenFile(w.host("native"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	w.must(err)
	defer native.Close()
	b.Run("native", func(b *testing.B) {
		for b.Loop() {
			native.Write(line)
		}
	})
}

func BenchmarkNew(b *testing.B) {
	w := newWorld(b)
	for b.Loop() {
		fs, err := hostfs.New(w.ws, hostfs.Options{Protect: hostfs.DefaultProtection()})
		w.must(err)
		fs.Close()
	}
}

func BenchmarkOverwrite(b *testing.B) {
	w := newWorld(b)
	fs := w.mount(hostfs.Options{Protect: hostfs.DefaultProtection()})
	w.write("dir/file", "content")
	b.Run("mounted", func(b *testing.B) {
		for b.Loop() {
			put(fs, "dir/file", "content")
		}
	})
	b.Run("native", func(b *testing.B) {
		for b.Loop() {
			w.must(os.WriteFile(w.host("dir/file"), []byte("content"), 0o644))
		}
	})
}
