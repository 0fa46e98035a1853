// The conversation without its looks: what is asked, stopped, tried again, kept.

import { apply, messagesFor, newTurn, noAnswer } from "./turns.js";
import { Broken, asked, freshKey, posted } from "./stream.js";

const REPLAY_MS = 600_000; // so long the server keeps an answer's parts under its key
const SLICE_MS = 8; // half a frame
const CUTS_MENDED = 2;
const WAKES_WAITED = 2;

export class Conversation {
  #running = null;
  #base;
  #changed;
  #emit;
  #tries = new Map();

  /** `changed(turn)` is called whenever a turn must be drawn again; `emit(name, detail)` tells the page. */
  constructor({ base, memory, changed, emit }) {
    this.#base = base;
    this.memory = memory; // replaced when the visitor agrees to more
    this.#changed = changed;
    this.#emit = emit;
    this.token = null;
  }

  get turns() { return this.memory.value.turns; }
  get isBusy() { return Boolean(this.#running); }
  get last() { return this.turns.at(-1); }

  /** Ask; false while another answer comes, or for an empty question. */
  ask(question) {
    const words = question.trim();
    if (!words || this.isBusy) return false;
    const turn = newTurn(words);
    this.turns.push(turn);
    this.memory.value.count += 1;
    this.#emit("question", { count: this.memory.value.count });
    this.#run(turn);
    return true;
  }

  /** Once more: the same key after a cut, so that nothing is paid twice; a new one after an error. */
  again(turn) {
    if (this.isBusy) return;
    if (turn.trouble?.retry === "new") Object.assign(turn, { key: freshKey(), ...noAnswer() });
    this.#tries.delete(turn.id);
    this.#run(turn);
  }

  /** The visitor has read enough. The server is told as soon as the answer has a name. */
  stop() {
    const running = this.#running;
    if (!running) return;
    running.isStopping = true;
    Object.assign(running.turn, { state: "stopped", status: "", sources: [], trouble: null });
    clearTimeout(running.timer);
    if (running.turn.answerId) this.#leave(running);
    else if (running.timer) this.#leave(running);
    else this.#release(running);
  }

  #leave(running) {
    if (running.turn.answerId) posted(`${this.#base}stop`, { answer_id: running.turn.answerId });
    running.control.abort();
    this.#release(running);
  }

  /** What was being asked when the page before this one was left, or while we were away. */
  resume() {
    for (const turn of this.turns.filter(({ state }) => state === "asking")) {
      const isFresh = turn === this.last && Date.now() - turn.at < REPLAY_MS;
      if (isFresh && !this.isBusy) this.#run(turn);
      else this.#fail(turn, { kind: "cut", retry: "new" });
    }
  }

  // --- One answer -----------------------------------------------------------------------------

  async #run(turn) {
    const running = { turn, control: new AbortController(), timer: 0, isStopping: false };
    this.#running = running;
    Object.assign(turn, { state: "asking", trouble: null, status: turn.status === "again" ? "again" : "" });
    this.#save(turn);
    let since = performance.now();
    try {
      const token = typeof this.token === "function" ? await this.token() : this.token;
      for await (const event of asked(`${this.#base}chat`, this.#body(turn), { signal: running.control.signal, token, isSse: this.isSse })) {
        this.#take(running, event);
        if (performance.now() - since < SLICE_MS) continue;
        await new Promise((go) => setTimeout(go)); // many events in one piece must not hold the page up
        since = performance.now();
      }
    } catch (error) {
      this.#broke(running, error);
    } finally {
      if (!running.timer) this.#release(running);
    }
  }

  #body(turn) {
    const { ticket, language } = this.memory.value;
    const body = { messages: messagesFor(turn, this.turns), page: turn.page, idempotency_key: turn.key };
    if (ticket) body.ticket = ticket;
    if (language) body.language = language;
    return body;
  }

  #take(running, event) {
    const { turn } = running;
    if (event.event === "start") this.memory.value.ticket = String(event.ticket || "");
    if (running.isStopping) {
      if (event.event === "start") {
        turn.answerId = String(event.answer_id || "");
        this.#leave(running);
      }
      return;
    }
    if (event.event === "ping") return;
    apply(turn, event);
    if (event.event === "delta") turn.status = "";
    if (event.event === "done") this.#finished(turn, event);
    else if (event.event === "error") this.#told(turn, event);
    this.#changed(turn);
  }

  #finished(turn, event) {
    if (event.preference !== undefined) this.memory.value.language = String(event.preference);
    this.#emit("answer", { answer_id: turn.answerId, outcome: turn.outcome, citations: turn.citations.length, language: turn.language, usage: event.usage });
  }

  /** An error as an event is the answer's end: the same key would tell it again. */
  #told(turn, event) {
    if (event.code === "stopped") return void (turn.state = "stopped");
    const wait = Math.min(Number(event.retry_after_s) || 0, 3600);
    this.#fail(turn, { kind: wait ? "limit" : "server", words: String(event.message || ""), code: String(event.code || ""), id: wait ? "" : String(event.id || turn.answerId), until: wait && Date.now() + wait * 1000, retry: "new" });
  }

  // --- What can go wrong ----------------------------------------------------------------------

  #broke(running, error) {
    const { turn } = running;
    if (running.isStopping) return;
    if (!(error instanceof Broken)) {
      this.#fail(turn, { kind: "server", retry: "same" });
      throw error;
    }
    if (error.kind === "aborted") turn.state = "stopped";
    else if (error.kind === "offline") this.#waitForNetwork(running);
    else if (error.kind === "cut") this.#mend(running);
    else this.#refused(running, error);
    this.#changed(turn);
  }

  #refused(running, { status, code, id, retryAfter }) {
    const { turn } = running;
    const until = retryAfter ? Date.now() + retryAfter * 1000 : 0;
    if (status === 429) this.#fail(turn, { kind: "limit", until, code, retry: "same" });
    else if (status === 503) this.#wake(running, { until, id, code });
    else if (status >= 500) this.#fail(turn, { kind: "server", id, code, retry: "same" });
    else this.#fail(turn, { kind: status === 413 || code === "message_too_long" ? "too_long" : "refused", id, code, retry: "edit" });
  }

  /** Picks a broken answer up where it is, twice by itself. */
  #mend(running) {
    if (this.#count(running.turn) > CUTS_MENDED) return this.#fail(running.turn, { kind: "cut", retry: "same" });
    running.turn.status = "again";
    this.#later(running, 1000 * 3 ** (this.#tries.get(running.turn.id) - 1));
  }

  #wake(running, { until, id, code }) {
    const { turn } = running;
    const isUncounted = code === "table_unavailable"; // the pages are there, what counts questions isn't
    if (this.#count(turn) > WAKES_WAITED || !until) return this.#fail(turn, { kind: isUncounted ? "uncounted" : "server", id, code, retry: "same" });
    turn.trouble = { kind: isUncounted ? "uncounted" : "waking_wait", until, code, retry: "same" };
    this.#later(running, until - Date.now());
  }

  #waitForNetwork(running) {
    running.turn.trouble = { kind: "offline", retry: "same" };
    addEventListener("online", () => this.#running === running && this.#run(running.turn), { once: true });
    running.timer = -1;
  }

  #later(running, ms) {
    running.timer = setTimeout(() => this.#running === running && this.#run(running.turn), ms);
  }

  #count(turn) {
    const tries = (this.#tries.get(turn.id) || 0) + 1;
    this.#tries.set(turn.id, tries);
    return tries;
  }

  #fail(turn, trouble) {
    Object.assign(turn, { state: "failed", status: "", sources: [], trouble });
    this.#emit("error", { code: trouble.code || trouble.kind, id: trouble.id || "" });
    this.#save(turn);
  }

  /** A waiting question, asked at once by the visitor's wish. */
  now(turn) {
    const running = this.#running;
    if (running?.turn !== turn || !running.timer) return false;
    clearTimeout(running.timer);
    this.#run(turn);
    return true;
  }

  #release(running) {
    if (this.#running === running) this.#running = null;
    this.#save(running.turn);
  }

  #save(turn) {
    this.memory.save();
    this.#changed(turn);
  }

  /** Forget everything said. */
  clear() {
    this.stop();
    this.memory.clear();
    this.#tries.clear();
  }
}
