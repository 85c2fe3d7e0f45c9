// Timers, immediates and calls that are carried out later.
const { inspect } = require('inspect');

let lastId = 0;
const timers = new Map(), immediates = new Map(), pending = new Map();

function checkFunction(f) {
  if (typeof f !== 'function') {
    const err = new TypeError(`The "callback" argument must be of type function. Received ${typeof f === 'object' || f === undefined ? inspect(f) : `type ${typeof f} (${inspect(f)})`}`);
    err.code = 'ERR_INVALID_ARG_TYPE';
    throw err;
  }
}

class Timeout {
  #id;
  #refed = true;
  constructor(f, delay, repeat, args) {
    this.#id = ++lastId;
    this._idleTimeout = Number(delay) >= 1 ? Number(delay) : 1;
    this._onTimeout = f;
    this._repeat = repeat ? this._idleTimeout : null;
    Object.defineProperty(this, 'args', { value: args, enumerable: false });
    timers.set(this.#id, this);
    binding.startTimer(this.#id, this._idleTimeout, repeat, true);
  }
  ref() { this.#refed = true; binding.refTimer(this.#id, true); return this; }
  unref() { this.#refed = false; binding.refTimer(this.#id, false); return this; }
  hasRef() { return this.#refed; }
  refresh() { timers.set(this.#id, this); binding.startTimer(this.#id, this._idleTimeout, this._repeat !== null, this.#refed); return this; }
  close() { clearTimeout(this); return this; }
  [Symbol.toPrimitive]() { return this.#id; }
  [Symbol.dispose]() { clearTimeout(this); }
  static idOf(t) { return t.#id; }
}

class Immediate {
  constructor(f, args) {
    this._onImmediate = f;
    Object.defineProperty(this, 'args', { value: args, enumerable: false });
    Object.defineProperty(this, 'id', { value: ++lastId, enumerable: false });
    immediates.set(this.id, this);
    binding.addImmediate(this.id);
  }
  ref() { return this; }
  unref() { return this; }
  hasRef() { return true; }
}

function setTimeout(f, delay, ...args) { checkFunction(f); return new Timeout(f, delay, false, args); }
function setInterval(f, delay, ...args) { checkFunction(f); return new Timeout(f, delay, true, args); }
function setImmediate(f, ...args) { checkFunction(f); return new Immediate(f, args); }

function clearTimeout(t) {
  if (t === undefined || t === null) return;
  const id = t instanceof Timeout ? Timeout.idOf(t) : Number(t);
  if (timers.delete(id)) binding.stopTimer(id);
}

function clearImmediate(i) {
  if (i instanceof Immediate && immediates.delete(i.id)) binding.clearImmediate(i.id);
}

function fireTimer(id) {
  const t = timers.get(id);
  if (t === undefined) return;
  if (t._repeat === null) timers.delete(id);
  t._onTimeout(...t.args);
}

function fireImmediate(id) {
  const i = immediates.get(id);
  immediates.delete(id);
  if (i !== undefined) i._onImmediate(...i.args);
}

// later calls f in a later turn, as what the system has finished is.
function later(f) {
  pending.set(++lastId, f);
  binding.addPending(lastId);
}

function firePending(id) {
  const f = pending.get(id);
  pending.delete(id);
  f();
}

const promises = {
  setTimeout: (delay, value, options) => waiting(options, (done) => { const t = setTimeout(done, delay, value); return () => clearTimeout(t); }),
  setImmediate: (value, options) => waiting(options, (done) => { const i = setImmediate(done, value); return () => clearImmediate(i); }),
  setInterval(delay, value) {
    return {
      async next() { await promises.setTimeout(delay); return { value, done: false }; },
      async return() { return { value: undefined, done: true }; },
      [Symbol.asyncIterator]() { return this; },
    };
  },
  scheduler: { wait: (delay) => promises.setTimeout(delay), yield: () => promises.setImmediate() },
};

function waiting(options, begin) {
  return new Promise((resolve, reject) => {
    const signal = options && options.signal;
    if (signal && signal.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = begin(resolve);
    if (signal) signal.addEventListener('abort', () => { stop(); reject(signal.reason); }, { once: true });
  });
}

const custom = Symbol.for('nodejs.util.promisify.custom');
Object.defineProperty(setTimeout, custom, { value: promises.setTimeout });
Object.defineProperty(setImmediate, custom, { value: promises.setImmediate });

module.exports = {
  setTimeout, setInterval, setImmediate, clearTimeout, clearInterval: clearTimeout, clearImmediate, promises,
};
Object.defineProperties(module.exports, {
  fireTimer: { value: fireTimer }, fireImmediate: { value: fireImmediate }, firePending: { value: firePending }, later: { value: later },
});
