// Module events.
const kCapture = Symbol('kCapture');


// EventEmitter can also be called as a function, as older scripts do.
function EventEmitter() {
  init(this);
}

function init(emitter) {
  if (emitter._events === undefined || emitter._events === Object.getPrototypeOf(emitter)._events) {
    emitter._events = Object.create(null);
    emitter._eventsCount = 0;
  }
  emitter._maxListeners = emitter._maxListeners || undefined;
  emitter[kCapture] = false;
}

function checkListener(f) {
  if (typeof f !== 'function') {
    const err = new TypeError(`The "listener" argument must be of type function. Received ${f === null ? 'null' : typeof f === 'undefined' ? 'undefined' : `type ${typeof f} (${require('inspect').inspect(f)})`}`);
    err.code = 'ERR_INVALID_ARG_TYPE';
    throw err;
  }
}

function add(emitter, name, f, first) {
  checkListener(f);
  if (emitter._events === undefined) init(emitter);
  if (emitter._events.newListener !== undefined) emitter.emit('newListener', name, f.listener ?? f);
  const list = (emitter._events[name] ??= []);
  if (list.length === 0) emitter._eventsCount++;
  if (first) list.unshift(f);
  else list.push(f);
  const most = emitter.getMaxListeners();
  if (most > 0 && list.length > most && !list.warned) {
    list.warned = true;
    process.emitWarning(`Possible EventEmitter memory leak detected. ${list.length} ${String(name)} listeners added to ${emitter.constructor.name}. MaxListeners is ${most}. Use emitter.setMaxListeners() to increase limit`, 'MaxListenersExceededWarning');
  }
  return emitter;
}

function onceWrapper(emitter, name, f) {
  checkListener(f);
  const wrapped = function (...args) {
    emitter.removeListener(name, wrapped);
    return f.apply(emitter, args);
  };
  wrapped.listener = f;
  return wrapped;
}

Object.assign(EventEmitter.prototype, {
  _events: undefined, _eventsCount: 0, _maxListeners: undefined,
  setMaxListeners(n) { this._maxListeners = n; return this; },
  getMaxListeners() { return this._maxListeners ?? EventEmitter.defaultMaxListeners; },
  emit(name, ...args) {
    const list = this._events === undefined ? undefined : this._events[name];
    if (list === undefined || list.length === 0) {
      if (name === 'error') throw unhandledError(args[0]);
      return false;
    }
    if (list.length === 1) {
      list[0].apply(this, args);
      return true;
    }
    for (const f of [...list]) f.apply(this, args);
    return true;
  },
  addListener(name, f) { return add(this, name, f, false); },
  on(name, f) { return add(this, name, f, false); },
  prependListener(name, f) { return add(this, name, f, true); },
  once(name, f) { return add(this, name, onceWrapper(this, name, f), false); },
  prependOnceListener(name, f) { return add(this, name, onceWrapper(this, name, f), true); },
  removeListener(name, f) {
    checkListener(f);
    const list = this._events && this._events[name];
    if (!list) return this;
    for (let i = list.length - 1; i >= 0; i--) {
      if (list[i] !== f && list[i].listener !== f) continue;
      const rest = list.toSpliced ? list.toSpliced(i, 1) : [...list.slice(0, i), ...list.slice(i + 1)];
      if (rest.length > 0) this._events[name] = rest;
      else {
        delete this._events[name];
        this._eventsCount--;
      }
      if (this._events.removeListener) this.emit('removeListener', name, f);
      break;
    }
    return this;
  },
  off(name, f) { return this.removeListener(name, f); },
  removeAllListeners(name) {
    if (this._events === undefined) return this;
    if (name === undefined) {
      this._events = Object.create(null);
      this._eventsCount = 0;
    } else if (this._events[name]) {
      delete this._events[name];
      this._eventsCount--;
    }
    return this;
  },
  listeners(name) { return (this._events?.[name] ?? []).map((f) => f.listener ?? f); },
  rawListeners(name) { return [...(this._events?.[name] ?? [])]; },
  listenerCount(name, f) { const list = this.listeners(name); return f ? list.filter((l) => l === f).length : list.length; },
  eventNames() { return this._events === undefined ? [] : Reflect.ownKeys(this._events); },
});
for (const k of Object.keys(EventEmitter.prototype)) {
  const d = Object.getOwnPropertyDescriptor(EventEmitter.prototype, k);
  Object.defineProperty(EventEmitter.prototype, k, { ...d, enumerable: true });
}

function unhandledError(reason) {
  if (reason instanceof Error) return reason;
  const err = new Error(`Unhandled error. (${typeof reason === 'string' ? `'${reason}'` : require('inspect').inspect(reason)})`);
  err.code = 'ERR_UNHANDLED_ERROR';
  err.context = reason;
  return err;
}

EventEmitter.EventEmitter = EventEmitter;
EventEmitter.defaultMaxListeners = 10;
EventEmitter.errorMonitor = Symbol('events.errorMonitor');
EventEmitter.captureRejectionSymbol = Symbol.for('nodejs.rejection');
EventEmitter.listenerCount = (emitter, name) => emitter.listenerCount(name);
EventEmitter.getEventListeners = (emitter, name) => emitter.listeners(name);
EventEmitter.setMaxListeners = (n, ...emitters) => { for (const e of emitters) e.setMaxListeners(n); };
EventEmitter.once = (emitter, name, options) => new Promise((resolve, reject) => {
  if (emitter.addEventListener && !emitter.on) {
    emitter.addEventListener(name, (e) => resolve([e]), { once: true });
    return;
  }
  const failed = (err) => { emitter.removeListener(name, done); reject(err); };
  const done = (...args) => { emitter.removeListener('error', failed); resolve(args); };
  emitter.once(name, done);
  if (name !== 'error') emitter.once('error', failed);
  options?.signal?.addEventListener('abort', () => { emitter.removeListener(name, done); reject(options.signal.reason); });
});
EventEmitter.on = (emitter, name) => {
  const ready = [], waiting = [];
  let failure, over = false;
  const push = (...args) => { if (waiting.length > 0) waiting.shift().resolve({ value: args, done: false }); else ready.push(args); };
  const fail = (err) => { if (waiting.length > 0) waiting.shift().reject(err); else failure = err; };
  emitter.on(name, push);
  if (name !== 'error') emitter.on('error', fail);
  return {
    next() {
      if (ready.length > 0) return Promise.resolve({ value: ready.shift(), done: false });
      if (failure !== undefined) return Promise.reject(failure);
      if (over) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    return() {
      over = true;
      emitter.removeListener(name, push);
      emitter.removeListener('error', fail);
      for (const w of waiting) w.resolve({ value: undefined, done: true });
      return Promise.resolve({ value: undefined, done: true });
    },
    [Symbol.asyncIterator]() { return this; },
  };
};

module.exports = EventEmitter;
