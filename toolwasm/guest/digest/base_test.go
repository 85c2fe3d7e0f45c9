package digest_test

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/digest"
)

// TestBase64OfEveryLength compares with another encoder, over the ends of groups, lines and what is read at once.
func TestBase64OfEveryLength(t *testing.T) {
	r := commandtest.New(t, digest.Commands())
	data := make([]byte, 200_001)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(data)
	sizes := []int{65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 200_001}
	for n := range 160 {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		in := string(data[:n])
		want := base64.StdEncoding.EncodeToString([]byte(in))
		if got := r.Run(in, "base64", "-w0"); got.Stdout != want {
			t.Fatalf("%d bytes: base64 -w0 differs", n)
		}
		if got := r.Run(in, "basenc", "-w0", "--base64url"); got.Stdout != base64.URLEncoding.EncodeToString([]byte(in)) {
			t.Fatalf("%d bytes: basenc --base64url differs", n)
		}
		lines := r.Run(in, "base64").Stdout
		if strings.ReplaceAll(lines, "\n", "") != want || n > 0 && !strings.HasSuffix(lines, "\n") {
			t.Fatalf("%d bytes: base64 differs", n)
		}
		if got := r.Run(lines, "base64", "-d"); got.Stdout != in || got.Status != 0 {
			t.Fatalf("%d bytes: base64 -d differs, status %d, stderr %q", n, got.Status, got.Stderr)
		}
	}
}

func TestBase64DecodesUpToWhatIsWrong(t *testing.T) {
	r := commandtest.New(t, digest.Commands())
	good := bytes.Repeat([]byte("YWJj"), 1000)
	for _, at := range []int{0, 1, 2, 3, 4, 5, 1998, 1999, 2000, 2001, 4000} {
		in := string(good[:at]) + "*" + string(good[at:])
		got := r.Run(in, "base64", "-d")
		want := strings.Repeat("abc", at/4) + "abc"[:max(0, at%4-1)]
		if got.Stdout != want || got.Status != 1 {
			t.Errorf("wrong at %d: got %d bytes, status %d, want %d bytes", at, len(got.Stdout), got.Status, len(want))
		}
		if got := r.Run(in, "base64", "-di"); got.Stdout != strings.Repeat("abc", 1000) || got.Status != 0 {
			t.Errorf("wrong at %d: with -i got %d bytes, status %d", at, len(got.Stdout), got.Status)
		}
	}
}
