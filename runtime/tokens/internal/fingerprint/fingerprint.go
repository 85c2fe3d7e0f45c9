// Package fingerprint keeps a set of short texts as fingerprints of two bytes each, and finds the longest of them that a text begins
// with. It never misses one; about one time in ten thousand it takes a text for one of them that is none.
package fingerprint

import "encoding/binary"

const (
	slotBits  = 18
	slots     = 1 << slotBits
	startBits = 15
	starts    = 1 << startBits
	// startLength is how many bytes tell how long texts are that begin with them.
	startLength = 3
	// Size is that of a set, in bytes.
	Size = 2*slots + starts
	// MaxLength is how long a text of a set may be.
	MaxLength = 255
	// MaxTexts is how many texts a set may have: with more, looking one up takes long.
	MaxTexts = slots / 5 * 4
)

// Set is a set of texts. Each single byte is in it.
type Set struct{ data string }

// Open is the set that Build has made.
func Open(data string) Set {
	if len(data) != Size {
		panic("fingerprint: the set has not the size of one") // it is part of the program
	}
	return Set{data}
}

// Longest is the length of the longest text of the set that a text begins with; the text is not empty.
func (s Set) Longest(text string) int {
	if len(text) < startLength {
		if len(text) == 2 && s.has(add(add(seed, text[0]), text[1])) {
			return 2
		}
		return 1
	}
	h := add(add(seed, text[0]), text[1])
	best := 1
	if s.has(h) {
		best = 2
	}
	most := min(len(text), int(s.data[2*slots+start(text)]))
	for i := 2; i < most; i++ {
		if h = add(h, text[i]); s.has(h) {
			best = i + 1
		}
	}
	return best
}

// has looks up a text by its hash.
func (s Set) has(h uint64) bool {
	slot, mark := place(h)
	for {
		switch kept := uint16(s.data[2*slot]) | uint16(s.data[2*slot+1])<<8; kept {
		case mark:
			return true
		case 0:
			return false
		}
		slot = (slot + 1) % slots
	}
}

const seed = 0xcbf29ce484222325

func add(h uint64, b byte) uint64 { return (h ^ uint64(b)) * 0x100000001b3 }

// place is where the fingerprint of a hash is kept, and what it is; 0 stands for none.
func place(h uint64) (slot int, mark uint16) {
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	if mark = uint16(h >> 16); mark == 0 {
		mark = 1
	}
	return int(h >> (64 - slotBits)), mark
}

func start(text string) int {
	v := uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16
	return int(v * 0x9e3779b1 >> (32 - startBits))
}

// Build makes the data of a set. Texts must be at most MaxLength long, and at most MaxTexts.
func Build(texts []string) []byte {
	data := make([]byte, Size)
	for _, text := range texts {
		if len(text) < 2 {
			continue
		}
		h := uint64(seed)
		for i := range len(text) {
			h = add(h, text[i])
		}
		slot, mark := place(h)
		for kept := uint16(0); ; slot = (slot + 1) % slots {
			if kept = binary.LittleEndian.Uint16(data[2*slot:]); kept == mark || kept == 0 {
				break
			}
		}
		binary.LittleEndian.PutUint16(data[2*slot:], mark)
		if len(text) >= startLength {
			at := 2*slots + start(text)
			data[at] = max(data[at], byte(len(text)))
		}
	}
	return data
}
