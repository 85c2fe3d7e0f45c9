// TextEncoder and TextDecoder.
class TextEncoder {
  get encoding() { return 'utf-8'; }
  encode(s = '') { return new Uint8Array(binding.encode(String(s), 'utf8')); }
  encodeInto(s, target) {
    const b = this.encode(s);
    let n = Math.min(b.length, target.length);
    while (n > 0 && n < b.length && (b[n] & 0xc0) === 0x80) n--;
    target.set(b.subarray(0, n));
    return { read: binding.decode(b.subarray(0, n), 'utf8').length, written: n };
  }
}

const labels = { 'utf-8': 'utf8', utf8: 'utf8', 'utf-16le': 'utf16le', 'utf-16': 'utf16le', latin1: 'latin1', 'iso-8859-1': 'latin1', ascii: 'latin1', 'us-ascii': 'latin1', 'windows-1252': 'latin1' };

class TextDecoder {
  #encoding;
  #fatal;
  #keepBOM;
  #decoder;
  constructor(label = 'utf-8', options = {}) {
    this.#encoding = labels[String(label).trim().toLowerCase()];
    if (this.#encoding === undefined) throw Object.assign(new RangeError(`The "${label}" encoding is not supported`), { code: 'ERR_ENCODING_NOT_SUPPORTED' });
    this.#fatal = Boolean(options.fatal);
    this.#keepBOM = Boolean(options.ignoreBOM);
  }
  get encoding() { return { utf8: 'utf-8', utf16le: 'utf-16le', latin1: 'windows-1252' }[this.#encoding]; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#keepBOM; }
  decode(data = new Uint8Array(0), options = {}) {
    if (this.#fatal && this.#encoding === 'utf8' && !binding.validUTF8(data)) {
      throw Object.assign(new TypeError('The encoded data was not valid for encoding utf-8'), { code: 'ERR_ENCODING_INVALID_ENCODED_DATA' });
    }
    let text;
    if (options.stream || this.#decoder) {
      const { StringDecoder } = require('string_decoder');
      this.#decoder ??= new StringDecoder(this.#encoding);
      text = this.#decoder.write(Buffer.from(data));
      if (!options.stream) {
        text += this.#decoder.end();
        this.#decoder = undefined;
      }
    } else text = binding.decode(data, this.#encoding);
    return !this.#keepBOM && text.startsWith('\ufeff') ? text.slice(1) : text;
  }
}

module.exports = { TextEncoder, TextDecoder };
