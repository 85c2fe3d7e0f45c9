package shell_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/toolbox"
)

func TestALineOfCommandsThatIsTooLongIsAnError(t *testing.T) {
	const longer = 16<<20 + 10
	script := "echo first\necho " + strings.Repeat("x", longer) + "\necho last\n"
	var stdout, stderr bytes.Buffer
	status := runIn(context.Background(), toolbox.Table(), t.TempDir(), "bash; echo $?", strings.NewReader(script), &stdout, &stderr)
	if status != 0 || stdout.String() != "first\n2\n" || !strings.Contains(stderr.String(), "line too long") {
		t.Errorf("status %d, stdout %.100q, stderr %.100q", status, stdout.String(), stderr.String())
	}
}
