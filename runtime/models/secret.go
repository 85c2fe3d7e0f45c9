package models

import (
	"errors"
	"strings"

	"openclaw/runtime/config"
	"openclaw/runtime/model"
)

// minSecret is the length from which on a key is looked for in texts: shorter ones are in any text.
const minSecret = 6

// secretsOf are the texts that nobody but a provider may see.
func secretsOf(p provider, profile credential) []string {
	secrets := []string{profile.key}
	for _, v := range p.config.Headers {
		secrets = append(secrets, v)
	}
	return secrets
}

// scrubbed is an error without secrets. Providers and transports repeat what they were sent.
func scrubbed(err error, secrets []string) error {
	if err == nil || scrubText(err.Error(), secrets) == err.Error() {
		return err
	}
	var e *model.Error
	if !errors.As(err, &e) {
		return errors.New(scrubText(err.Error(), secrets))
	}
	clean := *e
	clean.Message = scrubText(e.Message, secrets)
	if e.Err != nil {
		clean.Err = errors.New(scrubText(e.Err.Error(), secrets))
	}
	return &clean
}

func scrubText(text string, secrets []string) string {
	for _, s := range secrets {
		if len(s) >= minSecret {
			text = strings.ReplaceAll(text, s, config.Redacted)
		}
	}
	return text
}
