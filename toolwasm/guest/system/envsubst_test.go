package system_test

import (
	"regexp"
	"testing"

	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/system"
)

func TestEnvsubst(t *testing.T) {
	for _, c := range []struct {
		in   string
		args []string
		want string
	}{
		{"[$NAME] [${NAME}] [$NONE] $ $5 ${ ${NAME-x} $$NAME\n", nil, "[val] [val] [] $ $5 ${ ${NAME-x} $val\n"},
		{"$NAME $OTHER ${OTHER}", []string{"$NAME"}, "val $OTHER ${OTHER}"},
		{"", []string{"-v", "a $NAME ${B_2}"}, "NAME\nB_2\n"},
		{"no end $NAM", nil, "no end "},
	} {
		r := commandtest.New(t, system.Commands())
		got := r.Run(c.in, append([]string{"env", "NAME=val", "envsubst"}, c.args...)...)
		if got.Stdout != c.want || got.Status != 0 {
			t.Errorf("%q %q: %+v, want %q", c.in, c.args, got, c.want)
		}
	}
}

func TestUuidgenIsRandom(t *testing.T) {
	r := commandtest.New(t, system.Commands())
	a, b := r.Run("", "uuidgen").Stdout, r.Run("", "uuidgen").Stdout
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\n$`).MatchString(a) || a == b {
		t.Errorf("%q %q", a, b)
	}
}

func TestXargsRunsWhatCameBeforeAnOpenQuote(t *testing.T) {
	r := commandtest.New(t, system.Commands())
	got := r.Run("A=1 'open", "xargs", "env", "-i")
	if got.Stdout != "A=1\n" || got.Status != 1 {
		t.Errorf("%+v", got)
	}
}
