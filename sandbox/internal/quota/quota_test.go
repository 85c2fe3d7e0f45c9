package quota_test

import (
	"sync"
	"testing"

	"pgregory.net/rapid"

	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/vfs"
)

// TestUsageStaysWithinItsBounds charges and gives back at random and compares with plain sums.
func TestUsageStaysWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := quota.Limits{
			Bytes: rapid.Int64Range(0, 1000).Draw(t, "bytes"),
			Files: rapid.Int64Range(0, 10).Draw(t, "files"),
		}
		hits := 0
		q := quota.New(limits, func(quota.Kind) { hits++ })
		var bytes, files int64
		refused := 0
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			n := rapid.Int64Range(-5, 400).Draw(t, "n")
			switch rapid.SampledFrom([]string{"grow", "shrink", "add", "remove"}).Draw(t, "op") {
			case "grow":
				fits := limits.Bytes == 0 || bytes+max(n, 0) <= limits.Bytes
				if got := q.Grow(n); (got == vfs.OK) != (fits || n <= 0) {
					t.Fatalf("grow %d at %d: errno %d", n, bytes, got)
				}
				if fits && n > 0 {
					bytes += n
				} else if n > 0 {
					refused++
				}
			case "shrink":
				q.Shrink(n)
				bytes = max(bytes-max(n, 0), 0)
			case "add":
				fits := limits.Files == 0 || files < limits.Files
				if got := q.AddFile(); (got == vfs.OK) != fits {
					t.Fatalf("file at %d: errno %d", files, got)
				}
				if fits {
					files++
				} else {
					refused++
				}
			case "remove":
				q.RemoveFile()
				files = max(files-1, 0)
			}
			if u := q.Usage(); u.Bytes != bytes || u.Files != files {
				t.Fatalf("usage %+v, want %d bytes and %d files", u, bytes, files)
			}
		}
		if hits != refused || (len(q.Hit()) > 0) != (refused > 0) {
			t.Fatalf("%d refused, %d reported, hit %v", refused, hits, q.Hit())
		}
	})
}

func TestManyAtOnceNeverPassTheLimit(t *testing.T) {
	q := quota.New(quota.Limits{Bytes: 1000, Handles: 7}, nil)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 500 {
				if q.Grow(300) == vfs.OK {
					if q.Usage().Bytes > 1000 {
						t.Error("too many bytes")
					}
					q.Shrink(300)
				}
				if q.OpenHandle() == vfs.OK {
					if q.Usage().Handles > 7 {
						t.Error("too many handles")
					}
					q.CloseHandle()
				}
			}
		})
	}
	group.Wait()
	if u := q.Usage(); u != (quota.Usage{}) {
		t.Errorf("%+v is left", u)
	}
}

func TestNoQuotaLimitsNothing(t *testing.T) {
	var q *quota.Quota
	q.Shrink(1)
	q.RemoveFile()
	q.CloseHandle()
	for _, errno := range []vfs.Errno{q.Grow(1 << 60), q.AddFile(), q.OpenHandle(), q.CheckSize(1 << 60), q.CheckDepth(vfs.MaxDepth)} {
		if errno != vfs.OK {
			t.Errorf("errno %d", errno)
		}
	}
	if q.CheckDepth(vfs.MaxDepth+1) != vfs.ENAMETOOLONG || q.CheckSize(-1) != vfs.EFBIG {
		t.Error("what no filesystem can hold is allowed")
	}
	if q.Hit() != nil || q.Usage() != (quota.Usage{}) || q.Statfs().BlocksFree == 0 {
		t.Error("something is counted")
	}
}

func TestSumsDoNotOverflow(t *testing.T) {
	q := quota.New(quota.Limits{Bytes: 1 << 62}, nil)
	q.Grow(1 << 62)
	for range 3 {
		if q.Grow(1<<62) != vfs.EDQUOT {
			t.Fatal("the sum passes the limit")
		}
	}
	unlimited := quota.New(quota.Limits{}, nil)
	unlimited.Grow(1 << 62)
	if unlimited.Grow(1<<62) != vfs.EDQUOT || unlimited.Usage().Bytes != 1<<62 {
		t.Error("the sum overflows")
	}
}

func TestStatfsShowsTheQuota(t *testing.T) {
	q := quota.New(quota.Limits{Bytes: 10 * 4096, Files: 5}, nil)
	q.Grow(4096)
	q.AddFile()
	if got, want := q.Statfs(), (vfs.Statfs{BlockSize: 4096, Blocks: 10, BlocksFree: 9, Files: 5, FilesFree: 4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestAnAccountWithinAnotherChargesBoth(t *testing.T) {
	refused := 0
	whole := quota.New(quota.Limits{Bytes: 100, Files: 2, Handles: 2, FileSize: 50, Depth: 3}, func(quota.Kind) { refused++ })
	part := whole.Within(quota.Limits{Bytes: 30})
	if part.Grow(20) != vfs.OK || part.Grow(20) != vfs.EDQUOT || whole.Usage().Bytes != 20 {
		t.Errorf("%+v", whole.Usage())
	}
	if whole.Grow(75) != vfs.OK || part.Grow(10) != vfs.EDQUOT || part.Usage().Bytes != 20 {
		t.Errorf("%+v, %+v", part.Usage(), whole.Usage())
	}
	part.Shrink(20)
	if part.AddFile() != vfs.OK || whole.AddFile() != vfs.OK || part.AddFile() != vfs.EDQUOT || part.Usage().Files != 1 {
		t.Errorf("%+v, %+v", part.Usage(), whole.Usage())
	}
	part.RemoveFile()
	for n, want := range []vfs.Errno{vfs.OK, vfs.OK, vfs.EMFILE} {
		if got := part.OpenHandle(); got != want {
			t.Errorf("handle %d: errno %d, want %d", n, got, want)
		}
	}
	part.CloseHandle()
	if part.CheckSize(51) != vfs.EFBIG || part.CheckSize(50) != vfs.OK || part.CheckDepth(4) != vfs.ENAMETOOLONG || part.CheckDepth(3) != vfs.OK {
		t.Error("sizes or depths of the whole do not hold in the part")
	}
	if want := (quota.Usage{Bytes: 75, Files: 1, Handles: 1}); whole.Usage() != want || refused != 6 {
		t.Errorf("%+v, refused %d times", whole.Usage(), refused)
	}
	if alone := (*quota.Quota)(nil).Within(quota.Limits{Bytes: 1}); alone.Grow(1) != vfs.OK || alone.Grow(1) != vfs.EDQUOT || alone.CheckDepth(5) != vfs.OK {
		t.Error("an account in none")
	}
}
