package session_test

import (
	"strings"
	"testing"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/session"
)

func TestKeysSayWhatASessionIsFor(t *testing.T) {
	tests := []struct {
		key, want string
		kind      session.Kind
		main      bool
	}{
		{session.MainKey("Main"), "agent:main:main", session.KindMain, true},
		{session.GlobalKey, "global", session.KindGlobal, true},
		{session.DirectKey("a", "", "", "Ann"), "agent:a:direct:ann", session.KindDirect, false},
		{session.DirectKey("a", "telegram", "", "7"), "agent:a:telegram:direct:7", session.KindDirect, false},
		{session.DirectKey("a", "telegram", "bot", "7"), "agent:a:telegram:bot:direct:7", session.KindDirect, false},
		{session.DirectKey("a", "", "", "x:main"), "agent:a:direct:x_main", session.KindDirect, false},
		{session.GroupKey("a", " ", "g"), "agent:a:unknown:group:g", session.KindGroup, false},
		{session.ChannelKey("a", "slack", "c"), "agent:a:slack:channel:c", session.KindChannel, false},
		{session.ThreadKey(session.MainKey("a"), "9"), "agent:a:main:thread:9", session.KindMain, false},
		{session.ThreadKey(session.GroupKey("a", "slack", "g"), "9"), "agent:a:slack:group:g:thread:9", session.KindGroup, false},
		{session.CronKey("a", "job", ""), "agent:a:cron:job", session.KindCron, false},
		{session.CronKey("a", "job", "r"), "agent:a:cron:job:run:r", session.KindCron, false},
		{session.NamedKey("a", "main"), "agent:a:main", session.KindMain, true},
		{session.NamedKey("a", "agent:b:main"), "agent:b:main", session.KindMain, true},
		{session.NamedKey("a", "My notes"), "agent:a:my notes", session.KindOther, false},
	}
	for _, tt := range tests {
		k, err := session.ParseKey(tt.key)
		if err != nil || tt.key != tt.want || k.Kind != tt.kind || k.Main() != tt.main || k.String() != tt.want {
			t.Errorf("%s: %+v, %v, want %s", tt.key, k, err, tt.want)
		}
	}
	for _, key := range []string{session.SubagentKey("a"), session.HookKey()} {
		if k, err := session.ParseKey(key); err != nil || k.Kind != session.KindSubagent && k.Kind != session.KindHook {
			t.Errorf("%s: %+v, %v", key, k, err)
		}
	}
	for _, bad := range []string{"", "main", "agent:", "agent:a", "agent:a:", "agent::main", "agent:a:b::c", "agent:a:x\n", " agent:a:b", "agent:a:\xff", "agent:a:" + strings.Repeat("x", session.MaxKeyBytes)} {
		if k, err := session.ParseKey(bad); err == nil {
			t.Errorf("%.20q is a key: %+v", bad, k)
		}
	}
}

func TestDue(t *testing.T) {
	at := func(day, hour int) time.Time { return time.Date(2026, 3, day, hour, 30, 0, 0, time.Local) }
	daily := config.ResetPolicy{Mode: config.ResetDaily, AtHour: 4}
	idle := config.ResetPolicy{Mode: config.ResetIdle, IdleMinutes: 60}
	both := config.ResetPolicy{Mode: config.ResetDaily, AtHour: 4, IdleMinutes: 60}
	none := config.ResetPolicy{Mode: config.ResetNone, AtHour: 4}
	tests := []struct {
		name                 string
		conf                 config.Session
		key                  string
		started, interaction time.Time
		now                  time.Time
		want                 bool
	}{
		{"never", config.Session{Reset: none}, mainKey, at(1, 0), at(1, 0), at(9, 0), false},
		{"same day", config.Session{Reset: daily}, mainKey, at(1, 5), at(1, 5), at(1, 23), false},
		{"before the hour", config.Session{Reset: daily}, mainKey, at(1, 5), at(1, 5), at(2, 3), false},
		{"after the hour", config.Session{Reset: daily}, mainKey, at(1, 5), at(2, 3), at(2, 4), true},
		{"in use", config.Session{Reset: idle}, mainKey, at(1, 0), at(1, 5), at(1, 5), false},
		{"idle", config.Session{Reset: idle}, mainKey, at(1, 0), at(1, 5), at(1, 6), true},
		{"idle first", config.Session{Reset: both}, mainKey, at(1, 5), at(1, 5), at(1, 7), true},
		{"by type", config.Session{Reset: none, ResetByType: map[string]config.ResetPolicy{"group": idle}}, "agent:main:x:group:g", at(1, 0), at(1, 0), at(1, 6), true},
		{"another type", config.Session{Reset: none, ResetByType: map[string]config.ResetPolicy{"group": idle}}, mainKey, at(1, 0), at(1, 0), at(1, 6), false},
		{"a thread of a group", config.Session{Reset: none, ResetByType: map[string]config.ResetPolicy{"group": idle}}, "agent:main:x:group:g:thread:1", at(1, 0), at(1, 0), at(1, 6), false},
		{"by channel", config.Session{Reset: daily, ResetByChannel: map[string]config.ResetPolicy{"x": none}}, "agent:main:x:group:g", at(1, 0), at(1, 0), at(9, 6), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			info := session.Info{Key: tt.key, Started: tt.started, Interaction: tt.interaction}
			if got := session.Due(&tt.conf, info, tt.now); got != tt.want {
				t.Errorf("due: %v", got)
			}
		})
	}
}
