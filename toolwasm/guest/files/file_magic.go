package files

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"openclaw/toolwasm/guest/strftime"
)

const octets = "application/octet-stream"

// classifyData tells what data is, from its beginning.
func classifyData(b []byte) verdict {
	if v, ok := binaryKind(b); ok {
		return v
	}
	if len(b) == 1 {
		return verdict{"very short file (no magic)", octets, "binary"}
	}
	return textKind(b)
}

func bin(text, mime string) (verdict, bool) { return verdict{text, mime, "binary"}, true }

// binaryKind knows formats by their first bytes.
func binaryKind(b []byte) (verdict, bool) {
	has := func(s string) bool { return bytes.HasPrefix(b, []byte(s)) }
	switch {
	case has("\x89PNG\r\n\x1a\n") && len(b) >= 29:
		return bin(pngText(b), "image/png")
	case has("\xff\xd8\xff"):
		return bin(jpegText(b), "image/jpeg")
	case has("GIF8") && len(b) >= 10:
		return bin(fmt.Sprintf("GIF image data, version %s, %d x %d", b[3:6], binary.LittleEndian.Uint16(b[6:]),
			binary.LittleEndian.Uint16(b[8:])), "image/gif")
	case has("RIFF") && len(b) >= 16:
		return riff(b)
	case has("BM") && len(b) >= 30 && binary.LittleEndian.Uint32(b[14:]) == 40:
		return bin(fmt.Sprintf("PC bitmap, Windows 3.x format, %d x %d x %d", binary.LittleEndian.Uint32(b[18:]),
			binary.LittleEndian.Uint32(b[22:]), binary.LittleEndian.Uint16(b[28:])), "image/bmp")
	case has("\x1f\x8b"):
		return bin(gzipText(b), "application/gzip")
	case has("PK\x03\x04"):
		return zipKind(b)
	case has("PK\x05\x06"):
		return bin("Zip archive data (empty)", "application/zip")
	case has("BZh"):
		return bin("bzip2 compressed data, block size = "+string(b[3:4])+"00k", "application/x-bzip2")
	case has("\xfd7zXZ\x00"):
		return bin("XZ compressed data, checksum "+xzCheck(b), "application/x-xz")
	case has("\x28\xb5\x2f\xfd"):
		return bin("Zstandard compressed data (v0.8+), Dictionary ID: None", "application/zstd")
	case has("7z\xbc\xaf\x27\x1c") && len(b) > 7:
		return bin(fmt.Sprintf("7-zip archive data, version %d.%d", b[6], b[7]), "application/x-7z-compressed")
	case has("\x7fELF") && len(b) >= 20:
		return elf(b)
	case has("\x00asm") && len(b) >= 8:
		return bin(fmt.Sprintf("WebAssembly (wasm) binary module version %#x (MVP)", binary.LittleEndian.Uint32(b[4:])), "application/wasm")
	case has("%PDF-") && len(b) >= 8:
		return bin("PDF document, version "+string(b[5:8]), "application/pdf")
	case has("SQLite format 3\x00"):
		return bin("SQLite 3.x database", "application/vnd.sqlite3")
	case has("OggS"):
		return bin("Ogg data", "application/ogg")
	case has("ID3"):
		return bin("Audio file with ID3 version 2."+fmt.Sprint(b[3])+"."+fmt.Sprint(b[4]), "audio/mpeg")
	case has("fLaC"):
		return bin("FLAC audio bitstream data", "audio/flac")
	case has("MZ"):
		return bin("MS-DOS executable", "application/x-dosexec")
	case has("\xca\xfe\xba\xbe") && len(b) > 7 && b[7] > 40:
		return bin(fmt.Sprintf("compiled Java class data, version %d.%d", binary.BigEndian.Uint16(b[6:]), binary.BigEndian.Uint16(b[4:])),
			"application/x-java-applet")
	case has("!<arch>\n"):
		return bin("current ar archive", "application/x-archive")
	case len(b) > 262 && string(b[257:262]) == "ustar":
		kind := "POSIX tar archive"
		if len(b) > 264 && string(b[257:265]) == "ustar  \x00" {
			kind = "POSIX tar archive (GNU)"
		}
		return bin(kind, "application/x-tar")
	case len(b) > 11 && string(b[4:8]) == "ftyp":
		return bin("ISO Media, MP4 v2 [ISO 14496-14]", "video/mp4")
	}
	return verdict{}, false
}

func pngText(b []byte) string {
	colors := map[byte]string{0: "grayscale", 2: "RGB", 3: "colormap", 4: "gray+alpha", 6: "RGBA"}
	depth := fmt.Sprintf("%d-bit", b[24])
	if c, ok := colors[b[25]]; ok {
		depth = fmt.Sprintf("%d-bit%s", b[24], map[bool]string{true: "/color " + c, false: " " + c}[b[25] == 2 || b[25] == 6])
	}
	interlace := "non-interlaced"
	if b[28] == 1 {
		interlace = "interlaced"
	}
	return fmt.Sprintf("PNG image data, %d x %d, %s, %s", binary.BigEndian.Uint32(b[16:]), binary.BigEndian.Uint32(b[20:]), depth, interlace)
}

// jpegText walks the segments to the frame header, which has the dimensions.
func jpegText(b []byte) string {
	text := "JPEG image data"
	if len(b) > 20 && string(b[6:10]) == "JFIF" {
		units := map[byte]string{0: "aspect ratio", 1: "resolution (DPI)", 2: "resolution (DPCM)"}[b[13]]
		text += fmt.Sprintf(", JFIF standard %d.%02d, %s, density %dx%d, segment length %d", b[11], b[12], units,
			binary.BigEndian.Uint16(b[14:]), binary.BigEndian.Uint16(b[16:]), binary.BigEndian.Uint16(b[4:]))
	}
	for i := 2; i+9 < len(b) && b[i] == 0xff; {
		marker := b[i+1]
		if marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc {
			kind := map[byte]string{0xc0: "baseline", 0xc1: "extended sequential", 0xc2: "progressive"}[marker]
			if kind == "" {
				kind = "lossless"
			}
			return text + fmt.Sprintf(", %s, precision %d, %dx%d, components %d", kind, b[i+4], binary.BigEndian.Uint16(b[i+7:]),
				binary.BigEndian.Uint16(b[i+5:]), b[i+9])
		}
		i += 2 + int(binary.BigEndian.Uint16(b[i+2:]))
	}
	return text
}

func riff(b []byte) (verdict, bool) {
	switch string(b[8:12]) {
	case "WEBP":
		return bin("RIFF (little-endian) data, Web/P image", "image/webp")
	case "WAVE":
		return bin("RIFF (little-endian) data, WAVE audio", "audio/x-wav")
	case "AVI ":
		return bin("RIFF (little-endian) data, AVI", "video/x-msvideo")
	}
	return bin("RIFF (little-endian) data", octets)
}

func gzipText(b []byte) string {
	if len(b) < 10 {
		return "gzip compressed data"
	}
	text := "gzip compressed data"
	if b[3]&8 != 0 {
		if end := bytes.IndexByte(b[10:], 0); end > 0 && b[3]&4 == 0 {
			text += `, was "` + string(b[10:10+end]) + `"`
		}
	}
	if t := binary.LittleEndian.Uint32(b[4:]); t != 0 {
		text += ", last modified: " + strftime.Format("%a %b %e %H:%M:%S %Y", time.Unix(int64(t), 0).UTC())
	}
	switch b[8] {
	case 2:
		text += ", max compression"
	case 4:
		text += ", max speed"
	}
	switch b[9] {
	case 0:
		text += ", from FAT filesystem (MS-DOS, OS/2, NT)"
	case 3:
		text += ", from Unix"
	case 11:
		text += ", from NTFS filesystem (NT)"
	}
	return text
}

func zipKind(b []byte) (verdict, bool) {
	if len(b) < 30 {
		return bin("Zip archive data", "application/zip")
	}
	head := b[:min(len(b), 2048)]
	switch {
	case bytes.Contains(head, []byte("word/")) && bytes.Contains(head, []byte("[Content_Types].xml")):
		return bin("Microsoft Word 2007+", "application/vnd.openxmlformats-officedocument.wordprocessingml.document")
	case bytes.Contains(head, []byte("xl/")) && bytes.Contains(head, []byte("[Content_Types].xml")):
		return bin("Microsoft Excel 2007+", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
	case bytes.Contains(head, []byte("META-INF/MANIFEST.MF")):
		return bin("Java archive data (JAR)", "application/java-archive")
	}
	version := binary.LittleEndian.Uint16(b[4:]) & 0xff
	method := map[uint16]string{0: "store", 8: "deflate"}[binary.LittleEndian.Uint16(b[8:])]
	text := fmt.Sprintf("Zip archive data, at least v%d.%d to extract", version/10, version%10)
	if method != "" {
		text += ", compression method=" + method
	}
	return bin(text, "application/zip")
}

func xzCheck(b []byte) string {
	if len(b) < 8 {
		return "NONE"
	}
	name := map[byte]string{0: "NONE", 1: "CRC32", 4: "CRC64", 10: "SHA-256"}[b[7]&0xf]
	return name
}

func elf(b []byte) (verdict, bool) {
	class := map[byte]string{1: "32-bit", 2: "64-bit"}[b[4]]
	order := binary.ByteOrder(binary.LittleEndian)
	end := "LSB"
	if b[5] == 2 {
		order, end = binary.BigEndian, "MSB"
	}
	kind, mime := "unknown type", octets
	switch order.Uint16(b[16:]) {
	case 1:
		kind, mime = "relocatable", "application/x-object"
	case 2:
		kind, mime = "executable", "application/x-executable"
	case 3:
		kind, mime = "shared object", "application/x-sharedlib"
		if bytes.Contains(b[:min(len(b), 4096)], []byte("/ld-linux")) {
			kind, mime = "pie executable", "application/x-pie-executable"
		}
	case 4:
		kind, mime = "core file", "application/x-coredump"
	}
	machine := map[uint16]string{3: "Intel 80386", 40: "ARM", 62: "x86-64", 183: "ARM aarch64", 243: "UCB RISC-V"}[order.Uint16(b[18:])]
	text := fmt.Sprintf("ELF %s %s %s, %s, version 1 (SYSV)", class, end, kind, machine)
	return bin(strings.ReplaceAll(text, ", ,", ","), mime)
}

// textKind describes text: its language where a first line or the structure tells, its encoding, and its lines.
func textKind(b []byte) verdict {
	encoding, charset := textEncoding(b)
	if encoding == "" {
		return verdict{"data", octets, "binary"}
	}
	kind, mime := language(b)
	text := encoding + " text"
	if kind == "JSON text data" {
		return verdict{"JSON text data", "application/json", charset}
	}
	if kind != "" {
		text = kind + ", " + text
	}
	if strings.HasSuffix(kind, " script") {
		text += " executable"
	}
	return verdict{text + lineKind(b), mime, charset}
}

// textEncoding names the encoding, "" when it is not text.
func textEncoding(b []byte) (name, charset string) {
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) && utf8.Valid(trimPartial(b)) {
		return "Unicode text, UTF-8 (with BOM)", "utf-8"
	}
	if bytes.HasPrefix(b, []byte("\xff\xfe")) {
		return "Unicode text, UTF-16, little-endian", "utf-16le"
	}
	if bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return "Unicode text, UTF-16, big-endian", "utf-16be"
	}
	ascii, high := true, false
	for _, c := range b {
		switch {
		case c >= 0x80:
			ascii = false
			high = high || c < 0xa0
		case c < ' ' && !strings.ContainsRune("\a\b\t\n\f\r\x1b", rune(c)), c == 0x7f:
			return "", ""
		}
	}
	switch {
	case ascii:
		return "ASCII", "us-ascii"
	case utf8.Valid(trimPartial(b)):
		return "Unicode text, UTF-8", "utf-8"
	case !high:
		return "ISO-8859", "iso-8859-1"
	}
	return "Non-ISO extended-ASCII", "unknown-8bit"
}

// trimPartial cuts a character that the end of the probe has split.
func trimPartial(b []byte) []byte {
	for i := 1; i <= utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// language recognises scripts, markup and structured text.
func language(b []byte) (kind, mime string) {
	trimmed := bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), " \t\r\n")
	if bytes.HasPrefix(b, []byte("#!")) {
		return script(b)
	}
	lower := bytes.ToLower(trimmed[:min(len(trimmed), 256)])
	switch {
	case isJSON(trimmed):
		return "JSON text data", "application/json"
	case bytes.HasPrefix(trimmed, []byte("<?xml version=")):
		version := "1.0"
		if len(trimmed) > 18 {
			version = string(trimmed[15:18])
		}
		if bytes.Contains(trimmed[:min(len(trimmed), 1024)], []byte("<svg")) {
			return "SVG Scalable Vector Graphics image", "image/svg+xml"
		}
		return "XML " + version + " document", "text/xml"
	case bytes.HasPrefix(trimmed, []byte("<svg")):
		return "SVG Scalable Vector Graphics image", "image/svg+xml"
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.HasPrefix(lower, []byte("<html")):
		return "HTML document", "text/html"
	case bytes.HasPrefix(trimmed, []byte("diff --git ")), bytes.HasPrefix(trimmed, []byte("--- ")) && bytes.Contains(trimmed, []byte("\n+++ ")):
		return "unified diff output", "text/x-diff"
	case bytes.HasPrefix(trimmed, []byte("-----BEGIN CERTIFICATE")):
		return "PEM certificate", "text/plain"
	case hasLine(b, "#include ") || hasLine(b, "int main("):
		return "C source", "text/x-c"
	case hasLine(b, "def ") && bytes.Contains(b, []byte("):\n")), hasLine(b, "from ") && bytes.Contains(b, []byte(" import ")):
		return "Python script", "text/x-script.python"
	}
	return "", "text/plain"
}

// hasLine reports a line that begins with s.
func hasLine(b []byte, s string) bool {
	return bytes.HasPrefix(b, []byte(s)) || bytes.Contains(b, []byte("\n"+s))
}

func isJSON(b []byte) bool {
	if len(b) == 0 || (b[0] != '{' && b[0] != '[') {
		return false
	}
	return len(b) < probeSize-1 && json.Valid(b)
}

// script reads the interpreter of a #! line.
func script(b []byte) (kind, mime string) {
	line, _, _ := bytes.Cut(b[2:], []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) == 0 {
		return "", "text/plain"
	}
	name := baseName(fields[0])
	if name == "env" {
		rest := fields[1:]
		for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
			rest = rest[1:]
		}
		if len(rest) > 0 {
			name = baseName(rest[0])
		}
	}
	switch {
	case name == "sh" || name == "dash":
		return "POSIX shell script", "text/x-shellscript"
	case name == "bash":
		return "Bourne-Again shell script", "text/x-shellscript"
	case name == "zsh":
		return "Paul Falstad's zsh script", "text/x-shellscript"
	case name == "ksh":
		return "Korn shell script", "text/x-shellscript"
	case strings.HasPrefix(name, "python"):
		return "Python script", "text/x-script.python"
	case strings.HasPrefix(name, "perl"):
		return "Perl script", "text/x-perl"
	case strings.HasPrefix(name, "ruby"):
		return "Ruby script", "text/x-ruby"
	case name == "node" || name == "nodejs":
		return "Node.js script", "application/javascript"
	case name == "php":
		return "PHP script", "text/x-php"
	case name == "awk" || name == "gawk":
		return name + " script", "text/x-awk"
	}
	return "a " + strings.Join(fields, " ") + " script", "text/plain"
}

// longLine is from what length a line is worth telling.
const longLine = 300

// lineKind tells what is unusual about the lines.
func lineKind(b []byte) string {
	crlf := bytes.Count(b, []byte("\r\n"))
	lf := bytes.Count(b, []byte("\n")) - crlf
	cr := bytes.Count(b, []byte("\r")) - crlf
	text := ""
	longest := 0
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		longest = max(longest, len(line))
	}
	if longest > longLine {
		text += fmt.Sprintf(", with very long lines (%d)", longest)
	}
	switch {
	case lf == 0 && crlf == 0 && cr == 0:
		text += ", with no line terminators"
	case crlf > 0 || cr > 0:
		var kinds []string
		if crlf > 0 {
			kinds = append(kinds, "CRLF")
		}
		if cr > 0 {
			kinds = append(kinds, "CR")
		}
		if lf > 0 {
			kinds = append(kinds, "LF")
		}
		text += ", with " + strings.Join(kinds, ", ") + " line terminators"
	}
	if bytes.IndexByte(b, 0x1b) >= 0 {
		text += ", with escape sequences"
	}
	return text
}
