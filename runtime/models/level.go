package models

import (
	"fmt"
	"slices"
	"strings"

	"openclaw/runtime/model"
)

// Levels are the levels of thinking, from the least on.
var levels = []model.Level{
	model.LevelOff, model.LevelMinimal, model.LevelLow, model.LevelMedium, model.LevelHigh, model.LevelXHigh, model.LevelAdaptive, model.LevelMax, model.LevelUltra,
}

// levelAliases are other names of levels.
var levelAliases = map[string]model.Level{"x-high": model.LevelXHigh, "extra-high": model.LevelXHigh, "highest": model.LevelHigh}

// ParseLevel reads a level of thinking, in any case and by its other names.
func ParseLevel(text string) (model.Level, error) {
	name := strings.ToLower(strings.TrimSpace(text))
	if level, ok := levelAliases[name]; ok {
		return level, nil
	}
	if level := model.Level(name); slices.Contains(levels, level) {
		return level, nil
	}
	names := make([]string, len(levels))
	for i, l := range levels {
		names[i] = string(l)
	}
	hint := ""
	if near := nearest(name, names); near != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", near)
	}
	return "", fmt.Errorf("models: %s is no level of thinking: want %s%s", shown(text), strings.Join(names, ", "), hint)
}

// level is the level that a model is asked for when somebody wants one: the nearest below that it has, else its least. A model that
// does not think is not asked to; of one that nothing is known of only what was wanted is asked.
func (i Info) level(wanted model.Level) model.Level {
	if i.Known && !i.Reasoning || !i.Known && wanted == model.LevelOff {
		return ""
	}
	if len(i.Levels) == 0 || wanted == model.LevelOff || wanted == model.LevelAdaptive || slices.Contains(i.Levels, wanted) {
		return wanted
	}
	best := i.Levels[0]
	for _, l := range i.Levels {
		if rank(l) <= rank(wanted) && (rank(l) > rank(best) || rank(best) > rank(wanted)) {
			best = l
		}
	}
	return best
}

func rank(l model.Level) int { return slices.Index(levels, l) }
