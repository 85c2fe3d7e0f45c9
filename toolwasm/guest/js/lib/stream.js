// Module stream: as much of it as scripts use that read, transform and write.
const EventEmitter = require('events');
const { now } = require('polyfill');

function toBuffer(chunk, encoding) {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
}

class Stream extends EventEmitter {
  pipe(destination, options) {
    this.on('data', (chunk) => {
      if (destination.write(chunk) === false && this.pause) {
        this.pause();
        destination.once('drain', () => this.resume());
      }
    });
    if (!options || options.end !== false) this.once('end', () => { if (destination !== process.stdout && destination !== process.stderr) destination.end(); });
    destination.emit('pipe', this);
    return destination;
  }
  destroy(err) {
    if (this.destroyed) return this;
    this.destroyed = true;
    const done = (e) => process.nextTick(() => {
      if (e) this.emit('error', e);
      this.emit('close');
    });
    if (this._destroy) this._destroy(err || null, (e) => done(e || err));
    else done(err);
    return this;
  }
}
Stream.prototype.destroyed = false;

class Readable extends Stream {
  constructor(options = {}) {
    super();
    setUpReadable(this, options);
  }
  static from(iterable, options) {
    const r = new Readable({ objectMode: true, ...options });
    if (typeof iterable === 'string' || ArrayBuffer.isView(iterable)) {
      r.push(iterable);
      r.push(null);
      return r;
    }
    const it = require('polyfill').asyncIterator(iterable);
    let busy = false;
    r._read = () => {
      if (busy) return;
      busy = true;
      it.next().then(({ value, done }) => {
        busy = false;
        r.push(done ? null : value);
      }, (err) => r.destroy(err));
    };
    return r;
  }
}

function setUpReadable(r, options) {
  r.readable = true;
  r.readableEnded = false;
  r.readableFlowing = null;
  r.readableObjectMode = Boolean(options.objectMode || options.readableObjectMode);
  r.readableHighWaterMark = options.highWaterMark ?? (r.readableObjectMode ? 16 : 65536);
  for (const [k, v] of Object.entries({ queue: [], ended: false, reading: false, decoder: null, scheduled: false, encoding: options.encoding || null })) {
    Object.defineProperty(r, `_r_${k}`, { value: v, writable: true, enumerable: false });
  }
  if (options.encoding) r.setEncoding(options.encoding);
  if (typeof options.read === 'function') r._read = options.read;
  if (typeof options.destroy === 'function') r._destroy = options.destroy;
}

const readableMethods = {
  _read() {},
  setEncoding(encoding) {
    const { StringDecoder } = require('string_decoder');
    this._r_decoder = new StringDecoder(encoding);
    this._r_encoding = encoding;
    this._r_queue = this._r_queue.map((c) => (typeof c === 'string' ? c : this._r_decoder.write(c)));
    return this;
  },
  push(chunk, encoding) {
    this._r_reading = false;
    if (chunk === null) {
      if (this._r_decoder) {
        const rest = this._r_decoder.end();
        if (rest) this._r_queue.push(rest);
      }
      this._r_ended = true;
    } else if (this.readableObjectMode) this._r_queue.push(chunk);
    else {
      const b = toBuffer(chunk, encoding);
      const c = this._r_decoder ? this._r_decoder.write(b) : b;
      if (c.length > 0) this._r_queue.push(c);
    }
    schedule(this);
    return this._r_queue.length < this.readableHighWaterMark;
  },
  unshift(chunk) { this._r_queue.unshift(chunk); },
  on(name, f) {
    EventEmitter.prototype.on.call(this, name, f);
    if (name === 'data' && this.readableFlowing !== false) this.resume();
    if (name === 'readable') {
      this.readableFlowing = false;
      schedule(this);
    }
    return this;
  },
  addListener(name, f) { return this.on(name, f); },
  resume() {
    this.readableFlowing = true;
    schedule(this);
    return this;
  },
  pause() { this.readableFlowing = false; return this; },
  isPaused() { return this.readableFlowing === false; },
  read(n) {
    if (this._r_queue.length === 0) {
      if (!this._r_ended) want(this);
      if (this._r_queue.length === 0) {
        if (this._r_ended) schedule(this);
        return null;
      }
    }
    if (this.readableObjectMode) return this._r_queue.shift();
    const all = this._r_queue.length === 1 ? this._r_queue[0] : typeof this._r_queue[0] === 'string' ? this._r_queue.join('') : Buffer.concat(this._r_queue);
    this._r_queue = [];
    if (n !== undefined && n < all.length) {
      this._r_queue.push(all.slice(n));
      return all.slice(0, n);
    }
    schedule(this);
    return all;
  },
  unpipe() { this.removeAllListeners('data'); return this; },
  [Symbol.asyncIterator]() { return iterate(this); },
  iterator() { return iterate(this); },
  async toArray() { const out = []; const it = iterate(this); for (let r = await it.next(); !r.done; r = await it.next()) out.push(r.value); return out; },
  map(f) { const self = this; return Readable.from(mapEach(self, async (v, push) => push(await f(v)))); },
  filter(f) { const self = this; return Readable.from(mapEach(self, async (v, push) => { if (await f(v)) push(v); })); },
  async forEach(f) { for (const v of await this.toArray()) await f(v); },
  async reduce(f, ...init) { return (await this.toArray()).reduce(f, ...init); },
};
Object.assign(Readable.prototype, readableMethods);
for (const k of Reflect.ownKeys(readableMethods)) Object.defineProperty(Readable.prototype, k, { enumerable: false });

function mapEach(stream, f) {
  const it = iterate(stream), ready = [];
  return {
    async next() {
      for (;;) {
        if (ready.length > 0) return { value: ready.shift(), done: false };
        const r = await it.next();
        if (r.done) return r;
        await f(r.value, (v) => ready.push(v));
      }
    },
    [Symbol.asyncIterator]() { return this; },
  };
}

function want(r) {
  if (r._r_reading || r._r_ended || r.destroyed) return;
  r._r_reading = true;
  r._read(r.readableHighWaterMark);
}

// schedule hands out what has been read in a later turn.
function schedule(r) {
  if (r._r_scheduled) return;
  r._r_scheduled = true;
  process.nextTick(() => {
    r._r_scheduled = false;
    flow(r);
  });
}

function flow(r) {
  if (r.destroyed && !r._r_ended) return;
  while (r.readableFlowing && r._r_queue.length > 0) r.emit('data', r._r_queue.shift());
  if (r.readableFlowing === false && r.listenerCount('readable') > 0 && (r._r_queue.length > 0 || (r._r_ended && !r.readableEnded))) r.emit('readable');
  if (r._r_ended && r._r_queue.length === 0) {
    if (r.readableEnded || (r.readableFlowing === null && r.listenerCount('end') === 0 && r.listenerCount('readable') === 0)) return;
    if (r.readableFlowing === false && r.listenerCount('readable') === 0) return;
    r.readableEnded = true;
    r.readable = false;
    r.emit('end');
    if (r.autoClose !== false && !(r.writable && !r.writableFinished)) process.nextTick(() => { if (!r.destroyed) { r.destroyed = true; r.emit('close'); } });
    return;
  }
  if (r.readableFlowing || r.listenerCount('readable') > 0) want(r);
}

function iterate(r) {
  let waiting;
  let failure, closed = false;
  const wake = () => { if (waiting) { const w = waiting; waiting = undefined; w(); } };
  r.on('readable', wake);
  r.on('end', () => { closed = true; wake(); });
  r.on('error', (err) => { failure = err; wake(); });
  r.on('close', () => { closed = true; wake(); });
  return {
    [now]: () => r.read() ?? undefined,
    async next() {
      for (;;) {
        const chunk = r.read();
        if (chunk !== null) return { value: chunk, done: false };
        if (failure !== undefined) throw failure;
        if (closed || r.readableEnded) return { value: undefined, done: true };
        await new Promise((resolve) => { waiting = resolve; });
      }
    },
    async return() {
      r.destroy();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() { return this; },
  };
}

class Writable extends Stream {
  constructor(options = {}) {
    super();
    setUpWritable(this, options);
  }
}

function setUpWritable(w, options) {
  w.writable = true;
  w.writableEnded = false;
  w.writableFinished = false;
  w.writableObjectMode = Boolean(options.objectMode || options.writableObjectMode);
  w.writableHighWaterMark = options.highWaterMark ?? (w.writableObjectMode ? 16 : 16384);
  for (const [k, v] of Object.entries({ queue: [], busy: false, drain: false, size: 0, decode: options.decodeStrings !== false, corked: 0 })) {
    Object.defineProperty(w, `_w_${k}`, { value: v, writable: true, enumerable: false });
  }
  for (const k of ['write', 'writev', 'final', 'destroy']) if (typeof options[k] === 'function') w[`_${k}`] = options[k];
}

const writableMethods = {
  _write(chunk, encoding, done) {
    if (this._writev) this._writev([{ chunk, encoding }], done);
    else done();
  },
  write(chunk, encoding, done) {
    if (typeof encoding === 'function') [encoding, done] = [undefined, encoding];
    if (this.writableEnded) {
      const err = Object.assign(new Error('write after end'), { code: 'ERR_STREAM_WRITE_AFTER_END' });
      process.nextTick(() => { if (done) done(err); this.emit('error', err); });
      return false;
    }
    if (!this.writableObjectMode) {
      if (typeof chunk !== 'string' && !ArrayBuffer.isView(chunk)) {
        const err = new TypeError(`The "chunk" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${require('inspect').inspect(chunk)}`);
        err.code = 'ERR_INVALID_ARG_TYPE';
        throw err;
      }
      if (this._w_decode) chunk = toBuffer(chunk, encoding);
    }
    const size = this.writableObjectMode ? 1 : chunk.length;
    this._w_size += size;
    this._w_queue.push({ chunk, encoding: typeof chunk === 'string' ? encoding || 'utf8' : 'buffer', done, size });
    const room = this._w_size < this.writableHighWaterMark;
    if (!room) this._w_drain = true;
    work(this);
    return room;
  },
  end(chunk, encoding, done) {
    if (typeof chunk === 'function') [chunk, done] = [undefined, chunk];
    if (typeof encoding === 'function') [encoding, done] = [undefined, encoding];
    if (chunk !== undefined && chunk !== null) this.write(chunk, encoding);
    if (done) this.once('finish', done);
    if (!this.writableEnded) {
      this.writableEnded = true;
      work(this);
    }
    return this;
  },
  cork() { this._w_corked++; },
  uncork() { if (this._w_corked > 0) this._w_corked--; work(this); },
  setDefaultEncoding() { return this; },
};
Object.assign(Writable.prototype, writableMethods);
for (const k of Object.keys(writableMethods)) Object.defineProperty(Writable.prototype, k, { enumerable: false });

function work(w) {
  if (w._w_busy || w.destroyed) return;
  const item = w._w_queue.shift();
  if (item === undefined) {
    if (w.writableEnded && !w.writableFinished) finish(w);
    return;
  }
  w._w_busy = true;
  let sync = true;
  const done = (err) => {
    w._w_busy = false;
    w._w_size -= item.size;
    if (err) {
      if (item.done) item.done(err);
      w.destroy(err);
      return;
    }
    const next = () => {
      if (item.done) item.done(null);
      if (w._w_drain && w._w_queue.length === 0) {
        w._w_drain = false;
        if (!w.writableEnded) w.emit('drain');
      }
      work(w);
    };
    if (sync) process.nextTick(next);
    else next();
  };
  w._write(item.chunk, item.encoding, done);
  sync = false;
}

function finish(w) {
  w.writableFinished = true;
  const done = (err) => {
    if (err) {
      w.destroy(err);
      return;
    }
    process.nextTick(() => {
      w.emit('finish');
      if (!(w.readable && !w.readableEnded)) process.nextTick(() => { if (!w.destroyed) { w.destroyed = true; w.emit('close'); } });
    });
  };
  if (w._final) w._final(done);
  else done();
}

class Duplex extends Readable {
  constructor(options = {}) {
    super(options);
    setUpWritable(this, options);
  }
}
for (const k of Reflect.ownKeys(Writable.prototype)) {
  if (k !== 'constructor') Object.defineProperty(Duplex.prototype, k, Object.getOwnPropertyDescriptor(Writable.prototype, k));
}

class Transform extends Duplex {
  constructor(options = {}) {
    super(options);
    if (typeof options.transform === 'function') this._transform = options.transform;
    if (typeof options.flush === 'function') this._flush = options.flush;
  }
  _transform(chunk, encoding, done) { done(null, chunk); }
  _write(chunk, encoding, done) {
    this._transform(chunk, encoding, (err, out) => {
      if (!err && out !== undefined && out !== null) this.push(out);
      done(err);
    });
  }
  _final(done) {
    const end = (err, out) => {
      if (out !== undefined && out !== null) this.push(out);
      if (!err) this.push(null);
      done(err);
    };
    if (this._flush) this._flush(end);
    else end();
  }
}

class PassThrough extends Transform {}

function finished(stream, options, done) {
  if (typeof options === 'function') done = options;
  let called = false;
  const once = (err) => { if (!called) { called = true; done(err); } };
  stream.on('error', once);
  stream.on('end', () => { if (!stream.writable || stream.writableFinished) once(); });
  stream.on('finish', () => { if (stream.readableEnded !== false || !(stream instanceof Readable)) once(); });
  stream.on('close', () => once());
  return () => {};
}

function pipeline(...streams) {
  const done = typeof streams[streams.length - 1] === 'function' && !(streams[streams.length - 1].prototype instanceof Stream) ? streams.pop() : () => {};
  if (Array.isArray(streams[0])) streams = streams[0];
  let over = false;
  const end = (err) => {
    if (over) return;
    over = true;
    if (err) for (const s of streams) if (s.destroy) s.destroy();
    done(err || undefined);
  };
  streams = streams.map((s, i) => {
    if (typeof s !== 'function') return i === 0 && !(s instanceof Stream) && (s[Symbol.asyncIterator] || s[Symbol.iterator]) ? Readable.from(s) : s;
    return s;
  });
  let current = streams[0];
  if (typeof current === 'function') current = Readable.from(current());
  current.on('error', end);
  for (const s of streams.slice(1)) {
    if (typeof s === 'function') {
      const made = s(current);
      if (made && typeof made.then === 'function') {
        made.then((v) => end(undefined, v), end);
        return current;
      }
      current = Readable.from(made);
    } else {
      current.pipe(s);
      current = s;
    }
    current.on('error', end);
  }
  if (current === process.stdout || current === process.stderr) streams[streams.length - 2].on('end', () => end());
  current.on('finish', () => end());
  return current;
}

const promises = {
  pipeline: (...streams) => new Promise((resolve, reject) => pipeline(...streams.filter((s) => !isOptions(s)), (err) => (err ? reject(err) : resolve()))),
  finished: (stream) => new Promise((resolve, reject) => finished(stream, (err) => (err ? reject(err) : resolve()))),
};
const isOptions = (s) => typeof s === 'object' && s !== null && !(s instanceof Stream) && !s[Symbol.asyncIterator] && !s[Symbol.iterator];

async function collect(stream) {
  const chunks = [];
  const it = require('polyfill').asyncIterator(stream);
  for (let r = await it.next(); !r.done; r = await it.next()) chunks.push(typeof r.value === 'string' ? Buffer.from(r.value) : r.value);
  return Buffer.concat(chunks);
}
const consumers = {
  buffer: collect, text: async (s) => (await collect(s)).toString('utf8'), json: async (s) => JSON.parse((await collect(s)).toString('utf8')),
  arrayBuffer: async (s) => { const b = await collect(s); return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength); },
};

Stream.Stream = Stream;
Object.assign(Stream, { Readable, Writable, Duplex, Transform, PassThrough, pipeline, finished, promises, consumers });
module.exports = Stream;
