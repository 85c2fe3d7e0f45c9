package config

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"openclaw/runtime/config/json5"
)

// AgentModels is what an agent's entry says about models.
type AgentModels struct {
	Model           ModelChoice
	Models          map[string]ModelSettings // by reference, or provider/*
	ModelAllow      []string                 // references that may be chosen; empty: any
	Params          map[string]any           // the agent's own; Agents.Defaults.Params lie below those of the model
	ThinkingDefault string                   // the agent's own; Agents.Defaults.ThinkingDefault lies below that of the model
	UtilityModel    string                   // empty: set so, or not set (AgentOrigin tells)
	TimeoutSeconds  int64                    // 0: no bound
	MaxConcurrent   int64                    // 0: by the number of processors
}

// ModelChoice is the model of an agent and what is tried when it fails.
type ModelChoice struct {
	Primary   string
	Fallbacks []string
}

// ModelSettings are settings of one model. They do not allow or forbid it.
type ModelSettings struct {
	Alias  string
	Params map[string]any
}

var modelChoiceKeys = object[ModelChoice]{fields: []field[ModelChoice]{
	needed(key("primary", text("model reference", checkNotBlank), func(m *ModelChoice) *string { return &m.Primary }, "", "The model, as provider/model or an alias.")),
	key("fallbacks", listOf(text("model reference", checkNotBlank)), func(m *ModelChoice) *[]string { return &m.Fallbacks }, nil, "What is tried in turn when it fails."),
}}

// modelChoice is a reference, or an object with fallbacks. It replaces what was there: an agent's own model has only its own fallbacks.
func modelChoice() rule[ModelChoice] {
	full := modelChoiceKeys.fresh()
	short := text("model reference", checkNotBlank)
	return rule[ModelChoice]{
		kind: "model reference, or object with `primary` and `fallbacks`", schema: map[string]any{"anyOf": []any{short.schema, full.schema}},
		show: func(ModelChoice) string { return "" }, keys: full.keys,
		read: func(d *decoder, at json5.Path, n *json5.Node, into *ModelChoice) {
			switch n.Kind {
			case json5.Object:
				full.read(d, at, n, into)
			case json5.String:
				*into = ModelChoice{}
				short.read(d, at, n, &into.Primary)
			default:
				d.wrongType(at, n, "a model reference or an object")
			}
		},
	}
}

var modelSettingsKeys = object[ModelSettings]{fields: slices.Concat([]field[ModelSettings]{
	key("alias", text("name without blanks", checkAlias), func(m *ModelSettings) *string { return &m.Alias }, "", "A short name for the model."),
	key("params", modelParams(), func(m *ModelSettings) *map[string]any { return &m.Params }, nil, "Parameters of its requests, over `agents.defaults.params`."),
}, reserved[ModelSettings]("is not supported: there is one runtime", "agentRuntime", "pickerRuntimes", "codeMode"))}

var modelPolicyKeys = object[Agent]{fields: []field[Agent]{
	key("allow", listOf(text("model reference or provider/*", checkNotBlank)), func(a *Agent) *[]string { return &a.ModelAllow }, nil,
		"Models that a user may choose. Empty: any."),
}}

// thinkingLevels are the levels, and other names of some of them.
var (
	thinkingLevels  = []string{"off", "minimal", "low", "medium", "high", "xhigh", "adaptive", "max", "ultra"}
	thinkingAliases = map[string]string{"x-high": "xhigh", "extra-high": "xhigh", "highest": "high"}
)

func thinkingLevel() rule[string] { return oneOfNamed(thinkingAliases, thinkingLevels...) }

var modelKeys = []field[Agent]{
	key("model", modelChoice(), func(a *Agent) *ModelChoice { return &a.Model }, ModelChoice{},
		"The agent's model. One of an agent's own has only its own fallbacks."),
	key("models", mapOf("reference", checkModelKey, modelSettingsKeys.rule()), func(a *Agent) *map[string]ModelSettings { return &a.Models }, nil,
		"Settings of models. They allow and forbid none."),
	group("modelPolicy", modelPolicyKeys, func(a *Agent) *Agent { return a }, "Which models a user may choose."),
	key("params", modelParams(), func(a *Agent) *map[string]any { return &a.Params }, nil,
		"Parameters of every request: `temperature`, `maxTokens`, `cacheRetention` and `thinking` are for the runtime, others go to the provider as they are. Those of a model stand over the defaults', an agent's own over both."),
	key("thinkingDefault", thinkingLevel(), func(a *Agent) *string { return &a.ThinkingDefault }, "",
		"How much the model thinks. Without it, what the model does by itself."),
	key("utilityModel", text("model reference", nil), func(a *Agent) *string { return &a.UtilityModel }, "",
		"The model of small internal jobs. `\"\"`: there are none. Without it, a small one of the agent's provider, or the agent's own."),
}

var modelDefaultsKeys = []field[Agent]{
	key("timeoutSeconds", integer(0, noLimit), func(a *Agent) *int64 { return &a.TimeoutSeconds }, 172800, "How long a turn may take. 0: no bound."),
	shown("max(8, 4 × processors)", key("maxConcurrent", integer(1, noLimit), func(a *Agent) *int64 { return &a.MaxConcurrent }, 0, "How many turns run at once.")),
}

func checkNotBlank(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("must not be blank")
	}
	return nil
}

func checkModelKey(ref string) error {
	provider, model, ok := strings.Cut(ref, "/")
	if !ok || provider == "" || model == "" {
		return errors.New("must be provider/model or provider/*")
	}
	return nil
}

// ModelsReplace is the mode in which only the configured providers and models exist.
const ModelsReplace = "replace"

// Models are the providers of models.
type Models struct {
	Mode      string // merge or ModelsReplace
	Providers map[string]Provider
	IDs       []string // of Providers, in the order of the file
}

// Provider is where models are asked.
type Provider struct {
	BaseURL        string
	APIKey         string
	API            string // empty: that of the known provider, or openai-completions
	Headers        map[string]string
	MaxTokens      int64 // 0: the model's
	TimeoutSeconds int64 // 0: the default
	Models         []ProviderModel
}

// ProviderModel is a model of a provider.
type ProviderModel struct {
	ID, Name      string
	Reasoning     bool
	Input         []string
	Cost          Cost
	ContextWindow int64 // 0: unknown
	ContextTokens int64
	MaxTokens     int64
}

// Cost is in US dollars for a million tokens.
type Cost struct{ Input, Output, CacheRead, CacheWrite float64 }

const maxCost = 1e6

var costKeys = object[Cost]{fields: []field[Cost]{
	key("input", number(0, maxCost), func(c *Cost) *float64 { return &c.Input }, 0, "US dollars for a million tokens sent."),
	key("output", number(0, maxCost), func(c *Cost) *float64 { return &c.Output }, 0, "For a million tokens answered."),
	key("cacheRead", number(0, maxCost), func(c *Cost) *float64 { return &c.CacheRead }, 0, "For a million tokens read from the provider's cache."),
	key("cacheWrite", number(0, maxCost), func(c *Cost) *float64 { return &c.CacheWrite }, 0, "For a million tokens written to it."),
}}

var providerModelKeys = object[ProviderModel]{fields: slices.Concat([]field[ProviderModel]{
	needed(key("id", text("string", checkNotBlank), func(m *ProviderModel) *string { return &m.ID }, "", "What the provider calls the model.")),
	key("name", text("string", nil), func(m *ProviderModel) *string { return &m.Name }, "", "What people call it."),
	key("reasoning", boolean(), func(m *ProviderModel) *bool { return &m.Reasoning }, false, "Whether it thinks."),
	key("input", listOf(oneOf("text", "image")), func(m *ProviderModel) *[]string { return &m.Input }, []string{"text"}, "What it takes."),
	group("cost", costKeys, func(m *ProviderModel) *Cost { return &m.Cost }, "What it costs."),
	key("contextWindow", integer(1, noLimit), func(m *ProviderModel) *int64 { return &m.ContextWindow }, 0, "Its context, in tokens."),
	key("contextTokens", integer(1, noLimit), func(m *ProviderModel) *int64 { return &m.ContextTokens }, 0, "How much of it is used."),
	key("maxTokens", integer(1, noLimit), func(m *ProviderModel) *int64 { return &m.MaxTokens }, 0, "The longest answer, in tokens."),
}, reserved[ProviderModel](notYet("settings of a model's dialect"), "compat"))}

var providerKeys = object[Provider]{
	fields: slices.Concat([]field[Provider]{
		key("baseUrl", text("http or https URL", checkURL), func(p *Provider) *string { return &p.BaseURL }, "", "Where requests go. Without it, where the known provider's do."),
		key("apiKey", secret(), func(p *Provider) *string { return &p.APIKey }, "", "The key; best as `${NAME}`. Without it, the provider's variables, such as `OPENAI_API_KEY`."),
		shown("the known provider's, else openai-completions", key("api",
			oneOf("openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai", "ollama"),
			func(p *Provider) *string { return &p.API }, "", "The protocol.")),
		key("headers", mapOf("name", checkHeader, secret()), func(p *Provider) *map[string]string { return &p.Headers }, nil, "More headers of each request."),
		key("maxTokens", integer(1, noLimit), func(p *Provider) *int64 { return &p.MaxTokens }, 0, "The longest answer, in tokens."),
		key("timeoutSeconds", integer(1, noLimit), func(p *Provider) *int64 { return &p.TimeoutSeconds }, 0, "How long the provider may be silent. Without it 120; in your own network 300 until an answer begins, and then without bound."),
		key("models", listOf(providerModelKeys.fresh()), func(p *Provider) *[]ProviderModel { return &p.Models }, nil, "Its models."),
	},
		reserved[Provider](notYet("ways to authenticate but the protocol's own: use headers"), "auth", "authHeader"),
		reserved[Provider](notYet("settings of connections"), "request"),
		reserved[Provider](notYet("settings of a model's dialect"), "injectNumCtxForOpenAICompat"),
		reserved[Provider]("is not supported: there is one runtime", "agentRuntime")),
	check: func(d *decoder, at json5.Path, n *json5.Node, p *Provider) {
		seen := map[string]bool{}
		for i, m := range p.Models {
			if seen[m.ID] {
				path := at.Join(json5.Key("models")).Join(json5.At(i))
				d.at(n.Get("models").Items[i].Span, path, ReasonConflict, "there is a model with this id already")
			}
			seen[m.ID] = true
		}
	},
}

var modelsKeys = object[Models]{fields: []field[Models]{
	key("mode", oneOf("merge", "replace"), func(m *Models) *string { return &m.Mode }, "merge", "`merge` stands over the known providers and models, `replace` forgets them: there are only the providers and models of the configuration."),
	key("providers", mapOf("provider", checkProviderID, providerKeys.fresh()), func(m *Models) *map[string]Provider { return &m.Providers }, nil, "Providers, by id."),
}}

func checkURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("must be an http or https URL")
	}
	if u.User != nil {
		return errors.New("must not hold a user or a password")
	}
	return nil
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func checkHeader(name string) error {
	if !headerName.MatchString(name) {
		return errors.New("must be the name of an HTTP header")
	}
	return nil
}

func checkProviderID(id string) error {
	switch {
	case id == "" || strings.ContainsAny(id, "/@:*") || strings.ContainsFunc(id, notPrinted):
		return errors.New("must be the id of a provider, without '/', '@', ':', '*' and blanks")
	case strings.EqualFold(id, "script"):
		return errors.New("is the built-in provider of scripted models")
	}
	return nil
}

func notPrinted(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

func checkAlias(name string) error {
	if name == "" || strings.ContainsFunc(name, notPrinted) || strings.Contains(name, "@") {
		return errors.New("must be a name without blanks and '@'")
	}
	return nil
}
