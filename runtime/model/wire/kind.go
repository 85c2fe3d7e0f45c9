package wire

import (
	"net/http"
	"slices"
	"strings"

	"openclaw/runtime/model"
)

// Words by which providers tell what happened. Codes are compared whole, texts are looked for in messages in lower case.
var (
	overflowCodes = []string{"context_length_exceeded", "exceed_context_size_error", "model_context_window_exceeded", "request_too_large", "context_window_exceeded"}
	overflowTexts = []string{
		"context length", "context window", "context size", "context limit", "context_length", "prompt is too long", "prompt too long",
		"maximum prompt length", "exceeds the maximum number of tokens", "input is too long", "too many input tokens", "reduce the length of the messages",
		"exceeds the limit of tokens", "maximum allowed input length",
	}
	billingCodes = []string{"insufficient_quota", "billing_error", "billing_hard_limit_reached", "insufficient_balance", "insufficient_credits", "payment_required"}
	billingTexts = []string{"credit balance", "insufficient balance", "insufficient credits", "exceeded your current quota, please check your plan and billing", "requires more credits", "billing hard limit"}
	authCodes    = []string{"authentication_error", "invalid_api_key", "permission_error", "api_key_invalid", "unauthenticated", "permission_denied", "invalid_authentication"}
	authTexts    = []string{"api key not valid", "invalid api key", "incorrect api key", "api key expired"}
	rateCodes    = []string{"rate_limit_error", "rate_limit_exceeded", "resource_exhausted", "too_many_requests", "tokens_exceeded"}
	busyCodes    = []string{"overloaded_error", "overloaded", "api_error", "server_error", "internal_server_error", "unavailable", "internal", "service_unavailable", "bad_gateway", "server_is_overloaded", "slow_down"}
	timeCodes    = []string{"timeout_error", "deadline_exceeded", "timeout"}
	refusalCodes = []string{"content_filter", "prohibited_content", "safety"}
	missingCodes = []string{"model_not_found", "not_found_error", "not_found", "model_not_available", "deployment_not_found"}
	missingTexts = []string{"model not found", "no such model", "unknown model", "invalid model name", "is not a valid model"}
	invalidCodes = []string{"invalid_request_error", "invalid_argument", "failed_precondition", "invalid_prompt", "unprocessable_entity"}
)

// kindOf tells what a failure is from its status and what the provider says. Words stand over the status: a 400 may be a
// conversation that is too long, a 429 an account without money.
func kindOf(status int, f fault) model.Kind {
	says := func(codes, texts []string) bool {
		message := strings.ToLower(f.message)
		return slices.ContainsFunc(f.codes, func(c string) bool { return slices.Contains(codes, c) }) ||
			slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(message, t) })
	}
	rated := status == http.StatusTooManyRequests || says(rateCodes, nil)
	switch {
	case status == http.StatusPaymentRequired || says(billingCodes, billingTexts):
		return model.KindBilling
	case !rated && (status == http.StatusRequestEntityTooLarge || says(overflowCodes, overflowTexts)):
		return model.KindOverflow // a rate limit speaks of tokens, too
	case rated:
		return model.KindRateLimit
	case says(refusalCodes, nil) || slices.ContainsFunc(f.codes, isPolicy):
		return model.KindRefused
	case says(authCodes, authTexts):
		return model.KindAuth
	case says(missingCodes, missingTexts) || status < http.StatusInternalServerError && saysModelIsMissing(f.message):
		return model.KindNotFound
	case says(timeCodes, nil):
		return model.KindTimeout
	case says(busyCodes, nil):
		return model.KindOverloaded
	}
	if kind := statusKind(status); kind != model.KindUnknown {
		return kind
	}
	if says(invalidCodes, nil) {
		return model.KindInvalid
	}
	return model.KindUnknown
}

// isPolicy tells OpenAI's codes of what it will not answer: there are more of them every year.
func isPolicy(code string) bool {
	return strings.HasSuffix(code, "_policy") || strings.HasSuffix(code, "policy_violation")
}

// saysModelIsMissing finds the sentence that most servers write with the name in between.
func saysModelIsMissing(message string) bool {
	message = strings.ToLower(message)
	at := strings.Index(message, "model")
	return at >= 0 && (strings.Contains(message[at:], "does not exist") || strings.Contains(message[at:], "not found"))
}

func statusKind(status int) model.Kind {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return model.KindAuth
	case http.StatusNotFound:
		return model.KindNotFound
	case http.StatusRequestTimeout, http.StatusGatewayTimeout, 524: // the last is a proxy's
		return model.KindTimeout
	}
	switch {
	case status == http.StatusConflict, status == http.StatusTooEarly, status >= http.StatusInternalServerError:
		return model.KindOverloaded
	case status >= http.StatusBadRequest:
		return model.KindInvalid
	}
	return model.KindUnknown
}
