// Module crypto: digests and randomness.
const { Transform } = require('stream');

const random = (n) => Buffer.from(binding.randomBytes(n));

function output(bytes, encoding) {
  const b = Buffer.from(bytes);
  return encoding === undefined || encoding === 'buffer' ? b : b.toString(encoding);
}

class Hash extends Transform {
  #hash;
  #done = false;
  constructor(hash) {
    super();
    this.#hash = hash;
  }
  update(data, encoding) {
    if (this.#done) throw Object.assign(new Error('Digest already called'), { code: 'ERR_CRYPTO_HASH_FINALIZED' });
    if (typeof data !== 'string' && !ArrayBuffer.isView(data)) {
      throw Object.assign(new TypeError(`The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${require('output').received(data)}`), { code: 'ERR_INVALID_ARG_TYPE' });
    }
    this.#hash.update(typeof data === 'string' ? Buffer.from(data, encoding) : data);
    return this;
  }
  digest(encoding) {
    if (this.#done) throw Object.assign(new Error('Digest already called'), { code: 'ERR_CRYPTO_HASH_FINALIZED' });
    this.#done = true;
    return output(this.#hash.digest(), encoding);
  }
  copy() { return new Hash(this.#hash.copy()); }
  _transform(chunk, encoding, done) { this.update(chunk); done(); }
  _flush(done) { this.push(this.digest()); done(); }
}

function createHash(name) {
  const h = binding.newHash(String(name), undefined);
  if (h === undefined) throw Object.assign(new Error('Digest method not supported'), { code: 'ERR_CRYPTO_INVALID_DIGEST' });
  return new Hash(h);
}

function createHmac(name, key) {
  const h = binding.newHash(String(name), typeof key === 'string' ? Buffer.from(key) : key);
  if (h === undefined) throw Object.assign(new Error(`Invalid digest: ${name}`), { code: 'ERR_CRYPTO_INVALID_DIGEST' });
  return new Hash(h);
}

function randomUUID() {
  const b = random(16);
  b[6] = (b[6] & 0x0f) | 0x40;
  b[8] = (b[8] & 0x3f) | 0x80;
  const h = b.toString('hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
}

function randomInt(lo, hi, done) {
  if (hi === undefined || typeof hi === 'function') [lo, hi, done] = [0, lo, hi];
  if (!(Number.isSafeInteger(lo) && Number.isSafeInteger(hi) && hi > lo)) {
    throw Object.assign(new RangeError(`The value of "max" is out of range. It must be greater than the value of "min" (${lo}). Received ${hi}`), { code: 'ERR_OUT_OF_RANGE' });
  }
  const range = hi - lo, bits = 2 ** 48, limit = bits - (bits % range);
  let n;
  do n = random(6).readUIntBE(0, 6); while (n >= limit);
  const v = lo + (n % range);
  if (done) process.nextTick(done, null, v);
  return v;
}

function randomFill(view) {
  const bytes = new Uint8Array(view.buffer ?? view, view.byteOffset ?? 0, view.byteLength);
  bytes.set(random(bytes.length));
  return view;
}

function absent(name) {
  return () => { throw Object.assign(new Error(`crypto.${name} is not available in this sandbox`), { code: 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM' }); };
}

function pbkdf2Sync(password, salt, iterations, length, digest = 'sha1') {
  const size = createHash(digest).digest().length, out = [];
  for (let block = 1; out.length * size < length; block++) {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(block);
    let u = createHmac(digest, password).update(Buffer.concat([Buffer.from(salt), counter])).digest();
    const t = Buffer.from(u);
    for (let i = 1; i < iterations; i++) {
      u = createHmac(digest, password).update(u).digest();
      for (let j = 0; j < t.length; j++) t[j] ^= u[j];
    }
    out.push(t);
  }
  return Buffer.concat(out).subarray(0, length);
}

const subtle = {
  async digest(name, data) {
    const h = createHash(typeof name === 'string' ? name : name.name).update(ArrayBuffer.isView(data) ? data : new Uint8Array(data)).digest();
    return h.buffer.slice(h.byteOffset, h.byteOffset + h.byteLength);
  },
};

module.exports = {
  createHash, createHmac, randomUUID, randomInt, pbkdf2Sync, Hash,
  randomBytes: (n, done) => { const b = random(n); if (done) process.nextTick(done, null, b); return b; },
  randomFillSync: randomFill, getRandomValues: randomFill, getHashes: () => [...binding.hashNames()],
  hash: (name, data, encoding = 'hex') => createHash(name).update(data).digest(encoding),
  timingSafeEqual: (a, b) => {
    if (a.byteLength !== b.byteLength) throw Object.assign(new RangeError('Input buffers must have the same byte length'), { code: 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH' });
    return binding.equal(a, b);
  },
  webcrypto: { getRandomValues: randomFill, randomUUID, subtle }, subtle, constants: {},
};
for (const name of ['createCipheriv', 'createDecipheriv', 'createSign', 'createVerify', 'generateKeyPairSync', 'scryptSync', 'publicEncrypt', 'privateDecrypt']) module.exports[name] = absent(name);
