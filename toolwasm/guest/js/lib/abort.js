// Events of the web, and AbortController.
class DOMException extends Error {
  constructor(message = '', name = 'Error') {
    super(message);
    Object.defineProperty(this, 'name', { value: typeof name === 'object' ? name.name : name, configurable: true });
  }
  get code() { return { AbortError: 20, TimeoutError: 23, InvalidCharacterError: 5, DataCloneError: 25 }[this.name] || 0; }
}
Object.defineProperty(globalThis, 'DOMException', { value: DOMException, writable: true, configurable: true, enumerable: false });

class Event {
  constructor(type, options = {}) {
    this.type = type;
    this.defaultPrevented = false;
    this.cancelable = Boolean(options.cancelable);
    this.target = null;
    this.timeStamp = binding.now();
  }
  preventDefault() { if (this.cancelable) this.defaultPrevented = true; }
  stopPropagation() {}
  stopImmediatePropagation() { this.stopped = true; }
}

class EventTarget {
  #listeners = new Map();
  addEventListener(type, f, options) {
    if (!this.#listeners.has(type)) this.#listeners.set(type, []);
    const list = this.#listeners.get(type);
    if (!list.some((l) => l.f === f)) list.push({ f, once: typeof options === 'object' && options !== null && options.once });
  }
  removeEventListener(type, f) {
    this.#listeners.set(type, (this.#listeners.get(type) ?? []).filter((l) => l.f !== f));
  }
  dispatchEvent(event) {
    event.target = event.currentTarget = this;
    for (const l of [...(this.#listeners.get(event.type) ?? [])]) {
      if (l.once) this.removeEventListener(event.type, l.f);
      if (typeof l.f === 'function') l.f.call(this, event);
      else l.f.handleEvent(event);
      if (event.stopped) break;
    }
    return !event.defaultPrevented;
  }
}

class AbortSignal extends EventTarget {
  aborted = false;
  reason = undefined;
  onabort = null;
  throwIfAborted() { if (this.aborted) throw this.reason; }
  static abort(reason) { const s = new AbortSignal(); abort(s, reason); return s; }
  static timeout(ms) {
    const s = new AbortSignal();
    require('timers').setTimeout(() => abort(s, new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms).unref();
    return s;
  }
  static any(signals) {
    const s = new AbortSignal();
    for (const other of signals) {
      if (other.aborted) abort(s, other.reason);
      else other.addEventListener('abort', () => abort(s, other.reason), { once: true });
    }
    return s;
  }
}

function abort(signal, reason) {
  if (signal.aborted) return;
  signal.aborted = true;
  signal.reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
  const event = new Event('abort');
  if (typeof signal.onabort === 'function') signal.onabort(event);
  signal.dispatchEvent(event);
}

class AbortController {
  signal = new AbortSignal();
  abort(reason) { abort(this.signal, reason); }
}

module.exports = { AbortController, AbortSignal, Event, EventTarget, DOMException, domException: (message, name) => new DOMException(message, name) };
