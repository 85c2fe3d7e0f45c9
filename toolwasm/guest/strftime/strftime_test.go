package strftime_test

import (
	"testing"
	"time"

	"openclaw/toolwasm/guest/strftime"
)

func TestFormatFollowsGNUDate(t *testing.T) {
	at := time.Date(2024, time.March, 5, 7, 8, 9, 120_000_000, time.FixedZone("IST", 5*3600+1800))
	for _, c := range []struct{ layout, want string }{
		{"%F %T", "2024-03-05 07:08:09"},
		{"%a %A %b %B %h", "Tue Tuesday Mar March Mar"},
		{"%-d|%_d|%e|%05d", "5| 5| 5|00005"},
		{"%_H|%-H|%k|%l|%I", " 7|7| 7| 7|07"},
		{"%^a %#b %#p %P", "TUE MAR am am"},
		{"%j %U %V %W %u %w", "065 09 10 10 2 2"},
		{"%y %C %Y %G %g %q", "24 20 2024 2024 24 1"},
		{"%N %3N %-N %6N", "120000000 120 120000000 120000"},
		{"%z %:z %::z %:::z %Z", "+0530 +05:30 +05:30:00 +05:30 IST"},
		{"%s", "1709602689"},
		{"%c", "Tue Mar  5 07:08:09 2024"},
		{"%D %R %r %x %X", "03/05/24 07:08 07:08:09 AM 03/05/24 07:08:09"},
		{"%10Y|%-10Y|%_10Y|%10a", "0000002024|2024|      2024|       Tue"},
		{"100%% %n%t.", "100% \n\t."},
		{"%Q %", "%Q %"},
		{"%+6Y|%+Y", "+02024|2024"},
	} {
		if got := strftime.Format(c.layout, at); got != c.want {
			t.Errorf("Format(%q) = %q, want %q", c.layout, got, c.want)
		}
	}
}

func TestFormatSurvivesAnyLayout(t *testing.T) {
	for _, layout := range []string{"%", "%-", "%99999999999d", "%E", "%:", "%::::z", "%^#_0-+5"} {
		strftime.Format(layout, time.Unix(-1, 0).UTC())
	}
}
