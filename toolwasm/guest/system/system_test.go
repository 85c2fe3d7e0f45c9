package system_test

import (
	"strings"
	"testing"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/system"
	"openclaw/toolwasm/guest/text"
)

type systemCase struct {
	line, in, want string
	status         int
}

// echo and exit are what the commands under test run.
func helpers() []command.Command {
	return []command.Command{
		{Name: "echo", Run: func(p *command.Proc) int {
			_, _ = p.Out().WriteString(strings.Join(p.Args, " ") + "\n")
			return 0
		}},
		{Name: "exit", Run: func(p *command.Proc) int { return int(p.Args[0][0] - '0') }},
		{Name: "abort", Run: func(*command.Proc) int { return 255 }},
		{Name: "pwd", Run: func(p *command.Proc) int {
			_, _ = p.Out().WriteString(p.Dir + "\n")
			return 0
		}},
	}
}

func check(t *testing.T, cases []systemCase) {
	t.Helper()
	r := commandtest.New(t, system.Commands(), text.Commands(), helpers())
	for _, c := range cases {
		words := strings.Fields(c.line)
		for i, w := range words {
			words[i] = strings.NewReplacer("~", " ", "''", "").Replace(w)
		}
		got := r.Run(c.in, words...)
		if got.Stdout != c.want || got.Status != c.status {
			t.Errorf("%s: got %q, status %d, stderr %q; want %q, status %d", c.line, got.Stdout, got.Status, got.Stderr, c.want, c.status)
		}
	}
}

func TestEnv(t *testing.T) {
	check(t, []systemCase{
		{"env -i A=1 B=2", "", "A=1\nB=2\n", 0},
		{"env - A=1", "", "A=1\n", 0},
		{"env -i A=1 printenv A", "", "1\n", 0},
		{"env -u HOME printenv HOME", "", "", 1},
		{"env -S echo~a~'b~c'", "", "a b c\n", 0},
		{"env -C / pwd", "", "/\n", 0},
		{"env nosuch", "", "", 127},
		{"printenv HOME", "", "/home/agent\n", 0},
	})
}

func TestXargs(t *testing.T) {
	check(t, []systemCase{
		{"xargs", "a b\nc\n", "a b c\n", 0},
		{"xargs -n 2 echo x", "a b c", "x a b\nx c\n", 0},
		{"xargs -I {} echo <{}>", "a b\nc\n", "<a b>\n<c>\n", 0},
		{"xargs -L 1", "a b\nc\n", "a b\nc\n", 0},
		{"xargs -0 -n 1", "a b\x00c\x00", "a b\nc\n", 0},
		{"xargs -d , -n 1", "a,b", "a\nb\n", 0},
		{"xargs -n 1", `'a b' "c d" e\ f`, "a b\nc d\ne f\n", 0},
		{"xargs echo", "", "\n", 0},
		{"xargs -r echo", "", "", 0},
		{"xargs -E END", "a END b", "a\n", 0},
		{"xargs -n 1 exit", "0 3", "", 123},
		{"xargs abort", "x", "", 124},
		{"xargs nosuch", "x", "", 127},
		{"xargs", "it's", "", 1},
		{"xargs -s 9 echo", "aa bb cc", "aa\nbb\ncc\n", 0},
	})
}

func TestXargsRunsCommandsAtTheSameTime(t *testing.T) {
	r := commandtest.New(t, system.Commands(), text.Commands(), helpers())
	got := r.Run("1 2 3 0", "xargs", "-P", "3", "-n", "1", "exit")
	if got.Status != 123 {
		t.Errorf("status %d, want 123", got.Status)
	}
}

func TestTimeoutEndsACommand(t *testing.T) {
	check(t, []systemCase{
		{"timeout 10 echo x", "", "x\n", 0},
		{"timeout 10 exit 3", "", "", 3},
		{"timeout 0.01 sleep 60", "", "", 124},
		{"timeout -s KILL 0.01 sleep 60", "", "", 137},
		{"timeout --preserve-status 0.01 sleep 60", "", "", 143},
		{"timeout 0 echo x", "", "x\n", 0},
		{"timeout x echo", "", "", 125},
		{"timeout 1 nosuch", "", "", 127},
		{"sleep 0", "", "", 0},
		{"sleep x", "", "", 1},
	})
}

func TestDate(t *testing.T) {
	check(t, []systemCase{
		{"date -d @0", "", "Thu Jan  1 00:00:00 UTC 1970\n", 0},
		{"date -d 2024-02-28~+2~days +%F", "", "2024-03-01\n", 0},
		{"date -d @0 -R", "", "Thu, 01 Jan 1970 00:00:00 +0000\n", 0},
		{"date -d @0 -Iseconds", "", "1970-01-01T00:00:00+00:00\n", 0},
		{"date -d @0.5 --rfc-3339=ns", "", "1970-01-01 00:00:00.500000000+00:00\n", 0},
		{"date -f - +%s", "1970-01-02\n", "86400\n", 0},
		{"env TZ=Asia/Tokyo date -d @0 +%H%Z", "", "09JST\n", 0},
		{"date -d nonsense", "", "", 1},
		{"date -s 2024-01-01", "", "", 1},
		{"date +%F +%T", "", "", 1},
	})
}

func TestExpr(t *testing.T) {
	check(t, []systemCase{
		{`expr aa : a*\{1\}`, "", "2\n", 0},
		{`expr a** : a**`, "", "1\n", 0},
		{`expr {1} : \{1\}`, "", "3\n", 0},
		{"expr 1 + 2 * 3", "", "7\n", 0},
		{"expr ( 1 + 2 ) * 3", "", "9\n", 0},
		{"expr -7 / 2", "", "-3\n", 0},
		{"expr 10 < 9", "", "0\n", 1},
		{"expr a10 < a9", "", "1\n", 0},
		{`expr abc : a\(.\)`, "", "b\n", 0},
		{"expr abc : ab", "", "2\n", 0},
		{"expr length hello", "", "5\n", 0},
		{"expr substr hello 2 3", "", "ell\n", 0},
		{"expr index hello l", "", "3\n", 0},
		{"expr '' | x", "", "x\n", 0},
		{"expr 1 & 0", "", "0\n", 1},
		{"expr 99999999999999999999 + 1", "", "100000000000000000000\n", 0},
		{"expr 1 / 0", "", "", 2},
		{"expr a + 1", "", "", 2},
		{"expr 1 +", "", "", 2},
	})
}

func TestFactor(t *testing.T) {
	check(t, []systemCase{
		{"factor 1 12 97", "", "1:\n12: 2 2 3\n97: 97\n", 0},
		{"factor", "15 21\n", "15: 3 5\n21: 3 7\n", 0},
		{"factor -h 8", "", "8: 2^3\n", 0},
		{"factor 1000000016000000063", "", "1000000016000000063: 1000000007 1000000009\n", 0},
		{"factor 10403", "", "10403: 101 103\n", 0},
		{"factor x", "", "", 1},
	})
}

func TestCalendarHasSixWeeks(t *testing.T) {
	check(t, []systemCase{
		{
			"cal 2 2024", "", "   February 2024    \nSu Mo Tu We Th Fr Sa\n             1  2  3\n 4  5  6  7  8  9 10\n" +
				"11 12 13 14 15 16 17\n18 19 20 21 22 23 24\n25 26 27 28 29      \n                    \n", 0,
		},
		{"cal 13 2024", "", "", 1},
	})
}

func TestFactsAreOfTheSandbox(t *testing.T) {
	check(t, []systemCase{
		{"id", "", "uid=1000(agent) gid=1000(agent) groups=1000(agent)\n", 0},
		{"id -un", "", "agent\n", 0},
		{"id -G", "", "1000\n", 0},
		{"whoami", "", "agent\n", 0},
		{"hostname", "", "sandbox\n", 0},
		{"uname -a", "", "Linux sandbox 6.1.0 #1 SMP wasm32 GNU/Linux\n", 0},
		{"nproc", "", "1\n", 0},
		{"which echo nosuch", "", "/usr/bin/echo\n", 1},
		{"tty", "", "not a tty\n", 1},
		{"getconf PATH_MAX", "", "4096\n", 0},
		{"nice echo x", "", "x\n", 0},
		{"nohup echo x", "", "x\n", 0},
		{"stdbuf -oL echo x", "", "x\n", 0},
		{"man echo", "", "", 16},
	})
}

func TestEveryCommandHasHelp(t *testing.T) {
	r := commandtest.New(t, system.Commands())
	for _, c := range system.Commands() {
		if got := r.Run("", c.Name, "--help"); got.Status != 0 || !strings.HasPrefix(got.Stdout, "Usage: "+c.Name) {
			t.Errorf("%s --help: status %d, %q", c.Name, got.Status, got.Stdout)
		}
	}
}
