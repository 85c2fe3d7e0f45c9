package memfs

// chunkSize is how much of a file is stored in one piece.
const (
	chunkSize = 64 << 10
	minChunk  = 256
)

// content is the bytes of a file, in chunks, so that growth copies little. A chunk that is shorter than chunkSize, or
// nil, is zero from there on; so is what follows the last one.
type content struct {
	size   int64
	chunks [][]byte
	shared bool // the chunks belong to someone else
}

// stored is how many bytes are held.
func (c *content) stored() int64 {
	var n int64
	for _, chunk := range c.chunks {
		n += int64(len(chunk))
	}
	return n
}

// readAt copies what there is from off on.
func (c *content) readAt(p []byte, off int64) int {
	if off >= c.size {
		return 0
	}
	p = p[:min(int64(len(p)), c.size-off)]
	for done := 0; done < len(p); {
		index, start := split(off + int64(done))
		part := p[done:min(len(p), done+chunkSize-start)]
		n := 0
		if index < len(c.chunks) && start < len(c.chunks[index]) {
			n = copy(part, c.chunks[index][start:])
		}
		clear(part[n:])
		done += len(part)
	}
	return len(p)
}

// writeAt stores p at off and makes the file as long as that takes.
func (c *content) writeAt(p []byte, off int64) {
	c.own()
	for done := 0; done < len(p); {
		index, start := split(off + int64(done))
		part := p[done:min(len(p), done+chunkSize-start)]
		for index >= len(c.chunks) {
			c.chunks = append(c.chunks, nil)
		}
		c.chunks[index] = grow(c.chunks[index], start+len(part))
		done += copy(c.chunks[index][start:], part)
	}
	c.size = max(c.size, off+int64(len(p)))
}

// grow makes chunk at least n bytes long, the new ones zero.
func grow(chunk []byte, n int) []byte {
	old := len(chunk)
	if n <= old {
		return chunk
	}
	if n > cap(chunk) {
		room := min(max(n, 2*cap(chunk), minChunk), chunkSize)
		bigger := make([]byte, n, room)
		copy(bigger, chunk)
		return bigger
	}
	chunk = chunk[:n]
	clear(chunk[old:])
	return chunk
}

// resize cuts the file, or makes it longer with zeros.
func (c *content) resize(size int64) {
	if size < c.size {
		index, start := split(size)
		if index < len(c.chunks) {
			c.chunks[index] = c.chunks[index][:min(start, len(c.chunks[index]))]
			clear(c.chunks[index+1:])
			c.chunks = c.chunks[:index+1]
		}
	}
	c.size = size
}

// adopt makes data the content, without copying it.
func (c *content) adopt(data []byte) {
	*c = content{size: int64(len(data)), shared: true}
	for len(data) > 0 {
		n := min(len(data), chunkSize)
		c.chunks = append(c.chunks, data[:n:n])
		data = data[n:]
	}
}

// own copies what belongs to someone else.
func (c *content) own() {
	if !c.shared {
		return
	}
	for i, chunk := range c.chunks {
		c.chunks[i] = append([]byte(nil), chunk...)
	}
	c.shared = false
}

func split(off int64) (index, start int) {
	return int(off / chunkSize), int(off % chunkSize)
}
