// What needs a network is there and says that it has none.
function refused(what) {
  const err = new TypeError(`${what}: no network is granted to scripts in this sandbox`);
  err.code = 'ERR_NETWORK_NOT_GRANTED';
  return err;
}

class Headers {
  #map = new Map();
  constructor(init = {}) { for (const [k, v] of init instanceof Headers || Array.isArray(init) ? init : Object.entries(init)) this.append(k, v); }
  append(k, v) { const n = k.toLowerCase(); this.#map.set(n, this.#map.has(n) ? `${this.#map.get(n)}, ${v}` : String(v)); }
  set(k, v) { this.#map.set(k.toLowerCase(), String(v)); }
  get(k) { return this.#map.get(k.toLowerCase()) ?? null; }
  has(k) { return this.#map.has(k.toLowerCase()); }
  delete(k) { this.#map.delete(k.toLowerCase()); }
  forEach(f) { this.#map.forEach((v, k) => f(v, k, this)); }
  keys() { return this.#map.keys(); }
  values() { return this.#map.values(); }
  entries() { return this.#map.entries(); }
  [Symbol.iterator]() { return this.#map.entries(); }
}

class Request {
  constructor(url, init = {}) { Object.assign(this, { url: String(url), method: init.method || 'GET', headers: new Headers(init.headers), body: init.body ?? null }); }
}

class Response {
  #body;
  constructor(body = null, init = {}) {
    this.#body = body;
    this.status = init.status ?? 200;
    this.statusText = init.statusText ?? '';
    this.headers = new Headers(init.headers);
    this.ok = this.status >= 200 && this.status < 300;
  }
  async text() { return this.#body === null ? '' : String(this.#body); }
  async json() { return JSON.parse(await this.text()); }
  static json(v, init) { return new Response(JSON.stringify(v), { ...init, headers: { 'content-type': 'application/json' } }); }
}

module.exports = {
  Headers, Request, Response, refused,
  fetch: function fetch(resource) { return Promise.reject(refused(`fetch failed for ${typeof resource === 'object' && resource !== null && resource.url ? resource.url : resource}`)); },
  WebSocket: class WebSocket { constructor(url) { throw refused(`WebSocket ${url}`); } },
};
