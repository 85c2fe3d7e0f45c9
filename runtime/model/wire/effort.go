package wire

import (
	"crypto/rand"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"openclaw/runtime/model"
)

// localID begins the ids that are made here, for calls of protocols and servers that have none.
const localID = "local_"

func newID() string { return localID + rand.Text() }

// budgets are tokens for thinking, where a model is told so many.
var budgets = map[model.Level]int64{
	model.LevelMinimal: 1024, model.LevelLow: 4096, model.LevelMedium: 10240, model.LevelHigh: 20480, model.LevelAdaptive: 10240,
	model.LevelXHigh: 32768, model.LevelMax: 32768, model.LevelUltra: 32768,
}

// version finds the number in a model's name: 5.2 in gpt-5.2-codex, 4.6 in claude-opus-4-6-20260101.
type version struct{ major, minor int }

func (v version) since(major, minor int) bool {
	return v.major > major || v.major == major && v.minor >= minor
}

// maxMinor tells a second number from a date.
const maxMinor = 99

func parseVersion(major, minor string) version {
	a, _ := strconv.Atoi(major) // digits by the expression
	b, err := strconv.Atoi(minor)
	if err != nil || b > maxMinor {
		b = 0
	}
	return version{a, b}
}

var (
	gptName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`gpt-(\d+)(?:\.(\d+))?`) })
	oName      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|/)o\d`) })
	claudeName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`claude-[a-z]+-(\d+)(?:[-.](\d+))?`)
	})
	geminiName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`gemini-(\d+)(?:\.(\d+))?`) })
)

func gptVersion(name string) version {
	m := gptName().FindStringSubmatch(strings.ToLower(name))
	if m == nil { // gpt-oss, too
		return version{}
	}
	return parseVersion(m[1], m[2])
}

// openAIEffort is a level in OpenAI's words, or nothing to leave it to the model.
func openAIEffort(name string, level model.Level) string {
	name = strings.ToLower(name)
	gpt := gptVersion(name)
	switch level {
	case model.LevelOff:
		return leastEffort(name, gpt)
	case model.LevelMinimal:
		if gpt == (version{5, 0}) {
			return "minimal"
		}
		return "low" // others do not have it
	case model.LevelLow, model.LevelMedium, model.LevelHigh:
		return string(level)
	case model.LevelXHigh, model.LevelMax, model.LevelUltra:
		if gpt.since(5, 6) && level != model.LevelXHigh {
			return "max"
		}
		if gpt.since(5, 2) || strings.Contains(name, "codex-max") {
			return "xhigh"
		}
		return "high"
	}
	return ""
}

// alwaysThink are parts of the names of OpenAI's models that cannot be told not to think. From 6.1 on none can.
var alwaysThink = []string{"codex", "pro", "astra"}

// leastEffort is as little thinking as a model can be told.
func leastEffort(name string, gpt version) string {
	switch {
	case gpt.since(5, 1) && !slices.ContainsFunc(alwaysThink, func(s string) bool { return strings.Contains(name, s) }) && !gpt.since(6, 1):
		return "none"
	case gpt.since(5, 1), oName().MatchString(name), strings.Contains(name, "gpt-oss"):
		return "low"
	case gpt.since(5, 0):
		return "minimal"
	}
	return "" // it does not think, or it is not known how it is stopped
}

// claudeAdapts tells whether a model decides by itself how much it thinks, and is told an effort instead of a budget.
func claudeAdapts(name string) bool {
	v := claudeVersion(name)
	name = strings.ToLower(name)
	return v.since(5, 0) || v.since(4, 6) && !strings.Contains(name, "haiku") || strings.Contains(name, "claude-mythos")
}

// claudeBinds tells whether a model always thinks, and its thinking is bound to what was before it.
func claudeBinds(name string) bool {
	name = strings.ToLower(name)
	v := claudeVersion(name)
	return v.since(5, 5) || v.since(5, 1) && (strings.Contains(name, "fable") || strings.Contains(name, "mythos"))
}

func claudeVersion(name string) version {
	m := claudeName().FindStringSubmatch(strings.ToLower(name))
	if m == nil {
		return version{}
	}
	return parseVersion(m[1], m[2])
}

// claudeEffort is a level in the words of models that adapt.
func claudeEffort(name string, level model.Level) string {
	switch level {
	case model.LevelOff, model.LevelMinimal, model.LevelLow:
		return "low"
	case model.LevelMedium, model.LevelHigh:
		return string(level)
	case model.LevelXHigh:
		if claudeVersion(name).since(4, 7) {
			return "xhigh"
		}
		return "max"
	case model.LevelMax, model.LevelUltra:
		return "max"
	}
	return ""
}
