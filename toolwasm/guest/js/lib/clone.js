// structuredClone.
const { kindOf } = require('inspect');
const { domException } = require('abort');

function refuse(v) {
  const shown = typeof v === 'symbol' ? v.toString() : typeof v === 'function' ? String(v) : `#<${v.constructor?.name ?? 'Object'}>`;
  throw domException(`${shown} could not be cloned.`, 'DataCloneError');
}

function clone(v, seen = new Map()) {
  if (typeof v === 'function' || typeof v === 'symbol') refuse(v);
  if (typeof v !== 'object' || v === null) return v;
  if (seen.has(v)) return seen.get(v);
  const kind = kindOf(v);
  if (kind === 'Date') return remember(seen, v, new Date(v.getTime()));
  if (kind === 'RegExp') return remember(seen, v, new RegExp(v.source, v.flags));
  if (kind === 'Number' || kind === 'String' || kind === 'Boolean') return remember(seen, v, Object(v.valueOf()));
  if (v instanceof ArrayBuffer) return remember(seen, v, v.slice(0));
  if (ArrayBuffer.isView(v)) {
    const C = Buffer.isBuffer(v) ? Uint8Array : v.constructor;
    return remember(seen, v, new C(clone(v.buffer, seen), v.byteOffset, v.length));
  }
  if (kind === 'Map') {
    const m = remember(seen, v, new Map());
    for (const [k, e] of v) m.set(clone(k, seen), clone(e, seen));
    return m;
  }
  if (kind === 'Set') {
    const s = remember(seen, v, new Set());
    for (const e of v) s.add(clone(e, seen));
    return s;
  }
  if (v instanceof Error) return cloneError(v, seen);
  if (kind === 'Promise' || kind.startsWith('Weak') || kind === 'Generator') refuse(v);
  const out = remember(seen, v, Array.isArray(v) ? new Array(v.length) : {});
  for (const k of Object.keys(v)) out[k] = clone(v[k], seen);
  return out;
}

function cloneError(v, seen) {
  const C = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }[v.name] || Error;
  const e = remember(seen, v, new C(v.message));
  Object.defineProperty(e, 'stack', { value: v.stack, writable: true, configurable: true, enumerable: false });
  if ('cause' in v) Object.defineProperty(e, 'cause', { value: clone(v.cause, seen), writable: true, configurable: true, enumerable: false });
  return e;
}

function remember(seen, v, copy) {
  seen.set(v, copy);
  return copy;
}

module.exports = (v) => clone(v);
