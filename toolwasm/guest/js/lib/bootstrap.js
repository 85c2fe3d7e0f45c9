// The functions that the engine calls, and the globals of a script.
const { inspect, headOf, stackOf } = require('inspect');
const { define } = require('polyfill');
require('intl');
const timers = require('timers');
const process = require('process');
const loader = require('loader');
const { explain } = require('messages');

// ---- globals

const globals = {
  global: globalThis, process, Buffer: undefined, console: require('console'),
  setTimeout: timers.setTimeout, clearTimeout: timers.clearTimeout, setInterval: timers.setInterval, clearInterval: timers.clearInterval,
  setImmediate: timers.setImmediate, clearImmediate: timers.clearImmediate,
  queueMicrotask: (f) => { Promise.resolve().then(f); },
  structuredClone: (v, o) => require('clone')(v, o),
};
for (const name of Object.keys(globals)) define(globalThis, name, globals[name]);

// What takes time to make is made when it is used.
function late(name, make) {
  Object.defineProperty(globalThis, name, {
    get() {
      const value = make();
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
      return value;
    },
    set(value) { Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true }); },
    configurable: true, enumerable: false,
  });
}
for (const [module, names] of Object.entries({
  buffer: ['Buffer', 'atob', 'btoa', 'Blob'], url: ['URL', 'URLSearchParams'], events: ['EventEmitter'], perf_hooks: ['performance'],
  encoding: ['TextEncoder', 'TextDecoder'], abort: ['AbortController', 'AbortSignal', 'Event', 'EventTarget'], crypto: ['crypto'],
  network: ['fetch', 'WebSocket', 'Headers', 'Request', 'Response', 'XMLHttpRequest'],
})) {
  for (const name of names) {
    if (name === 'EventEmitter' || name === 'XMLHttpRequest') continue;
    if (name === 'Buffer') delete globalThis.Buffer;
    late(name, () => (name === 'crypto' ? require('crypto').webcrypto : require(module)[name]));
  }
}

// Errors that a script sees say what node says.
const nativeCatch = Promise.prototype.catch;
Object.defineProperty(Promise.prototype, 'catch', { value: { catch(f) {
  return nativeCatch.call(this, typeof f === 'function' ? (err) => f(explain(err)) : f);
} }.catch, writable: true, configurable: true, enumerable: false });
define(globalThis, '$caught', explain);

// ---- errors

const classes = { Error, TypeError, RangeError, SyntaxError, ReferenceError, URIError };

function makeError(name, code, message) {
  const err = new (classes[name] || Error)(message);
  if (code) err.code = code;
  return err;
}

function systemError(code, errno, message, syscall, path, dest) {
  const where = path ? ` '${path}'${dest ? ` -> '${dest}'` : ''}` : '';
  const err = new Error(`${code}: ${message}, ${syscall}${where}`);
  err.errno = errno;
  err.code = code;
  err.syscall = syscall;
  if (path) err.path = path;
  if (dest) err.dest = dest;
  return err;
}

// Where the mistakes in texts are, for reports of those that nobody catches.
const mistakes = new WeakMap();

function syntaxError(message, file, line, column) {
  const err = new SyntaxError(message);
  mistakes.set(err, { file, line, column });
  return err;
}

// describe is the report of an error that nobody caught.
function describe(err, rejected, where) {
  explain(err);
  const mistake = typeof err === 'object' && err !== null ? mistakes.get(err) : undefined;
  if (mistake) {
    return `${excerpt(loader.sourceOf(mistake.file), mistake.file, mistake.line, mistake.column)}\n${headOf(err)}`;
  }
  if (err instanceof Error) {
    const at = /\(?([^()\s]+):(\d+):(\d+)\)?$/m.exec(stackOf(err).split('\n').slice(1).join('\n'));
    const place = at ? `${excerpt(loader.sourceOf(at[1]), at[1], Number(at[2]), Number(at[3]))}\n` : '';
    return `${place}${inspect(err)}`;
  }
  if (rejected) {
    const shown = typeof err === 'object' && err !== null ? inspect(err) : String(err);
    return 'node:internal/process/promises\n\n[UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, ' +
      `or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "${shown}".] {\n  code: 'ERR_UNHANDLED_REJECTION'\n}`;
  }
  const at = /^(.*):(\d+):(\d+)$/.exec(where);
  const place = at ? `${excerpt(loader.sourceOf(at[1]), at[1], Number(at[2]), Number(at[3]))}\n` : '';
  return `${place}Uncaught:\n${inspect(err)}`;
}

function excerpt(source, file, line, column) {
  const text = source === undefined ? undefined : source.split('\n')[line - 1];
  if (text === undefined) return `${file}:${line}`;
  return `${file}:${line}\n${text}\n${text.slice(0, Math.max(column - 1, 0)).replace(/[^\t]/g, ' ')}^\n`;
}

// ---- turns

function start(options) {
  process.start(options);
  for (const name of options.require) loader.preload(String(name));
  loader.main(options);
}

function uncaught(err) {
  explain(err);
  return process.emit('uncaughtException', err, 'uncaughtException');
}

function unhandled(reason, promise) {
  explain(reason);
  if (process.emit('unhandledRejection', reason, promise)) return true;
  return process.emit('uncaughtException', reason, 'unhandledRejection');
}

// turn makes a function that runs what was put on the queue of ticks before the promises have theirs.
const turn = (f) => (...args) => {
  f(...args);
  process.runTicks();
};

module.exports = {
  makeError, systemError, syntaxError, describe, uncaught, unhandled,
  runTicks: () => process.runTicks(),
  start: turn(start),
  fireTimer: turn(timers.fireTimer),
  fireImmediate: turn(timers.fireImmediate),
  firePending: turn(timers.firePending),
  input: turn((data) => require('stdin').input(data)),
  beforeExit: turn(() => { process.emit('beforeExit', process.exitCode ?? 0); }),
  exit: (failed) => process.end(failed),
};
