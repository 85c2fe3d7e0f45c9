// Errors of the engine in the words of node.
const rules = [
  [/^Cannot read property '(.*)' of (undefined|null|undefined or null)$/s, (m) => `Cannot read properties of ${m[2] === 'null' ? 'null' : 'undefined'} (reading '${m[1]}')`],
  [/^Cannot convert undefined or null to object$/, (m, at) => (at && at.kind === 'name' ? `Cannot set properties of undefined (setting '${at.text}')` : undefined)],
  [/^Object has no member '(.*)'$/s, (m, at) => `${at && at.kind === 'call' ? at.text : `(intermediate value).${m[1]}`} is not a function`],
  [/^Value is not an object: (.*)$/s, (m, at) => (!at ? `${m[1]} is not a function` : at.kind === 'call' ? `${at.text} is not a function` : at.kind === 'new' ? `${at.text} is not a constructor` : undefined)],
  [/^Value is not a constructor$/, (m, at) => (at && at.kind === 'new' ? `${at.text} is not a constructor` : undefined)],
  [/^Class constructor cannot be invoked without 'new'$/, (m, at) => (at && at.kind === 'call' ? `Class constructor ${at.text} cannot be invoked without 'new'` : undefined)],
  [/^Constructor Promise requires 'new'$/, () => "Promise constructor cannot be invoked without 'new'"],
  [/^Cannot access a variable before initialization$/, (m, at) => (at && at.kind === 'name' ? `Cannot access '${at.text.split('.')[0]}' before initialization` : undefined)],
  [/^Cannot convert (-?\d+\.\d+|NaN|-?Infinity) to a BigInt$/, (m) => `The number ${m[1]} cannot be converted to a BigInt because it is not an integer`],
  [/^Value is not object coercible$/, () => 'Cannot destructure value as it is undefined or null.'],
  [/^No initial value$/, () => 'Reduce of empty array with no initial value'],
  [/^Malformed URI$/, () => 'URI malformed'],
];

const done = new WeakSet();

// explain rewrites the message of an error that the engine threw, once.
function explain(err) {
  if (!(err instanceof Error) || done.has(err)) return err;
  done.add(err);
  const { message } = err;
  if (typeof message !== 'string') return err;
  for (const [pattern, say] of rules) {
    const m = pattern.exec(message);
    if (!m) continue;
    const said = say(m, place(err));
    if (said !== undefined) reword(err, message, said);
    break;
  }
  return err;
}

function reword(err, before, said) {
  const { stack } = err;
  err.message = said;
  if (typeof stack === 'string') Object.defineProperty(err, 'stack', { value: stack.replace(before, () => said), writable: true, configurable: true, enumerable: false });
}

// place is what stands where the engine noticed a mistake; nothing when that is inside of a function of its own.
function place(err) {
  const first = typeof err.stack === 'string' ? /\n\s+at (.*)/.exec(err.stack) : null;
  const m = first ? /(?:^|\()([^()]+):(\d+):(\d+)\(\d+\)\)?$/.exec(first[1]) : null;
  if (!m) return undefined;
  const loader = require('loader'), source = loader.sourceOf(m[1]);
  return source === undefined ? undefined : binding.placeOf(loader.runText(m[1]), Number(m[2]), Number(m[3])) ?? undefined;
}

module.exports = { explain };
