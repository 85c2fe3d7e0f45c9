package digest_test

import (
	"strings"
	"testing"

	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/digest"
)

type digestCase struct {
	line, in, want string
	status         int
}

func check(t *testing.T, cases []digestCase) {
	t.Helper()
	r := commandtest.New(t, digest.Commands())
	r.Write("f", "hello\n")
	r.Write("list", "b1946ac92492d2347c6235b4d2611184  f\n00000000000000000000000000000000  f\nbad\n")
	for _, c := range cases {
		words := strings.Fields(c.line)
		for i, w := range words {
			words[i] = strings.ReplaceAll(w, "~", " ")
		}
		got := r.Run(c.in, words...)
		if got.Stdout != c.want || got.Status != c.status {
			t.Errorf("%s: got %q, status %d, stderr %q; want %q, status %d", c.line, got.Stdout, got.Status, got.Stderr, c.want, c.status)
		}
	}
}

func TestChecksums(t *testing.T) {
	check(t, []digestCase{
		{"md5sum f", "", "b1946ac92492d2347c6235b4d2611184  f\n", 0},
		{"md5sum", "hello\n", "b1946ac92492d2347c6235b4d2611184  -\n", 0},
		{"md5sum --tag f", "", "MD5 (f) = b1946ac92492d2347c6235b4d2611184\n", 0},
		{"sha1sum f", "", "f572d396fae9206628714fb2ce00f72e94f2258f  f\n", 0},
		{"sha256sum -b f", "", "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03 *f\n", 0},
		{"b2sum -l 128", "abc", "cf4ab791c62b8d2b2109c90275287816  -\n", 0},
		{"cksum f", "", "3015617425 6 f\n", 0},
		{"sum f", "", "36979     1 f\n", 0},
		{"sum -s f", "", "542 1 f\n", 0},
		{"md5sum nosuch", "", "", 1},
	})
}

func TestChecksumsAreChecked(t *testing.T) {
	check(t, []digestCase{
		{"md5sum -c list", "", "f: OK\nf: FAILED\n", 1},
		{"md5sum -c --quiet list", "", "f: FAILED\n", 1},
		{"md5sum -c --status list", "", "", 1},
		{"md5sum -c", "b1946ac92492d2347c6235b4d2611184  f\n", "f: OK\n", 0},
		{"md5sum -c", "b1946ac92492d2347c6235b4d2611184  nosuch\n", "nosuch: FAILED open or read\n", 1},
		{"md5sum -c --ignore-missing", "b1946ac92492d2347c6235b4d2611184  nosuch\n", "", 1},
		{"cksum -c", "MD5 (f) = b1946ac92492d2347c6235b4d2611184\n", "f: OK\n", 0},
		{"md5sum -c", "nothing\n", "", 1},
	})
}

func TestEncodings(t *testing.T) {
	check(t, []digestCase{
		{"base64", "hello\n", "aGVsbG8K\n", 0},
		{"base64 -w 4", "hello\n", "aGVs\nbG8K\n", 0},
		{"base64 -w 0", "a", "YQ==", 0},
		{"base64 -d", "aGVs\nbG8K\n", "hello\n", 0},
		{"base64 -d", "YW!Jj", "a", 1},
		{"base64 -di", "YW!Jj", "abc", 0},
		{"base64 -d", "YWJjZ", "abc", 1},
		{"base32", "abc", "MFRGG===\n", 0},
		{"base32 -d", "MFRGG===", "abc", 0},
		{"basenc --base16", "\xab\xcd", "ABCD\n", 0},
		{"basenc --base2lsbf", "\x01", "10000000\n", 0},
		{"basenc --base64url", "\xff\xff\xfe", "___-\n", 0},
	})
}

func TestDumps(t *testing.T) {
	check(t, []digestCase{
		{"od -c", "a\n\x00\xff", "0000000   a  \\n  \\0 377\n0000004\n", 0},
		{"od -An -tx1", "hello", " 68 65 6c 6c 6f\n", 0},
		{"od -Ax -tx2z", "hello", "000000 6568 6c6c 006f                           >hello<\n000005\n", 0},
		{"od -An -td2 --endian=big", "\x01\x02", "    258\n", 0},
		{"od -v -w2 -An -to1", "\x00\x00\x00\x00", " 000 000\n 000 000\n", 0},
		{"od -w2 -An -to1", strings.Repeat("\x00", 8), " 000 000\n*\n", 0},
		{"od -j 2 -N 2 -An -c", "abcdef", "   c   d\n", 0},
		{"od -An -tf4", "\x00\x00\x80\x3f", "               1\n", 0},
		{"od --traditional 1", "abc", "0000001 061542\n0000003\n", 0},
		{"xxd -c -1", "a", "", 1},
		{"xxd -c 0 -p", "abc", "616263\n", 0},
		{"od -S 3", "ab\x00abcd\x00", "0000003 abcd\n", 0},
		{"xxd", "hello, world!!\n", "00000000: 6865 6c6c 6f2c 2077 6f72 6c64 2121 0a    hello, world!!.\n", 0},
		{"xxd -p", "hello", "68656c6c6f\n", 0},
		{"xxd -r -p", "6865 6c6c6f", "hello", 0},
		{"xxd -r", "00000000: 6865 6c6c 6f  hello\n", "hello", 0},
		{"xxd -b -c 2", "ab", "00000000: 01100001 01100010  ab\n", 0},
		{"xxd -i", "ab", "  0x61, 0x62\n", 0},
		{"hexdump -C", "hello", "00000000  68 65 6c 6c 6f                                    |hello|\n00000005\n", 0},
		{"hexdump -v -e /1~\"%02x~\"", "ab", "61 62 ", 0},
	})
}

func TestEveryCommandHasHelp(t *testing.T) {
	r := commandtest.New(t, digest.Commands())
	for _, c := range digest.Commands() {
		if got := r.Run("", c.Name, "--help"); got.Status != 0 || !strings.HasPrefix(got.Stdout, "Usage: ") {
			t.Errorf("%s --help: status %d, %q", c.Name, got.Status, got.Stdout)
		}
	}
}

func FuzzOd(f *testing.F) {
	for _, s := range []string{"x1z", "fD", "a", "d2u4", "c", "o8", "fL"} {
		f.Add(s, []byte("some bytes \x00\xff"))
	}
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		r := commandtest.New(t, digest.Commands())
		if got := r.Run(string(data), "od", "-t", format); got.Status != 0 && got.Stderr == "" {
			t.Errorf("od -t %q: status %d and no message", format, got.Status)
		}
	})
}

func FuzzHexdumpFormat(f *testing.F) {
	for _, s := range []string{`"%02x "`, `8/1 "%_p" "\n"`, `"%_ad " 4/2 "%d" "\n"`, `/1 "%c"`, `"%s"`, `1/8 "%f"`} {
		f.Add(s, []byte("some bytes \x00\xff"))
	}
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		r := commandtest.New(t, digest.Commands())
		const most = 64
		if got := r.Run(string(data[:min(len(data), most)]), "hexdump", "-e", format); got.Status != 0 && got.Stderr == "" {
			t.Errorf("hexdump -e %q: status %d and no message", format, got.Status)
		}
	})
}
