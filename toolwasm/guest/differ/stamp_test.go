package differ_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/differ"
)

func TestContextHeadersHaveTheTimeAsUnifiedOnesHave(t *testing.T) {
	r := commandtest.New(t, differ.Commands())
	r.Write("a", "1\n")
	r.Write("b", "2\n")
	when := time.Date(2024, 5, 6, 7, 8, 9, 500, time.UTC)
	for _, name := range []string{"a", "b"} {
		commandtest.Must(t, os.Chtimes(filepath.Join(r.Dir, name), when, when))
	}
	const stamp = "\t2024-05-06 07:08:09.000000500 +0000\n"
	if got := r.Run("", "diff", "-c", "a", "b"); !strings.HasPrefix(got.Stdout, "*** a"+stamp+"--- b"+stamp) {
		t.Errorf("%+v", got)
	}
}
