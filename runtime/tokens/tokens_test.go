package tokens_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"openclaw/runtime/model"
	"openclaw/runtime/tokens"
	"pgregory.net/rapid"
)

// samples are texts with the number of tokens that the tokenizer of the vocabulary makes of them.
var samples = []struct {
	name string
	want int64
	text string
}{
	{"English", 65, "The workspace is mounted read-only while the review runs. When it has ended, the agent writes a short report, lists every file that it looked at, and says which of the findings it is sure of. Nobody should have to read the transcript to understand what happened, so names, numbers and dates are given in full."},
	{"German", 59, "Während der Prüfung ist das Arbeitsverzeichnis schreibgeschützt. Danach schreibt der Agent einen kurzen Bericht, zählt alle Dateien auf, die er angesehen hat, und sagt, welcher Ergebnisse er sich sicher ist. Niemand soll das Protokoll lesen müssen, um zu verstehen, was geschehen ist."},
	{"French", 63, "Pendant la vérification, le répertoire de travail est en lecture seule. Ensuite, l'agent rédige un court rapport, énumère tous les fichiers qu'il a consultés et précise de quels résultats il est certain. Personne ne devrait avoir à lire la transcription pour comprendre ce qui s'est passé."},
	{"Russian", 53, "Во время проверки рабочий каталог доступен только для чтения. Затем агент пишет короткий отчёт, перечисляет все просмотренные файлы и говорит, в каких выводах он уверен. Никому не придётся читать протокол, чтобы понять, что произошло."},
	{"Chinese", 69, "检查期间，工作目录是只读的。结束之后，代理会写一份简短的报告，列出它看过的所有文件，并说明哪些结论是有把握的。任何人都不必阅读完整的记录就能明白发生了什么，因此名称、数字和日期都要写完整。"},
	{"Japanese", 85, "確認が行われている間、作業ディレクトリは読み取り専用です。終了すると、エージェントは短い報告書を書き、調べたすべてのファイルを列挙し、どの結果に自信があるかを述べます。何が起きたかを理解するために記録を読む必要はありません。"},
	{"Arabic", 59, "أثناء المراجعة يكون دليل العمل للقراءة فقط. بعد ذلك يكتب الوكيل تقريرا قصيرا، ويسرد جميع الملفات التي اطلع عليها، ويذكر النتائج التي هو متأكد منها. لا ينبغي لأحد أن يقرأ السجل كاملا ليفهم ما حدث."},
	{"Go", 112, "// next waits for a block; not ok when there will be none.\nfunc (d *Delivery) next(ctx context.Context) (Block, bool) {\n\tfor {\n\t\td.mu.Lock()\n\t\tif len(d.queue) > 0 {\n\t\t\tb := d.queue[0]\n\t\t\td.queue = d.queue[1:]\n\t\t\td.mu.Unlock()\n\t\t\treturn b, true\n\t\t}\n\t\td.mu.Unlock()\n\t\tselect {\n\t\tcase <-d.changed:\n\t\tcase <-ctx.Done():\n\t\t\treturn Block{}, false\n\t\t}\n\t}\n}\n"},
	{"Python", 115, "def read_rows(path, *, delimiter=\",\"):\n    \"\"\"Yield each row of a file as a dictionary.\"\"\"\n    with open(path, encoding=\"utf-8\") as source:\n        header = source.readline().rstrip(\"\\n\").split(delimiter)\n        for number, line in enumerate(source, start=2):\n            cells = line.rstrip(\"\\n\").split(delimiter)\n            if len(cells) != len(header):\n                raise ValueError(f\"line {number}: {len(cells)} cells, not {len(header)}\")\n            yield dict(zip(header, cells))\n"},
	{"JSON", 111, "{\"id\": \"run-20261130-0041\", \"status\": \"ok\", \"usage\": {\"input\": 18234, \"output\": 912, \"cacheRead\": 16000}, \"tools\": [{\"name\": \"exec\", \"calls\": 14, \"failed\": 1}, {\"name\": \"read\", \"calls\": 3, \"failed\": 0}], \"startedAt\": \"2026-11-30T21:55:03.120Z\", \"durationMs\": 48211}"},
	{"log", 125, "2026-11-30T21:55:03.120Z INFO  worker-7 request completed method=GET path=/api/v1/orders/48213 status=200 bytes=5120 latency_ms=37.4\n2026-11-30T21:55:03.377Z WARN  worker-2 connection reset by peer addr=10.4.17.203:51822 retry=2\n2026-11-30T21:55:04.002Z ERROR worker-7 cache miss key=session:9f1c44be:profile after=250ms\n"},
	{"base64", 148, "q83vEjRWeJq83vASNFZ4kKvN7xI0VniavN7wEjRWeJCrze8SNFZ4mrze8BI0VniQ7f0PIUNlh6nL7Q8hQ2WHqcvtDyFDZYepy+0PIUNlh6nLw9Tl9gcYKTpLXG1+j6CxwtPk9QYXKDlKW2x9jp+wwdLj9AUWJzhJWmt8jZ6vwNHi8wQVJjdIWWp7jJ2uv9Dh8gMUJTZHWGl6i5ytvs/g"},
	{"hexadecimal", 82, "9f1c44be7a0d2e6f51b83c940e7d15a2c6f8093b4d5e6f7081920a3b4c5d6e7f8091a2b3c4d5e6f70123456789abcdef0fedcba98765432100ffeeddccbbaa99"},
	{"indentation", 20, "a\n    b\n        c\n                d\n\n\n\t\t\te\n            f   \n  g\n"},
	{"emoji", 47, "Done 🎉 — all tests pass ✅, the build is green 🟢 and the docs are up 📚. Next: ship it 🚀🚀 and tell the team 👩‍💻👨‍💻."},
}

// most is how far off a count may be.
const most = 0.1

func TestCountsAreThoseOfTheTokenizer(t *testing.T) {
	for _, c := range samples {
		got := tokens.Count(c.text)
		if off := float64(got)/float64(c.want) - 1; math.Abs(off) > most {
			t.Errorf("%s: %d tokens, want %d", c.name, got, c.want)
		}
	}
}

func TestCountIsSaneWhateverTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ \n\ta-zA-Z0-9'/.-]{0,300}`), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		n := tokens.Count(text)
		if n < 0 || n > int64(len(text)) || n == 0 != (text == "") {
			t.Errorf("%q: %d tokens", text, n)
		}
		more := rapid.String().Draw(t, "more")
		if together := tokens.Count(text + more); together > n+tokens.Count(more)+2 {
			t.Errorf("%q and %q: %d tokens, alone %d and %d", text, more, together, n, tokens.Count(more))
		}
	})
}

func TestLongTextsTakeNoLongerThanTheyAre(t *testing.T) {
	const size = 1 << 20
	for _, part := range []string{"a", " ", "\n", " \n", "0", "é", "日", "=", "/", "'", "aB", "👍"} {
		text := strings.Repeat(part, size/len(part))
		if n := tokens.Count(text); n <= 0 || n > size {
			t.Errorf("%q: %d tokens", part, n)
		}
	}
}

func TestMessages(t *testing.T) {
	text := samples[0].text
	n := tokens.Count(text)
	var c tokens.Counter
	plain := model.User(text)
	if got := c.Message(&plain); got != n+4 {
		t.Errorf("a message: %d, want %d", got, n+4)
	}
	full := model.Message{Role: model.RoleAssistant, Content: []model.Block{
		{Type: model.BlockThinking, Thinking: text},
		{Type: model.BlockText, Text: text},
		{Type: model.BlockToolCall, Name: "exec", Arguments: json.RawMessage(`{"command":"ls"}`)},
		{Type: model.BlockImage, Data: make([]byte, 100_000)},
	}}
	if got := c.Message(&full); got < 2*n+2000 || got > 2*n+2050 {
		t.Errorf("a message of everything: %d", got)
	}
	c.Scale = tokens.Scale{Ratio: 1.5}
	if got := c.Text(text); got != int64(math.Ceil(1.5*float64(n))) {
		t.Errorf("scaled: %d of %d", got, n)
	}
	r := model.Request{System: text, SystemVolatile: text, Messages: []model.Message{plain}, Tools: []model.Tool{{Name: "exec", Description: text, Parameters: json.RawMessage(`{}`)}}}
	if got := (tokens.Counter{}).Request(&r); got < 4*n || got > 4*n+20 {
		t.Errorf("a request: %d", got)
	}
}

func TestScaleLearns(t *testing.T) {
	const real = 1.37 // of the tokenizer that is not known
	c := tokens.Counter{Scale: tokens.ScaleOf("anthropic-messages")}
	if c.Scale.Ratio != 1.2 || tokens.ScaleOf("openai-responses") != (tokens.Scale{}) {
		t.Errorf("%+v", c.Scale)
	}
	text := strings.Repeat(samples[0].text, 10)
	reported := int64(real * float64(tokens.Count(text)))
	for range 3 {
		c.Scale = c.Scale.Learn(c.Text(text), reported)
	}
	if off := float64(c.Text(text))/float64(reported) - 1; math.Abs(off) > 0.01 {
		t.Errorf("still %.3f off", off)
	}
	before := c.Scale
	if got := before.Learn(50, 500); got != before {
		t.Errorf("a short request changes it: %+v", got)
	}
	for range 50 {
		c.Scale = c.Scale.Learn(1000, 100_000)
	}
	if c.Scale.Ratio != 4 || c.Scale.Seen != 8 {
		t.Errorf("%+v", c.Scale)
	}
	kept, err := json.Marshal(c.Scale)
	if err != nil || string(kept) != `{"ratio":4,"seen":8}` {
		t.Errorf("%s, %v", kept, err)
	}
}

func BenchmarkCount(b *testing.B) {
	for _, s := range samples {
		text := strings.Repeat(s.text+"\n", 10_000/len(s.text)+1)[:10_000]
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				tokens.Count(text)
			}
		})
	}
}
