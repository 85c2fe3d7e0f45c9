// What the language has and the engine does not.
const { asyncGeneratorMark } = require('inspect');

function define(object, name, value) {
  if (!(name in object)) Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
}

for (const name of ['asyncIterator', 'dispose', 'asyncDispose']) {
  if (!Symbol[name]) Object.defineProperty(Symbol, name, { value: Symbol(`Symbol.${name}`) });
}

// ---- what rewritten texts use; see lower.go

class Awaited {
  constructor(value) { this.value = value; }
}
define(globalThis, '$await', (v) => new Awaited(v));
define(globalThis, '$delegate', function* (iterable) {
  const it = asyncIterator(iterable);
  for (;;) {
    const r = yield new Awaited(it.next());
    if (r.done) return r.value;
    yield r.value;
  }
});

function asyncIterator(iterable) {
  if (iterable === null || iterable === undefined) throw new TypeError(`${iterable} is not async iterable`);
  const make = iterable[Symbol.asyncIterator];
  if (make !== undefined && make !== null) return make.call(iterable);
  if (typeof iterable[Symbol.iterator] !== 'function') throw new TypeError(`${typeof iterable === 'object' ? 'object' : String(iterable)} is not async iterable`);
  const it = iterable[Symbol.iterator]();
  return {
    next: async (v) => { const r = it.next(v); return { value: await r.value, done: r.done }; },
    return: async (v) => { if (it.return) it.return(v); return { value: v, done: true }; },
  };
}

// now is the method by which an iterator of the library gives what it has at once: waiting for a promise takes as long as a
// hundred simple statements.
const now = Symbol('now');

// Each runs a `for await` loop: step waits for a value, and the inner loop binds it.
class Each {
  constructor(iterable) { this.it = asyncIterator(iterable); this.left = false; }
  now() {
    if (this.left || this.it[now] === undefined) return false;
    this.value = this.it[now]();
    return this.value !== undefined;
  }
  async step() {
    if (this.left) {
      if (this.it.return) await this.it.return();
      return false;
    }
    const r = await this.it.next();
    if (r === null || typeof r !== 'object') throw new TypeError(`Iterator result ${String(r)} is not an object`);
    this.value = r.value;
    return !r.done;
  }
  [Symbol.iterator]() {
    const each = this;
    let given = false;
    return {
      next: () => (given ? { value: undefined, done: true } : (given = true, { value: each.value, done: false })),
      return: (v) => { each.left = true; return { value: v, done: true }; },
    };
  }
}
define(globalThis, '$each', (iterable) => new Each(iterable));

const asyncGeneratorPrototype = {
  next(v) { return this.enqueue('next', v); },
  throw(v) { return this.enqueue('throw', v); },
  return(v) { return this.enqueue('return', v); },
  [Symbol.asyncIterator]() { return this; },
};
Object.defineProperty(asyncGeneratorPrototype, Symbol.toStringTag, { value: 'AsyncGenerator', configurable: true });
define(globalThis, '$asyncGenerator', (gen) => {
  const o = Object.create(asyncGeneratorPrototype);
  let last = Promise.resolve();
  Object.defineProperty(o, 'enqueue', {
    value(method, v) {
      const p = last.then(() => advance(gen, method, v));
      last = p.then(() => {}, () => {});
      return p;
    },
  });
  return o;
});

async function advance(gen, method, v) {
  let r = gen[method](v);
  while (!r.done && r.value instanceof Awaited) {
    let settled, failed = false;
    try {
      settled = await r.value.value;
    } catch (err) {
      settled = err;
      failed = true;
    }
    r = failed ? gen.throw(settled) : gen.next(settled);
  }
  return { value: await r.value, done: r.done };
}

// ---- the standard library

define(Object, 'groupBy', (items, f) => {
  const groups = Object.create(null);
  let i = 0;
  for (const v of items) {
    const k = f(v, i++);
    (groups[k] ??= []).push(v);
  }
  return groups;
});
define(Map, 'groupBy', (items, f) => {
  const groups = new Map();
  let i = 0;
  for (const v of items) {
    const k = f(v, i++);
    if (groups.has(k)) groups.get(k).push(v);
    else groups.set(k, [v]);
  }
  return groups;
});
define(Promise, 'withResolvers', function () {
  let resolve, reject;
  const promise = new this((a, b) => { resolve = a; reject = b; });
  return { promise, resolve, reject };
});
define(Array, 'fromAsync', async (items, f) => {
  const out = [];
  if (items[Symbol.asyncIterator] || items[Symbol.iterator]) {
    const it = asyncIterator(items);
    for (let r = await it.next(); !r.done; r = await it.next()) out.push(f ? await f(r.value, out.length) : r.value);
    return out;
  }
  for (let i = 0; i < items.length; i++) out.push(f ? await f(await items[i], i) : await items[i]);
  return out;
});
define(String.prototype, 'isWellFormed', function () { return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(String(this)); });
define(String.prototype, 'toWellFormed', function () { return String(this).replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd'); });

// A weak reference may keep its target for as long as the script runs.
define(globalThis, 'WeakRef', class WeakRef {
  #target;
  constructor(target) {
    if ((typeof target !== 'object' && typeof target !== 'function') || target === null) throw new TypeError('WeakRef: target must be an object');
    this.#target = target;
  }
  deref() { return this.#target; }
});
define(globalThis, 'FinalizationRegistry', class FinalizationRegistry {
  register() {}
  unregister() { return false; }
});

// Iterators get their helpers.
const iteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
function* mapped(it, f) { let i = 0; for (const v of it) yield f(v, i++); }
function* filtered(it, f) { let i = 0; for (const v of it) if (f(v, i++)) yield v; }
function* taken(it, n) { if (n > 0) for (const v of it) { yield v; if (--n <= 0) return; } }
function* dropped(it, n) { for (const v of it) if (n-- <= 0) yield v; }
function* flattened(it, f) { let i = 0; for (const v of it) yield* f(v, i++); }
define(iteratorPrototype, 'map', function (f) { return mapped(this, f); });
define(iteratorPrototype, 'filter', function (f) { return filtered(this, f); });
define(iteratorPrototype, 'take', function (n) { return taken(this, n); });
define(iteratorPrototype, 'drop', function (n) { return dropped(this, n); });
define(iteratorPrototype, 'flatMap', function (f) { return flattened(this, f); });
define(iteratorPrototype, 'toArray', function () { return [...this]; });
define(iteratorPrototype, 'forEach', function (f) { let i = 0; for (const v of this) f(v, i++); });
define(iteratorPrototype, 'reduce', function (f, ...init) { return [...this].reduce(f, ...init); });
define(iteratorPrototype, 'some', function (f) { let i = 0; for (const v of this) if (f(v, i++)) return true; return false; });
define(iteratorPrototype, 'every', function (f) { let i = 0; for (const v of this) if (!f(v, i++)) return false; return true; });
define(iteratorPrototype, 'find', function (f) { let i = 0; for (const v of this) if (f(v, i++)) return v; return undefined; });

Object.defineProperty(Error, 'captureStackTrace', { value: (o) => {
  const stack = new Error().stack;
  Object.defineProperty(o, 'stack', { value: String(o) + stack.slice(stack.indexOf('\n')), writable: true, configurable: true, enumerable: false });
}, writable: true, configurable: true });
Error.stackTraceLimit = 10;

const parse = JSON.parse;
Object.defineProperty(JSON, 'parse', { value: { parse(text, reviver) {
  const s = String(text);
  try {
    return parse(s, reviver);
  } catch (err) {
    if (!(err instanceof SyntaxError)) throw err;
    if (text === undefined || (typeof text === 'object' && text !== null)) throw new SyntaxError(`"${s}" is not valid JSON`);
    throw new SyntaxError(binding.jsonMistake(s));
  }
} }.parse, writable: true, configurable: true, enumerable: false });

const stringify = JSON.stringify;
Object.defineProperty(JSON, 'stringify', { value: { stringify(value, replacer, space) {
  const gap = typeof space === 'number' || space instanceof Number ? ' '.repeat(Math.min(Math.max(Math.trunc(space), 0), 10)) : typeof space === 'string' || space instanceof String ? String(space).slice(0, 10) : '';
  const text = stringify(value, replacer);
  return gap === '' || text === undefined ? text : binding.indentJSON(text, gap);
} }.stringify, writable: true, configurable: true, enumerable: false });

module.exports = { define, asyncIterator, now, asyncGeneratorMark };
