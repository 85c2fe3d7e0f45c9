package git

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/strftime"
	"openclaw/toolwasm/guest/sys"
)

// The two roles of a person in a commit.
const (
	author    = "AUTHOR"
	committer = "COMMITTER"
)

// ident returns who acts, from the environment or the configuration, and ends the program when nobody is named.
func (g *git) ident(role string) object.Signature {
	s, ok := g.identOrNone(role)
	if !ok {
		g.unknownIdentity(role)
	}
	return s
}

// identOrNone is ident for what can do with a default, such as logs of references.
func (g *git) identOrNone(role string) (object.Signature, bool) {
	cfg := g.anyConfig()
	lower := strings.ToLower(role)
	pick := func(env, key string) string {
		if v, ok := g.p.Env.Get("GIT_" + role + "_" + env); ok && v != "" {
			return v
		}
		if v, ok := cfg.get(lower + "." + key); ok && v != "" {
			return v
		}
		return cfg.str("user."+key, "")
	}
	s := object.Signature{Name: crud(pick("NAME", "name")), Email: crud(pick("EMAIL", "email"))}
	if s.Email == "" {
		email, _ := g.p.Env.Get("EMAIL")
		s.Email = crud(email)
	}
	s.When, s.Zone = g.now()
	if date, ok := g.p.Env.Get("GIT_" + role + "_DATE"); ok && date != "" {
		when, zone, err := g.parseDate(date)
		if err != nil {
			g.die("invalid date format: %s", date)
		}
		s.When, s.Zone = when, zone
	}
	if s.Name == "" && s.Email != "" {
		s.Name = sys.User
		return s, true
	}
	return s, s.Name != "" && s.Email != ""
}

// logIdent is who a log of references names.
func (g *git) logIdent() object.Signature {
	s, ok := g.identOrNone(committer)
	if !ok {
		if s.Name == "" {
			s.Name = sys.User
		}
		if s.Email == "" {
			s.Email = sys.User + "@" + sys.Host
		}
	}
	return s
}

func (g *git) unknownIdentity(role string) {
	g.errorf(`%s identity unknown

*** Please tell me who you are.

Run

  git config --global user.email "you@example.com"
  git config --global user.name "Your Name"

to set your account's default identity.
Omit --global to set the identity only in this repository.
Where the configuration cannot be written, name yourself for one command:

  git -c user.name="Your Name" -c user.email=you@example.com %s …

`, role[:1]+strings.ToLower(role[1:]), g.name)
	g.die("unable to auto-detect email address (got '%s@%s.(none)')", sys.User, sys.Host)
}

// crud takes from a name what could not stand in an object.
func crud(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '<' || r == '>' || r == '\n' {
			return -1
		}
		return r
	}, s)
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' || strings.ContainsRune(`.,:;"\'`, r) })
}

func (g *git) location() *time.Location { return datetime.Location(g.p.Env) }

func (g *git) now() (when int64, zone string) {
	t := time.Now().In(g.location())
	return t.Unix(), t.Format("-0700")
}

// parseDate reads a date with its zone.
func (g *git) parseDate(s string) (when int64, zone string, err error) {
	s = strings.TrimSpace(s)
	fields := strings.Fields(strings.TrimPrefix(s, "@"))
	if len(fields) > 0 && (strings.HasPrefix(s, "@") || len(fields[0]) >= 9) {
		if n, err := strconv.ParseInt(fields[0], 10, 64); err == nil && len(fields) <= 2 {
			zone := "+0000"
			if len(fields) == 2 {
				zone = fields[1]
			}
			return n, zone, nil
		}
	}
	t, err := g.parseTime(s)
	if err != nil {
		return 0, "", err
	}
	return t.Unix(), t.Format("-0700"), nil
}

// parseTime reads a date in one of the forms that git writes, or as people do.
func (g *git) parseTime(s string) (time.Time, error) {
	loc := g.location()
	for _, layout := range []string{
		"Mon Jan 2 15:04:05 2006 -0700", "Mon, 2 Jan 2006 15:04:05 -0700", "2006-01-02 15:04:05 -0700",
		"2006-01-02T15:04:05-0700", time.RFC3339, "2006-01-02 15:04 -0700",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	for _, layout := range []string{
		"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "Mon Jan 2 15:04:05 2006",
		"2006.01.02 15:04:05", "2006/01/02 15:04:05",
	} {
		if t, err := time.ParseInLocation(layout, s, loc); err == nil {
			return t, nil
		}
	}
	now := time.Now().In(loc)
	// A day without a time means this time of that day.
	for _, layout := range []string{"2006-01-02", "2006.01.02", "2006/01/02", "01/02/2006", "Jan 2 2006", "2 Jan 2006"} {
		if t, err := time.ParseInLocation(layout, s, loc); err == nil {
			return time.Date(t.Year(), t.Month(), t.Day(), now.Hour(), now.Minute(), now.Second(), 0, loc), nil
		}
	}
	plain := strings.NewReplacer(".", " ", "_", " ").Replace(s)
	t, err := datetime.Parse(plain, now, loc)
	return t, err
}

// parseLimit reads the date of --since and --until; what is no date means now.
func (g *git) parseLimit(s string) int64 {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && len(s) >= 9 {
		return n
	}
	if s == "never" {
		return 0
	}
	when, _, err := g.parseDate(s)
	if err != nil {
		return time.Now().Unix()
	}
	return when
}

// formatDate returns a date by the name of a format: default, iso, iso-strict, rfc, short, raw, unix, relative, human,
// format:…, each with "-local" after it.
func (g *git) formatDate(s object.Signature, mode string) string {
	zone := time.FixedZone("", s.Offset())
	if rest, ok := strings.CutSuffix(mode, "-local"); ok || mode == "local" {
		zone = g.location()
		mode = rest
		if mode == "local" {
			mode = "default"
		}
		t := time.Unix(s.When, 0).In(zone)
		if mode == "default" {
			return t.Format("Mon Jan 2 15:04:05 2006")
		}
		s.Zone = t.Format("-0700")
	}
	t := time.Unix(s.When, 0).In(zone)
	switch mode {
	case "iso", "iso8601":
		return t.Format("2006-01-02 15:04:05 -0700")
	case "iso-strict", "iso8601-strict":
		return t.Format("2006-01-02T15:04:05-07:00")
	case "rfc", "rfc2822":
		return t.Format("Mon, 2 Jan 2006 15:04:05 -0700")
	case "short":
		return t.Format("2006-01-02")
	case "raw":
		return fmt.Sprintf("%d %s", s.When, s.Zone)
	case "unix":
		return strconv.FormatInt(s.When, 10)
	case "relative":
		return relativeDate(s.When, time.Now().Unix())
	case "human":
		return t.Format("Mon Jan 2 15:04 2006")
	}
	if layout, ok := strings.CutPrefix(mode, "format:"); ok {
		return strftime.Format(layout, t)
	}
	return t.Format("Mon Jan 2 15:04:05 2006 -0700")
}

// checkDateMode ends the program for a format that there is not.
func (g *git) checkDateMode(mode string) string {
	base := strings.TrimSuffix(mode, "-local")
	switch base {
	case "default", "iso", "iso8601", "iso-strict", "iso8601-strict", "rfc", "rfc2822", "short", "raw", "unix", "relative", "human", "local":
		return mode
	}
	if strings.HasPrefix(mode, "format:") || strings.HasPrefix(mode, "format-local:") {
		return strings.Replace(mode, "format-local:", "format:", 1)
	}
	g.die("unknown date format %s", mode)
	return ""
}

// relativeDate says how long ago something was.
func relativeDate(when, now int64) string {
	if when > now {
		return "in the future"
	}
	n := now - when
	say := func(n int64, unit string) string {
		if n == 1 {
			return "1 " + unit + " ago"
		}
		return fmt.Sprintf("%d %ss ago", n, unit)
	}
	if n < 90 {
		return say(n, "second")
	}
	if n = (n + 30) / 60; n < 90 {
		return say(n, "minute")
	}
	if n = (n + 30) / 60; n < 36 {
		return say(n, "hour")
	}
	if n = (n + 12) / 24; n < 14 {
		return say(n, "day")
	}
	if n < 70 {
		return say((n+3)/7, "week")
	}
	if n < 365 {
		return say((n+15)/30, "month")
	}
	if n < 5*365 {
		months := (n*12*2 + 365) / (365 * 2)
		years := months / 12
		months %= 12
		if months == 0 {
			return say(years, "year")
		}
		y, m := "year", "month"
		if years > 1 {
			y = "years"
		}
		return fmt.Sprintf("%d %s, %s", years, y, say(months, m))
	}
	return say((n+183)/365, "year")
}
