// Module readline: lines of a stream.
const EventEmitter = require('events');
const { StringDecoder } = require('string_decoder');
const { now } = require('polyfill');

class Interface extends EventEmitter {
  constructor(input, output) {
    super();
    const o = input && (input.input || input.on === undefined) ? input : { input, output };
    this.input = o.input;
    this.output = o.output;
    this.terminal = false;
    this.line = '';
    this.closed = false;
    this.prompted = o.prompt ?? '> ';
    for (const [k, v] of Object.entries({ rest: '', questions: [], ready: [], next: 0, decoder: new StringDecoder('utf8'), paused: false, ended: false })) Object.defineProperty(this, `_${k}`, { value: v, writable: true, enumerable: false });
    if (!this.input) return;
    this._onData = (chunk) => this.#take(typeof chunk === 'string' ? chunk : this._decoder.write(chunk));
    this._onEnd = () => {
      this.#take(this._decoder.end());
      if (this._rest !== '') this._ready.push(this._rest.replace(/\r$/, ''));
      this._rest = '';
      this._ended = true;
      this.#give();
    };
    this.input.on('error', (err) => this.emit('error', err));
    this.input.on('end', this._onEnd);
    this.input.on('data', this._onData);
    o.signal?.addEventListener('abort', () => this.close());
  }
  #take(text) {
    const all = this._rest + text;
    const lines = all.includes('\r') ? all.split(/\r\n|\n|\r(?=.)/s) : all.split('\n');
    this._rest = lines.pop();
    this._ready = this._next < this._ready.length ? this._ready.slice(this._next).concat(lines) : lines;
    this._next = 0;
    this.#give();
  }
  #give() {
    while (this._next < this._ready.length && !this._paused && !this.closed) {
      const line = this._ready[this._next++];
      if (this._questions.length > 0) this._questions.shift()(line);
      else this.emit('line', line);
    }
    if (this._ended && this._next >= this._ready.length && !this.closed) this.close();
  }
  setPrompt(p) { this.prompted = p; }
  getPrompt() { return this.prompted; }
  prompt() { this.resume(); this.output?.write(this.prompted); }
  question(query, options, done) {
    if (typeof options === 'function') done = options;
    if (this.closed) throw Object.assign(new Error('readline was closed'), { code: 'ERR_USE_AFTER_CLOSE' });
    this.output?.write(query);
    this._questions.push(done);
    this.resume();
  }
  write(text) { if (typeof text === 'string') this.#take(text); }
  pause() {
    this._paused = true;
    this.input?.pause?.();
    this.emit('pause');
    return this;
  }
  resume() {
    this._paused = false;
    this.#give();
    if (!this._ended) this.input?.resume?.();
    return this;
  }
  close() {
    if (this.closed) return;
    this.closed = true;
    this.input?.removeListener('data', this._onData);
    this.input?.removeListener('end', this._onEnd);
    if (!this._ended) this.input?.pause?.();
    this.emit('close');
  }
  [Symbol.dispose]() { this.close(); }
  [Symbol.asyncIterator]() {
    let ready = [], next = 0;
    const waiting = [];
    let over = this.closed;
    this.on('line', (line) => { if (waiting.length > 0) waiting.shift()({ value: line, done: false }); else ready.push(line); });
    this.on('close', () => {
      over = true;
      for (const w of waiting.splice(0)) w({ value: undefined, done: true });
    });
    const self = this;
    return {
      [now]: () => (next < ready.length ? ready[next++] : undefined),
      next() {
        if (next < ready.length) return Promise.resolve({ value: ready[next++], done: false });
        if (next > 0) {
          ready = [];
          next = 0;
        }
        if (over) return Promise.resolve({ value: undefined, done: true });
        return new Promise((resolve) => waiting.push(resolve));
      },
      return() {
        self.close();
        return Promise.resolve({ value: undefined, done: true });
      },
      [Symbol.asyncIterator]() { return this; },
    };
  }
}

Object.defineProperty(Interface.prototype.question, Symbol.for('nodejs.util.promisify.custom'), { value(query) { return new Promise((resolve) => this.question(query, resolve)); } });

class PromiseInterface extends Interface {
  question(query) { return new Promise((resolve) => super.question(query, resolve)); }
}
Object.defineProperty(PromiseInterface, 'name', { value: 'Interface' });

const screen = { clearLine: () => true, cursorTo: () => true, moveCursor: () => true, clearScreenDown: () => true, emitKeypressEvents: () => {} };

module.exports = {
  Interface, createInterface: (input, output) => new Interface(input, output), ...screen,
  promises: { Interface: PromiseInterface, createInterface: (input, output) => new PromiseInterface(input, output) },
};
