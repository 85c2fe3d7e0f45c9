// Module async_hooks: a store that follows synchronous calls only.
class AsyncLocalStorage {
  #store;
  run(store, f, ...args) {
    const before = this.#store;
    this.#store = store;
    try {
      return f(...args);
    } finally {
      this.#store = before;
    }
  }
  getStore() { return this.#store; }
  enterWith(store) { this.#store = store; }
  exit(f, ...args) { return this.run(undefined, f, ...args); }
  disable() { this.#store = undefined; }
}

module.exports = { AsyncLocalStorage, AsyncResource: class AsyncResource { runInAsyncScope(f, self, ...args) { return f.apply(self, args); } }, createHook: () => ({ enable() {}, disable() {} }), executionAsyncId: () => 1, triggerAsyncId: () => 0 };
