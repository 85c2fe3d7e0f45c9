package datetime_test

import (
	"testing"
	"time"

	"openclaw/toolwasm/guest/datetime"
)

// now is a Wednesday.
var now = time.Date(2024, time.May, 15, 13, 14, 15, 0, time.UTC)

func TestParseUnderstandsGNUDateStrings(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"2024-01-15", "2024-01-15T00:00:00Z"},
		{"2024-01-15 10:30:45", "2024-01-15T10:30:45Z"},
		{"2024-01-15T10:30:45+02:00", "2024-01-15T08:30:45Z"},
		{"20240115 1030", "2024-01-15T10:30:00Z"},
		{"Jan 15, 2024 9pm", "2024-01-15T21:00:00Z"},
		{"15 January 2024", "2024-01-15T00:00:00Z"},
		{"17-JUN-1992", "1992-06-17T00:00:00Z"},
		{"1/2/69", "1969-01-02T00:00:00Z"},
		{"1/2/68", "2068-01-02T00:00:00Z"},
		{"2024/03/04", "2024-03-04T00:00:00Z"},
		{"Mon, 15 Jan 2024 10:30:00 -0500", "2024-01-15T15:30:00Z"},
		{"Mon Jan 15 10:30:00 UTC 2024", "2024-01-15T10:30:00Z"},
		{"@1700000000", "2023-11-14T22:13:20Z"},
		{"@-1.5", "1969-12-31T23:59:58.5Z"},
		{"now", "2024-05-15T13:14:15Z"},
		{"today", "2024-05-15T13:14:15Z"},
		{"yesterday", "2024-05-14T13:14:15Z"},
		{"tomorrow 06:00", "2024-05-16T06:00:00Z"},
		{"2 weeks ago", "2024-05-01T13:14:15Z"},
		{"-3 days", "2024-05-12T13:14:15Z"},
		{"next month", "2024-06-15T13:14:15Z"},
		{"last year", "2023-05-15T13:14:15Z"},
		{"friday", "2024-05-17T00:00:00Z"},
		{"wednesday", "2024-05-15T00:00:00Z"},
		{"next wednesday", "2024-05-22T00:00:00Z"},
		{"next friday", "2024-05-17T00:00:00Z"},
		{"last friday", "2024-05-10T00:00:00Z"},
		{"2024-01-31 +1 month", "2024-03-02T00:00:00Z"},
		{"2024-02-29 1 year ago", "2023-03-01T00:00:00Z"},
		{"2024-06-01 12:00 EST", "2024-06-01T17:00:00Z"},
		{`TZ="America/New_York" 2024-06-01 12:00`, "2024-06-01T16:00:00Z"},
		{"2024-06-01 (a (nested) comment) 12:00", "2024-06-01T12:00:00Z"},
		{"", "2024-05-15T00:00:00Z"},
		{"2024-06-01 1.5 seconds", "2024-06-01T00:00:01.5Z"},
	} {
		got, err := datetime.Parse(c.text, now, time.UTC)
		if err != nil || got.Format(time.RFC3339Nano) != c.want {
			t.Errorf("Parse(%q) = %v, %v; want %s", c.text, got, err, c.want)
		}
	}
}

func TestParseRefusesWhatIsNotADate(t *testing.T) {
	for _, text := range []string{
		"hello", "2024-02-30", "2024-13-01", "25:00", "12:60", "13pm", "2024-01-15 2024-01-16", "10:00 11:00",
		"@", "@x", "1 2 3 4", "999999999999999999999 days", "15 Jan 10:30", "monday tuesday", "a\x00b",
		"2024-01-15 10:00 + 90 min", // a number after a time is its zone
	} {
		if got, err := datetime.Parse(text, now, time.UTC); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", text, got)
		}
	}
}

func TestParseRefusesAnHourThatTheClockSkipped(t *testing.T) {
	loc := datetime.Zone("America/New_York")
	if got, err := datetime.Parse("2024-03-10 02:30", now, loc); err == nil {
		t.Errorf("got %v, want an error", got)
	}
}

func TestZoneUnderstandsValuesOfTZ(t *testing.T) {
	july := time.Date(2024, time.July, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ tz, want string }{
		{"", "12:00 UTC"},
		{"UTC", "12:00 UTC"},
		{"Europe/Berlin", "14:00 CEST"},
		{"EST5EDT", "08:00 EDT"},
		{"EST5", "07:00 EST"},
		{"XYZ-5:30", "17:30 XYZ"},
		{"<+03>-3", "15:00 +03"},
		{"CET-1CEST,M3.5.0,M10.5.0/3", "14:00 CEST"},
		{"No/Where", "12:00 UTC"},
		{"Nowhere", "12:00 Nowhere"},
		{"../../etc/passwd", "12:00 UTC"},
	} {
		if got := july.In(datetime.Zone(c.tz)).Format("15:04 MST"); got != c.want {
			t.Errorf("Zone(%q): %s, want %s", c.tz, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"2024-01-15 10:00 +1 day", `TZ="EST5EDT" 1/2/24`, "@-1.5", "last friday 3pm", "(("} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := datetime.Parse(s, now, time.UTC)
		if err == nil && got.Location() != time.UTC {
			t.Errorf("Parse(%q) is in %v", s, got.Location())
		}
	})
}
