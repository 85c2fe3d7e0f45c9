// Module buffer.
const { inspect } = require('inspect');

const encodings = { utf8: 'utf8', 'utf-8': 'utf8', hex: 'hex', base64: 'base64', base64url: 'base64url', latin1: 'latin1', binary: 'latin1', ascii: 'ascii', ucs2: 'utf16le', 'ucs-2': 'utf16le', utf16le: 'utf16le', 'utf-16le': 'utf16le' };

function encodingOf(name) {
  if (name === undefined || name === null || name === '') return 'utf8';
  const e = encodings[String(name).toLowerCase()];
  if (e === undefined) throw Object.assign(new TypeError(`Unknown encoding: ${name}`), { code: 'ERR_UNKNOWN_ENCODING' });
  return e;
}

function bytesOf(s, encoding) {
  const e = encodingOf(encoding);
  return binding.encode(s, e === 'ascii' ? 'latin1' : e === 'base64url' ? 'base64' : e);
}

function outOfRange(name, range, value) {
  return Object.assign(new RangeError(`The value of "${name}" is out of range. It must be ${range}. Received ${inspect(value)}`), { code: 'ERR_OUT_OF_RANGE' });
}

const kMaxLength = 2 ** 31 - 1;

class FastBuffer extends Uint8Array {}

function Buffer(value, encodingOrOffset, length) {
  if (typeof value === 'number') return Buffer.alloc(value);
  return Buffer.from(value, encodingOrOffset, length);
}
Buffer.prototype = FastBuffer.prototype;
Object.defineProperty(FastBuffer.prototype, 'constructor', { value: Buffer, writable: true, configurable: true, enumerable: false });
Object.setPrototypeOf(Buffer, Uint8Array);
Object.defineProperty(Buffer, Symbol.species, { get: () => FastBuffer, configurable: true });

Buffer.from = (value, encodingOrOffset, length) => {
  if (typeof value === 'string') return new FastBuffer(bytesOf(value, encodingOrOffset));
  if (value instanceof ArrayBuffer) return new FastBuffer(value, encodingOrOffset ?? 0, length ?? value.byteLength - (encodingOrOffset ?? 0));
  if (ArrayBuffer.isView(value)) {
    return new FastBuffer(value);
  }
  if (value !== null && typeof value === 'object') {
    if (value.type === 'Buffer' && Array.isArray(value.data)) return new FastBuffer(value.data);
    if (Array.isArray(value) || typeof value.length === 'number') return new FastBuffer(Array.from(value, (n) => Number(n) & 255));
    const inner = typeof value.valueOf === 'function' ? value.valueOf() : value;
    if (inner !== value && inner !== null && inner !== undefined) return Buffer.from(inner, encodingOrOffset, length);
    if (typeof value[Symbol.toPrimitive] === 'function') return Buffer.from(value[Symbol.toPrimitive]('string'), encodingOrOffset);
  }
  const err = new TypeError(`The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received ${require('output').received(value)}`);
  throw Object.assign(err, { code: 'ERR_INVALID_ARG_TYPE' });
};
Buffer.alloc = (size, fill, encoding) => {
  if (typeof size !== 'number') throw Object.assign(new TypeError(`The "size" argument must be of type number. Received ${require('output').received(size)}`), { code: 'ERR_INVALID_ARG_TYPE' });
  if (!(size >= 0 && size <= kMaxLength)) throw outOfRange('size', `>= 0 && <= ${kMaxLength}`, size);
  const b = new FastBuffer(size);
  return fill !== undefined && fill !== 0 ? b.fill(fill, encoding) : b;
};
Buffer.allocUnsafe = (size) => Buffer.alloc(size);
Buffer.allocUnsafeSlow = (size) => Buffer.alloc(size);
Buffer.of = (...items) => new FastBuffer(items);
Buffer.isBuffer = (b) => b instanceof FastBuffer;
Buffer.isEncoding = (e) => typeof e === 'string' && encodings[e.toLowerCase()] !== undefined;
Buffer.byteLength = (v, encoding) => {
  if (typeof v !== 'string') return v.byteLength;
  return encodingOf(encoding) === 'utf8' ? binding.utf8Length(v) : bytesOf(v, encoding).byteLength;
};
Buffer.concat = (list, total) => {
  if (!Array.isArray(list)) throw Object.assign(new TypeError(`The "list" argument must be an instance of Array. Received ${require('output').received(list)}`), { code: 'ERR_INVALID_ARG_TYPE' });
  const size = total ?? list.reduce((n, b) => n + b.length, 0), out = new FastBuffer(size);
  let at = 0;
  for (const b of list) {
    if (at >= size) break;
    out.set(at + b.length > size ? b.subarray(0, size - at) : b, at);
    at += b.length;
  }
  return out;
};
Buffer.compare = (a, b) => {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  return Math.sign(a.length - b.length);
};
Buffer.poolSize = 8192;

function part(v, encoding) {
  if (typeof v === 'number') return new FastBuffer([v & 255]);
  return typeof v === 'string' ? new FastBuffer(bytesOf(v, encoding)) : v;
}

const methods = {
  toString(encoding, start = 0, end = this.length) {
    const from = Math.max(Math.trunc(start) || 0, 0), to = Math.min(Math.trunc(end), this.length);
    if (from >= to) return '';
    const e = encodingOf(encoding);
    return binding.decode(from === 0 && to === this.length ? this : this.subarray(from, to), e);
  },
  toLocaleString(encoding) { return this.toString(encoding); },
  toJSON() { return { type: 'Buffer', data: Array.from(this) }; },
  equals(b) { return binding.equal(this, b); },
  compare(b, bs = 0, be = b.length, s = 0, e = this.length) { return Buffer.compare(this.subarray(s, e), b.subarray(bs, be)); },
  slice(start, end) { return this.subarray(start, end); },
  write(s, offset = 0, length, encoding) {
    if (typeof offset === 'string') [offset, encoding] = [0, offset];
    else if (typeof length === 'string') [length, encoding] = [undefined, length];
    const b = new Uint8Array(bytesOf(s, encoding)), n = Math.min(b.length, length ?? Infinity, this.length - offset);
    this.set(b.subarray(0, n), offset);
    return n;
  },
  copy(target, at = 0, start = 0, end = this.length) {
    const piece = this.subarray(start, Math.min(end, start + target.length - at));
    target.set(piece, at);
    return piece.length;
  },
  fill(v, offset = 0, end = this.length, encoding) {
    if (typeof offset === 'string') [encoding, offset] = [offset, 0];
    if (typeof v === 'number') return Uint8Array.prototype.fill.call(this, v & 255, offset, end);
    const p = part(v, encoding);
    if (p.length === 0) return Uint8Array.prototype.fill.call(this, 0, offset, end);
    for (let i = offset; i < end; i++) this[i] = p[(i - offset) % p.length];
    return this;
  },
  indexOf(v, from = 0, encoding) {
    if (typeof from === 'string') [from, encoding] = [0, from];
    return binding.indexOf(this, part(v, encoding), from < 0 ? Math.max(this.length + from, 0) : from);
  },
  lastIndexOf(v, from = this.length, encoding) {
    const p = part(v, encoding);
    for (let i = Math.min(from, this.length - p.length); i >= 0; i--) if (p.every((b, j) => this[i + j] === b)) return i;
    return -1;
  },
  includes(v, from, encoding) { return this.indexOf(v, from, encoding) >= 0; },
  swap16() { return swap(this, 2); },
  swap32() { return swap(this, 4); },
  swap64() { return swap(this, 8); },
  [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
    const most = 50, shown = Math.min(most, this.length);
    let text = this.toString('hex', 0, shown).replace(/(.{2})/g, '$1 ').trim();
    if (this.length > most) text += ` ... ${this.length - most} more byte${this.length - most > 1 ? 's' : ''}`;
    const extra = Object.keys(this).filter((k) => !/^\d+$/.test(k));
    if (extra.length > 0) text += `${this.length > 0 ? ', ' : ''}${extra.map((k) => `${k}: ${inspect(this[k], options)}`).join(', ')}`;
    return `<${this.constructor.name}${text === '' ? '' : ` ${text}`}>`;
  },
};

function swap(b, n) {
  if (b.length % n !== 0) throw Object.assign(new RangeError(`Buffer size must be a multiple of ${n * 8}-bits`), { code: 'ERR_INVALID_BUFFER_SIZE' });
  for (let i = 0; i < b.length; i += n) b.subarray(i, i + n).reverse();
  return b;
}

function numbers() {
  const kinds = [['UInt8', 1, 'Uint8'], ['Int8', 1, 'Int8'], ['UInt16', 2, 'Uint16'], ['Int16', 2, 'Int16'], ['UInt32', 4, 'Uint32'], ['Int32', 4, 'Int32'],
    ['Float', 4, 'Float32'], ['Double', 8, 'Float64'], ['BigUInt64', 8, 'BigUint64'], ['BigInt64', 8, 'BigInt64']];
  for (const [name, size, view] of kinds) {
    for (const order of size === 1 ? [''] : ['LE', 'BE']) {
      const little = order === 'LE', check = (b, at) => {
        if (!(Number.isInteger(at) && at >= 0 && at + size <= b.length)) throw b.length < size ? Object.assign(new RangeError('Attempt to access memory outside buffer bounds'), { code: 'ERR_BUFFER_OUT_OF_BOUNDS' }) : outOfRange('offset', `>= 0 and <= ${b.length - size}`, at);
        return new DataView(b.buffer, b.byteOffset, b.byteLength);
      };
      const read = function (at = 0) { return check(this, at)[`get${view}`](at, little); };
      const write = function (v, at = 0) {
        const d = check(this, at);
        checkRange(v, name, size);
        d[`set${view}`](at, v, little);
        return at + size;
      };
      for (const alias of new Set([name, name.replace('UInt', 'Uint')])) {
        methods[`read${alias}${order}`] = read;
        methods[`write${alias}${order}`] = write;
      }
    }
  }
  for (const [order, little] of [['LE', true], ['BE', false]]) {
    for (const [name, signed] of [['UInt', false], ['Uint', false], ['Int', true]]) {
      methods[`read${name}${order}`] = function (at, n) { return readBytes(this, at, n, little, signed); };
      methods[`write${name}${order}`] = function (v, at, n) {
        for (let i = 0; i < n; i++) this[at + (little ? i : n - 1 - i)] = Math.floor(v / 2 ** (8 * i)) & 255;
        return at + n;
      };
    }
  }
}

function checkRange(v, name, size) {
  if (/^(Float|Double|Big)/.test(name)) return;
  const bits = size * 8, lo = name.startsWith('U') ? 0 : -(2 ** (bits - 1)), hi = name.startsWith('U') ? 2 ** bits - 1 : 2 ** (bits - 1) - 1;
  if (v < lo || v > hi) throw outOfRange('value', `>= ${lo} and <= ${hi}`, v);
}

function readBytes(b, at, n, little, signed) {
  let v = 0;
  for (let i = 0; i < n; i++) v += b[at + (little ? i : n - 1 - i)] * 2 ** (8 * i);
  return signed && v >= 2 ** (8 * n - 1) ? v - 2 ** (8 * n) : v;
}

numbers();
for (const k of Reflect.ownKeys(methods)) Object.defineProperty(FastBuffer.prototype, k, { value: methods[k], writable: true, configurable: true, enumerable: false });
Object.defineProperty(FastBuffer.prototype, 'parent', { get() { return this.buffer; }, configurable: true, enumerable: false });
Object.defineProperty(FastBuffer.prototype, 'offset', { get() { return this.byteOffset; }, configurable: true, enumerable: false });

class Blob {
  #data;
  constructor(pieces = [], options = {}) {
    this.#data = Buffer.concat(pieces.map((p) => (p instanceof Blob ? p.#data : typeof p === 'string' ? Buffer.from(p) : Buffer.from(p))));
    Object.defineProperty(this, 'size', { value: this.#data.length, enumerable: true });
    Object.defineProperty(this, 'type', { value: options.type || '', enumerable: true });
  }
  async text() { return this.#data.toString('utf8'); }
  async arrayBuffer() { return this.#data.buffer.slice(this.#data.byteOffset, this.#data.byteOffset + this.#data.byteLength); }
  slice(a, b, type) { return new Blob([this.#data.subarray(a, b)], { type }); }
}

module.exports = {
  Buffer, Blob, SlowBuffer: Buffer, kMaxLength, constants: { MAX_LENGTH: kMaxLength, MAX_STRING_LENGTH: 2 ** 29 - 24 }, INSPECT_MAX_BYTES: 50,
  atob: (s) => {
    const text = String(s).replace(/[\t\n\f\r ]/g, '');
    if (/[^A-Za-z0-9+/=]/.test(text) || text.replace(/=+$/, '').length % 4 === 1) throw require('abort').domException('The string to be decoded is not correctly encoded.', 'InvalidCharacterError');
    return Buffer.from(text, 'base64').toString('latin1');
  },
  btoa: (s) => {
    if (/[^\x00-\xff]/.test(String(s))) throw require('abort').domException('Invalid character', 'InvalidCharacterError');
    return Buffer.from(String(s), 'latin1').toString('base64');
  },
  isUtf8: (b) => binding.validUTF8(b), isAscii: (b) => b.every((c) => c < 128),
};
