package image_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"openclaw/sandbox/internal/image"
)

const page = 64 << 10 // of WebAssembly

// content has a segment that ends in zeros, one behind many pages of them, and one at the end.
func content() image.Content {
	return image.Content{Size: 3 * page, Segments: []image.Segment{
		{Offset: 10, Bytes: append([]byte("first"), make([]byte, 20000)...)},
		{Offset: page, Bytes: append(make([]byte, 3*4096), "second"...)},
		{Offset: 3*page - 4, Bytes: []byte("last")},
	}}
}

func want() []byte {
	b := make([]byte, 3*page)
	copy(b[10:], "first")
	copy(b[page+3*4096:], "second")
	copy(b[3*page-4:], "last")
	return b
}

// images are the content as each way of making an image keeps it.
func images(t *testing.T) map[string]*image.Image {
	t.Helper()
	fresh, err := image.New(content())
	must(t, err)
	name := filepath.Join(t.TempDir(), "image")
	must(t, image.Write(name, content()))
	stored, err := image.Open(name)
	must(t, err)
	t.Cleanup(func() { fresh.Close(); stored.Close() })
	return map[string]*image.Image{"new": fresh, "opened": stored}
}

func TestMemoryStartsAsTheImage(t *testing.T) {
	for name, img := range images(t) {
		t.Run(name, func(t *testing.T) {
			if img.Size() != 3*page {
				t.Errorf("Size = %d", img.Size())
			}
			m := img.NewMemory(10 * page)
			defer m.Free()
			if got := m.Reallocate(page); !bytes.Equal(got, want()) { // what the module declares is less than the image
				t.Error("the memory is not the image")
			}
		})
	}
}

func TestMemoriesDoNotSeeEachOther(t *testing.T) {
	for name, img := range images(t) {
		t.Run(name, func(t *testing.T) {
			a, b := img.NewMemory(10*page), img.NewMemory(10*page)
			defer a.Free()
			defer b.Free()
			copy(a.Reallocate(3*page), "changed")
			if got := b.Reallocate(3 * page); !bytes.Equal(got, want()) {
				t.Error("a change of one memory is in the other")
			}
			a.Free()
			later := img.NewMemory(10 * page)
			defer later.Free()
			if got := later.Reallocate(3 * page); !bytes.Equal(got, want()) {
				t.Error("a change of a memory is in the image")
			}
		})
	}
}

func TestMemoryOutlivesTheImage(t *testing.T) {
	img, err := image.New(content())
	must(t, err)
	m := img.NewMemory(4 * page)
	defer m.Free()
	b := m.Reallocate(3 * page)
	must(t, img.Close())
	if !bytes.Equal(b, want()) {
		t.Error("the memory went with the image")
	}
}

func TestGrowthKeepsContentAndAddsZeros(t *testing.T) {
	for name, img := range images(t) {
		t.Run(name, func(t *testing.T) {
			m := img.NewMemory(10 * page)
			defer m.Free()
			copy(m.Reallocate(3*page), "changed")
			grown := m.Reallocate(10 * page)
			expected := append(want(), make([]byte, 7*page)...)
			copy(expected, "changed")
			if !bytes.Equal(grown, expected) {
				t.Error("growth lost content")
			}
			grown[len(grown)-1] = 1 // all of it can be written
			if m.Peak() != 10*page || m.Exceeded() {
				t.Errorf("Peak = %d, Exceeded = %v", m.Peak(), m.Exceeded())
			}
		})
	}
}

func TestGrowthBeyondTheLimitIsRefused(t *testing.T) {
	img, err := image.New(image.Content{Size: page})
	must(t, err)
	defer img.Close()
	m := img.NewMemory(2 * page)
	defer m.Free()
	told := 0
	m.OnExceed = func() { told++ }
	if m.Reallocate(2*page) == nil {
		t.Fatal("the limit itself was refused")
	}
	if m.Reallocate(2*page+1) != nil || !m.Exceeded() || told != 1 {
		t.Errorf("Exceeded = %v, told %d times", m.Exceeded(), told)
	}
	if m.Limit() != 2*page || m.Peak() != 2*page {
		t.Errorf("Limit = %d, Peak = %d", m.Limit(), m.Peak())
	}
}

func TestImageLargerThanTheLimitIsRefused(t *testing.T) {
	img, err := image.New(content())
	must(t, err)
	defer img.Close()
	m := img.NewMemory(2 * page)
	defer m.Free()
	if m.Reallocate(page) != nil || !m.Exceeded() {
		t.Error("a memory smaller than its image was made")
	}
}

func TestEmptyImage(t *testing.T) {
	img, err := image.New(image.Content{})
	must(t, err)
	defer img.Close()
	m := img.NewMemory(page)
	if got := m.Reallocate(0); len(got) != 0 {
		t.Errorf("Reallocate(0) has %d bytes", len(got))
	}
	if got := m.Reallocate(page); !bytes.Equal(got, make([]byte, page)) {
		t.Error("what an empty image grows to is not zero")
	}
	m.Free()
	m.Free() // does nothing
}

func TestReplaceKeepsTheOldFileOnFailure(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	must(t, os.WriteFile(name, []byte("old"), 0o644))
	cause := errors.New("full")
	err := image.Replace(name, func(f *os.File) error {
		_, _ = f.WriteString("half")
		return cause
	})
	if !errors.Is(err, cause) {
		t.Errorf("Replace = %v, want the cause", err)
	}
	if got, _ := os.ReadFile(name); string(got) != "old" {
		t.Errorf("the file holds %q", got)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("the directory holds %v", list)
	}
}

func TestOpenTellsWhatIsMissing(t *testing.T) {
	if _, err := image.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Open = %v, want ErrNotExist", err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
