package conversation_test

import (
	"testing"
)

func TestAMessageBeginsARun(t *testing.T) {
	h := newHome(t, `{"turns":[{"text":"Hello."},{"calls":[{"name":"exec","arguments":{"command":"echo hi"}}]},{"text":"Done."}]}`, "")
	h.send("hi")
	h.settle()
	h.send("do it")
	h.settle()
	t.Log("\n" + h.transcript())
}
