package models

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// The protocols of providers.
const (
	APICompletions = "openai-completions"
	APIResponses   = "openai-responses"
	APIMessages    = "anthropic-messages"
	APIGoogle      = "google-generative-ai"
	APIOllama      = "ollama"
	APIScript      = "script"
)

// known is a provider that needs no configuration but a key.
type known struct {
	id, name string
	api      string
	baseURL  string
	env      []string // the variables of its key, the first that is set counts
	aliases  []string // other names that people and other programs use
	small    string   // the model of small jobs
	first    string   // the model to begin with; empty: the first of the catalogue
	noKey    bool     // works without a key
}

// knownProviders are the providers that the runtime knows, in the order of lists.
var knownProviders = []known{
	{id: "openai", name: "OpenAI", api: APIResponses, baseURL: "https://api.openai.com/v1", env: []string{"OPENAI_API_KEY"}, small: "gpt-5.6-luna", first: "gpt-6-astra"},
	{id: "anthropic", name: "Anthropic", api: APIMessages, baseURL: "https://api.anthropic.com", env: []string{"ANTHROPIC_API_KEY"}, aliases: []string{"claude"}, small: "claude-haiku-4-5", first: "claude-sonnet-5"},
	{id: "google", name: "Google Gemini", api: APIGoogle, baseURL: "https://generativelanguage.googleapis.com/v1beta", env: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, aliases: []string{"gemini", "google-ai", "google-generative-ai"}},
	{id: "openrouter", name: "OpenRouter", api: APICompletions, baseURL: "https://openrouter.ai/api/v1", env: []string{"OPENROUTER_API_KEY"}, aliases: []string{"open-router"}},
	{id: "groq", name: "Groq", api: APICompletions, baseURL: "https://api.groq.com/openai/v1", env: []string{"GROQ_API_KEY"}},
	{id: "mistral", name: "Mistral", api: APICompletions, baseURL: "https://api.mistral.ai/v1", env: []string{"MISTRAL_API_KEY"}, aliases: []string{"mistralai"}},
	{id: "xai", name: "xAI", api: APICompletions, baseURL: "https://api.x.ai/v1", env: []string{"XAI_API_KEY"}, aliases: []string{"x-ai", "x.ai", "grok"}},
	{id: "deepseek", name: "DeepSeek", api: APICompletions, baseURL: "https://api.deepseek.com/v1", env: []string{"DEEPSEEK_API_KEY"}, aliases: []string{"deep-seek"}},
	{id: "together", name: "Together AI", api: APICompletions, baseURL: "https://api.together.xyz/v1", env: []string{"TOGETHER_API_KEY"}, aliases: []string{"togetherai", "together-ai"}},
	{id: "fireworks", name: "Fireworks", api: APICompletions, baseURL: "https://api.fireworks.ai/inference/v1", env: []string{"FIREWORKS_API_KEY"}, aliases: []string{"fireworks-ai"}},
	{id: "cerebras", name: "Cerebras", api: APICompletions, baseURL: "https://api.cerebras.ai/v1", env: []string{"CEREBRAS_API_KEY"}},
	{id: "moonshot", name: "Moonshot AI", api: APICompletions, baseURL: "https://api.moonshot.ai/v1", env: []string{"MOONSHOT_API_KEY"}, aliases: []string{"moonshotai", "kimi"}},
	{id: "zai", name: "Z.AI", api: APICompletions, baseURL: "https://api.z.ai/api/paas/v4", env: []string{"ZAI_API_KEY", "Z_AI_API_KEY"}, aliases: []string{"z.ai", "z-ai"}},
	{id: "minimax", name: "MiniMax", api: APIMessages, baseURL: "https://api.minimax.io/anthropic", env: []string{"MINIMAX_API_KEY"}},
	{id: "huggingface", name: "Hugging Face", api: APICompletions, baseURL: "https://router.huggingface.co/v1", env: []string{"HF_TOKEN", "HUGGINGFACE_HUB_TOKEN"}, aliases: []string{"hf", "hugging-face"}},
	{id: "nvidia", name: "NVIDIA", api: APICompletions, baseURL: "https://integrate.api.nvidia.com/v1", env: []string{"NVIDIA_API_KEY"}},
	{id: "vercel-ai-gateway", name: "Vercel AI Gateway", api: APICompletions, baseURL: "https://ai-gateway.vercel.sh/v1", env: []string{"AI_GATEWAY_API_KEY"}, aliases: []string{"vercel"}},
	{id: "opencode", name: "OpenCode Zen", api: APICompletions, baseURL: "https://opencode.ai/zen/v1", env: []string{"OPENCODE_API_KEY"}, aliases: []string{"opencode-zen"}},
	{id: "venice", name: "Venice", api: APICompletions, baseURL: "https://api.venice.ai/api/v1", env: []string{"VENICE_API_KEY"}},
	{id: "nebius", name: "Nebius", api: APICompletions, baseURL: "https://api.tokenfactory.nebius.com/v1", env: []string{"NEBIUS_API_KEY"}},
	{id: "baseten", name: "Baseten", api: APICompletions, baseURL: "https://inference.baseten.co/v1", env: []string{"BASETEN_API_KEY"}},
	{id: "chutes", name: "Chutes", api: APICompletions, baseURL: "https://llm.chutes.ai/v1", env: []string{"CHUTES_API_KEY"}},
	{id: "synthetic", name: "Synthetic", api: APICompletions, baseURL: "https://api.synthetic.new/openai/v1", env: []string{"SYNTHETIC_API_KEY"}},
	{id: "scaleway", name: "Scaleway", api: APICompletions, baseURL: "https://api.scaleway.ai/v1", env: []string{"SCW_SECRET_KEY"}},
	{id: "ollama", name: "Ollama", api: APIOllama, baseURL: "http://127.0.0.1:11434", env: []string{"OLLAMA_API_KEY"}, noKey: true},
	{id: "lmstudio", name: "LM Studio", api: APICompletions, baseURL: "http://127.0.0.1:1234/v1", env: []string{"LMSTUDIO_API_KEY", "LM_API_TOKEN"}, aliases: []string{"lm-studio"}, noKey: true},
	{id: "vllm", name: "vLLM", api: APICompletions, baseURL: "http://127.0.0.1:8000/v1", env: []string{"VLLM_API_KEY"}, noKey: true},
	{id: "llamacpp", name: "llama.cpp", api: APICompletions, baseURL: "http://127.0.0.1:8080/v1", env: []string{"LLAMACPP_API_KEY"}, aliases: []string{"llama.cpp", "llama-cpp"}, noKey: true},
}

// knownProvider finds a provider by its id.
func knownProvider(id string) (known, bool) {
	i := slices.IndexFunc(knownProviders, func(k known) bool { return k.id == id })
	if i < 0 {
		return known{}, false
	}
	return knownProviders[i], true
}

// canonicalProvider is the id of a provider that may be written in other ways.
func canonicalProvider(id string) string {
	id = strings.ToLower(id)
	for _, k := range knownProviders {
		if slices.Contains(k.aliases, id) {
			return k.id
		}
	}
	return id
}

// reach says how far away a provider is.
type reach int

const (
	reachCloud reach = iota
	reachPrivate
	reachLoopback
)

// reachOf tells where a base URL leads, by its name only.
func reachOf(baseURL string) reach {
	u, err := url.Parse(baseURL)
	if err != nil {
		return reachCloud
	}
	host := strings.ToLower(u.Hostname())
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return reachLoopback
	}
	addr, err := netip.ParseAddr(host)
	switch {
	case err != nil && (strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal") || !strings.Contains(host, ".")):
		return reachPrivate
	case err != nil:
		return reachCloud
	case addr.IsLoopback():
		return reachLoopback
	case addr.IsPrivate() || addr.IsLinkLocalUnicast():
		return reachPrivate
	}
	return reachCloud
}
