// Talks to the collector's read-only HTTP side. Nothing here touches the page.

const RETRYABLE = new Set([408, 429, 502, 503, 504]);
const MAX_ATTEMPTS = 4;

export class ApiError extends Error {
  constructor(status, path) {
    super(`${path} answered ${status}`);
    this.name = "ApiError";
    this.status = status;
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/**
 * Wait longer after every failure, with up to 30 % of chance added, so that two hundred wall
 * displays that lost the network together do not come back in the same second.
 */
export function delayBefore(attempt, random = Math.random) {
  const base = Math.min(500 * 2 ** attempt, 15_000);
  return Math.round(base * (1 + 0.3 * random()));
}

export class TideApi {
  #base;
  #fetch;
  #etags = new Map();

  constructor(base, fetchFunction = globalThis.fetch) {
    this.#base = base.replace(/\/+$/, "");
    this.#fetch = fetchFunction;
  }

  stations(signal) {
    return this.#get("/v2/stations", signal);
  }

  levels(station, from, to, signal) {
    const query = new URLSearchParams({ from: from.toISOString(), to: to.toISOString() });
    return this.#get(`/v2/stations/${encodeURIComponent(station)}/levels?${query}`, signal);
  }

  notices(since, signal) {
    return this.#get(`/v2/notices?since=${since.toISOString()}`, signal);
  }

  async #get(path, signal) {
    for (let attempt = 0; ; attempt += 1) {
      const known = this.#etags.get(path);
      const headers = known ? { "If-None-Match": known.etag } : {};
      const response = await this.#fetch(this.#base + path, { headers, signal });
      if (response.status === 304 && known) {
        return known.body;
      }
      if (response.ok) {
        const body = await response.json();
        const etag = response.headers.get("ETag");
        if (etag) {
          this.#remember(path, { etag, body });
        }
        return body;
      }
      if (!RETRYABLE.has(response.status) || attempt + 1 >= MAX_ATTEMPTS) {
        throw new ApiError(response.status, path);
      }
      await pause(delayBefore(attempt), signal);
    }
  }

  #remember(path, entry) {
    this.#etags.delete(path);
    this.#etags.set(path, entry);
    if (this.#etags.size > 64) {
      // A Map keeps the order of insertion: the first key is the one unused for longest.
      this.#etags.delete(this.#etags.keys().next().value);
    }
  }
}
