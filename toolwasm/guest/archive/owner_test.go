package archive_test

import (
	"strings"
	"testing"

	"openclaw/toolwasm/guest/archive"
	"openclaw/toolwasm/guest/commandtest"
)

func TestOwnerZeroIsRoot(t *testing.T) {
	r := commandtest.New(t, archive.Commands())
	r.Write("f", "x")
	r.Run("", "tar", "--owner=0", "--group=0", "-cf", "a.tar", "f")
	if got := r.Run("", "tar", "-tvf", "a.tar"); !strings.Contains(got.Stdout, " root/root ") {
		t.Errorf("%+v", got)
	}
	r.Run("", "tar", "--owner=7", "--group=8", "-cf", "b.tar", "f")
	if got := r.Run("", "tar", "-tvf", "b.tar"); !strings.Contains(got.Stdout, " 7/8 ") {
		t.Errorf("%+v", got)
	}
}
