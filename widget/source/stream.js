// The wire: events from bytes, NDJSON or SSE (a line `data: {...}`; its other lines say nothing more), and what can go wrong before and while they come.

const SILENCE_MS = 50_000; // the server breathes every 15 s; three breaths missed is a cut
const FIRST_BYTE_MS = 75_000; // a database that must wake up takes half a minute

/** What ended a question before its answer was whole. `kind`: offline, cut, problem, aborted. */
export class Broken extends Error {
  constructor(kind, facts = {}) {
    super(facts.detail || kind);
    Object.assign(this, { kind, code: "", id: "", status: 0, retryAfter: 0 }, facts);
  }
}

/**
 * The events of a body. A network chunk ends anywhere, inside a line or inside a letter: bytes
 * become lines first. What is no event is passed over, since later protocols may say more.
 */
export async function* eventsOf(body, onBytes = () => {}) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      onBytes();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = done ? "" : lines.pop();
      for (const event of lines.map(eventOf)) if (event) yield event;
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function eventOf(line) {
  try {
    const event = JSON.parse(line.replace(/^data: ?/, ""));
    return typeof event?.event === "string" ? event : null;
  } catch {
    return null;
  }
}

/**
 * The events of one ask, the last of which is `done` or `error`.
 * Throws: Broken, also when the stream ends early.
 */
export async function* asked(url, body, { signal, token, isSse }) {
  const watch = watchdog(signal);
  try {
    const response = await fetch(url, request(body, token, watch.signal, isSse));
    if (!response.ok) throw await problemOf(response);
    if (!response.body) throw new Broken("cut");
    for await (const event of eventsOf(response.body, () => watch.reset(SILENCE_MS))) {
      yield event;
      if (event.event === "done" || event.event === "error") return;
    }
    throw new Broken("cut");
  } catch (error) {
    throw brokenBy(error, signal);
  } finally {
    watch.end();
  }
}

function request(body, token, signal, isSse) {
  const headers = { "Content-Type": "application/json", Accept: isSse ? "text/event-stream" : "application/x-ndjson" };
  if (token) headers.Authorization = `Bearer ${token}`;
  return { method: "POST", headers, body: JSON.stringify(body), signal, credentials: "omit", cache: "no-store" };
}

function brokenBy(error, signal) {
  if (error instanceof Broken) return error;
  if (signal.aborted) return new Broken("aborted");
  return new Broken(navigator.onLine === false ? "offline" : "cut", { detail: error.message });
}

/** Aborts with the given signal, or when nothing came for too long. */
function watchdog(outer) {
  const own = new AbortController();
  const abort = () => own.abort();
  let timer = setTimeout(abort, FIRST_BYTE_MS);
  outer.addEventListener("abort", abort);
  return {
    signal: own.signal,
    reset(ms) { clearTimeout(timer); timer = setTimeout(abort, ms); },
    end() { clearTimeout(timer); outer.removeEventListener("abort", abort); },
  };
}

/** A problem document, or whatever a gateway sends in its place. */
async function problemOf(response) {
  const problem = await response.json().catch(() => ({}));
  const header = Number.parseInt(response.headers.get("Retry-After"), 10);
  return new Broken("problem", {
    status: response.status,
    code: String(problem.code || ""),
    detail: String(problem.detail || ""),
    id: String(problem.id || ""),
    retryAfter: Math.min(Number(problem.retry_after_s) || header || 0, 3600),
  });
}

/** POST without waiting for words back; true when the server took it. */
export async function posted(url, body) {
  try {
    const options = { ...request(body), keepalive: true };
    return (await fetch(url, options)).ok;
  } catch {
    return false;
  }
}

/** A key of its own for each ask. Pages without https have no `randomUUID`. */
export function freshKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
