// Deep equality as assert and util have it.
const { kindOf } = require('inspect');

const has = (o, k) => Object.prototype.propertyIsEnumerable.call(o, k);

function deepEqual(a, b, strict, seen = []) {
  if (strict ? Object.is(a, b) : a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    if (strict) return false;
    if (typeof a === 'object' || typeof b === 'object') return (a === null || b === null) && a == b; // eslint-disable-line eqeqeq
    return a == b || (a !== a && b !== b); // eslint-disable-line eqeqeq
  }
  if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const kind = kindOf(a);
  if (kind !== kindOf(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  for (const [x, y] of seen) if (x === a && y === b) return true;
  seen.push([a, b]);
  try {
    return sameContent(a, b, kind, strict, seen);
  } finally {
    seen.pop();
  }
}

function sameContent(a, b, kind, strict, seen) {
  switch (kind) {
    case 'Date':
      if (a.getTime() !== b.getTime() && !(Number.isNaN(a.getTime()) && Number.isNaN(b.getTime()))) return false;
      break;
    case 'RegExp':
      if (a.source !== b.source || a.flags !== b.flags || a.lastIndex !== b.lastIndex) return false;
      break;
    case 'Number': case 'String': case 'Boolean':
      if (!Object.is(a.valueOf(), b.valueOf())) return false;
      break;
    case 'Map': if (!sameMap(a, b, strict, seen)) return false; break;
    case 'Set': if (!sameSet(a, b, strict, seen)) return false; break;
    case 'Function': case 'Promise': case 'WeakMap': case 'WeakSet': return false;
  }
  if (a instanceof Error && (a.message !== b.message || a.name !== b.name)) return false;
  if (ArrayBuffer.isView(a)) {
    if (a.byteLength !== b.byteLength) return false;
    if (!strict || !/^Float/.test(a.constructor.name)) return a.length === b.length && Array.prototype.every.call(a, (v, i) => v === b[i] || (v !== v && b[i] !== b[i]));
    return Array.prototype.every.call(a, (v, i) => Object.is(v, b[i]));
  }
  if (a instanceof ArrayBuffer) return deepEqual(new Uint8Array(a), new Uint8Array(b), strict, seen);
  if (Array.isArray(a) && a.length !== b.length) return false;
  return sameKeys(a, b, strict, seen);
}

function sameKeys(a, b, strict, seen) {
  const ka = Object.keys(a), kb = Object.keys(b);
  if (ka.length !== kb.length) return false;
  for (const k of ka) if (!has(b, k) || !deepEqual(a[k], b[k], strict, seen)) return false;
  if (!strict) return true;
  const sa = Object.getOwnPropertySymbols(a).filter((s) => has(a, s)), sb = Object.getOwnPropertySymbols(b).filter((s) => has(b, s));
  return sa.length === sb.length && sa.every((s) => has(b, s) && deepEqual(a[s], b[s], strict, seen));
}

function sameMap(a, b, strict, seen) {
  if (a.size !== b.size) return false;
  const left = [];
  for (const [k, v] of a) {
    if (b.has(k)) {
      if (!deepEqual(v, b.get(k), strict, seen)) return false;
    } else left.push([k, v]);
  }
  const rest = [...b].filter(([k]) => !a.has(k));
  return left.every(([k, v]) => take(rest, ([k2, v2]) => deepEqual(k, k2, strict, seen) && deepEqual(v, v2, strict, seen)));
}

function sameSet(a, b, strict, seen) {
  if (a.size !== b.size) return false;
  const rest = [...b].filter((v) => !a.has(v));
  return [...a].filter((v) => !b.has(v)).every((v) => take(rest, (w) => deepEqual(v, w, strict, seen)));
}

function take(list, matches) {
  const i = list.findIndex(matches);
  if (i >= 0) list.splice(i, 1);
  return i >= 0;
}

module.exports = { deepEqual };
