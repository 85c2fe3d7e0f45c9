// Module string_decoder: characters of several bytes may arrive in pieces.
class StringDecoder {
  constructor(encoding = 'utf8') {
    this.encoding = String(encoding).toLowerCase().replace('utf-8', 'utf8');
    Object.defineProperty(this, 'rest', { value: Buffer.alloc(0), writable: true, enumerable: false });
  }
  write(chunk) {
    const own = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    const b = this.rest.length === 0 ? own : Buffer.concat([this.rest, own]);
    const n = b.length - this.#incomplete(b);
    this.rest = b.subarray(n);
    return b.toString(this.encoding, 0, n);
  }
  end(chunk) {
    let text = chunk === undefined ? '' : this.write(chunk);
    text += this.rest.toString(this.encoding);
    this.rest = Buffer.alloc(0);
    return text;
  }
  // incomplete is how many bytes at the end wait for more.
  #incomplete(b) {
    if (this.encoding === 'utf16le' || this.encoding === 'ucs2') return b.length % 2;
    if (this.encoding === 'base64' || this.encoding === 'base64url') return b.length % 3;
    if (this.encoding !== 'utf8') return 0;
    for (let i = 1; i <= Math.min(3, b.length); i++) {
      const c = b[b.length - i];
      if ((c & 0xc0) === 0x80) continue;
      const length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
      return length > i ? i : 0;
    }
    return 0;
  }
}

module.exports = { StringDecoder };
