package config

import (
	"slices"

	"openclaw/runtime/config/json5"
)

// maxTemperature is what providers take at most.
const maxTemperature = 2

// paramKeys are the parameters of requests that the runtime itself acts on.
var paramKeys = map[string]func(*decoder, json5.Path, *json5.Node) any{
	"temperature":    typed(number(0, maxTemperature)),
	"maxTokens":      typed(integer(1, noLimit)),
	"cacheRetention": typed(oneOf("none", "short", "long")),
	"thinking":       typed(thinkingLevel()),
}

// futureParams are parameters of the format for the runtime, which no provider must be sent.
var futureParams = []string{"context1m", "fastMode", "fastAutoOnSeconds", "responsesServerCompaction", "anthropicServerCompaction"}

func typed[V any](r rule[V]) func(*decoder, json5.Path, *json5.Node) any {
	return func(d *decoder, at json5.Path, n *json5.Node) any {
		var v V
		r.read(d, at, n, &v)
		return v
	}
}

// modelParams are parameters of requests. Those that the runtime acts on are checked, others are the provider's.
func modelParams() rule[map[string]any] {
	r := free()
	r.read = func(d *decoder, at json5.Path, n *json5.Node, into *map[string]any) {
		if n.Kind != json5.Object {
			d.wrongType(at, n, "an object")
			return
		}
		merged := make(map[string]any, len(*into)+len(n.Members))
		for k, v := range *into {
			merged[k] = v
		}
		for _, m := range n.Members {
			path := at.Join(json5.Key(m.Name))
			read := paramKeys[m.Name]
			switch {
			case slices.Contains(futureParams, m.Name):
				d.at(m.Key, path, ReasonNotSupported, "%s", notYet("such parameter"))
			case read != nil:
				merged[m.Name] = read(d, path, m.Value)
			default:
				merged[m.Name] = d.any(path, m.Value)
			}
		}
		*into = merged
	}
	return r
}
