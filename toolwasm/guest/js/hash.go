package js

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"hash"
	"strings"

	"github.com/dop251/goja"
)

// hashes are the digests by their names in node, in lower case.
var hashes = map[string]func() hash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New,
}

// maxRandom is how many random bytes a call may ask for.
const maxRandom = 64 << 20

func (e *engine) hashBindings() map[string]any {
	return map[string]any{
		"newHash":   e.newHash,
		"hashNames": func() []string { return []string{"md5", "sha1", "sha224", "sha256", "sha384", "sha512"} },
		"randomBytes": func(n int) goja.Value {
			if n < 0 || n > maxRandom {
				e.throw("RangeError", "ERR_OUT_OF_RANGE", `The value of "size" is out of range. It must be >= 0 && <= %d. Received %d`, maxRandom, n)
			}
			b := make([]byte, n)
			_, _ = rand.Read(b)
			return e.buffer(b)
		},
		"equal": func(a, b goja.Value) bool { return subtle.ConstantTimeCompare(e.bytes(a), e.bytes(b)) == 1 },
	}
}

// newHash returns a digest or, with a key, an authentication code.
func (e *engine) newHash(name string, key goja.Value) goja.Value {
	f, ok := hashes[strings.ReplaceAll(strings.ToLower(name), "-", "")]
	if !ok {
		return goja.Undefined()
	}
	h := f()
	if !goja.IsUndefined(key) {
		h = hmac.New(f, e.bytes(key))
	}
	return e.vm.ToValue(map[string]any{
		"update": func(data goja.Value) { h.Write(e.bytes(data)) },
		"digest": func() goja.Value { return e.buffer(h.Sum(nil)) },
		"copy":   func() goja.Value { return e.copyHash(name, h) },
	})
}

// copyHash returns a digest that goes on from where h is.
func (e *engine) copyHash(name string, h hash.Hash) goja.Value {
	c, ok := h.(hash.Cloner)
	if !ok {
		e.throw("Error", "ERR_CRYPTO_HASH_FINALIZED", "a digest of %s cannot be copied", name)
	}
	other, err := c.Clone()
	e.check(err)
	return e.vm.ToValue(map[string]any{
		"update": func(data goja.Value) { other.Write(e.bytes(data)) },
		"digest": func() goja.Value { return e.buffer(other.Sum(nil)) },
		"copy":   func() goja.Value { return e.copyHash(name, other) },
	})
}
