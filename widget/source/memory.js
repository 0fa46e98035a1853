// What is kept across pages: messages with their receipts, ticket, count, language, open state.
// The owner chooses where: `session` (gone with the tab), `local`, or `none`.

const EMPTY = { turns: [], ticket: "", count: 0, language: "", draft: "", clearedAt: 0, consented: false };

export class Memory {
  #store;
  #key;
  #turnsKept;

  constructor(kind, base, messagesKept) {
    this.#key = `magpie:1:${base}`;
    this.#turnsKept = Math.max(1, Math.floor(messagesKept / 2));
    this.#store = storeOf(kind);
    this.isShared = kind === "local" && Boolean(this.#store);
    this.value = { ...EMPTY, ...this.#read() };
  }

  #read() {
    try {
      const found = JSON.parse(this.#store?.getItem(this.#key) || "{}");
      return Array.isArray(found.turns) ? found : {};
    } catch {
      return {}; // written by someone else, or storage is forbidden
    }
  }

  /** Write what is known. Another tab's turns are taken in first, unless they were cleared since. */
  save() {
    if (this.isShared) this.adopt();
    this.value.turns = this.value.turns.slice(-this.#turnsKept);
    this.#write(this.value) || this.#write({ ...this.value, turns: this.value.turns.slice(-3) });
  }

  #write(value) {
    try {
      this.#store?.setItem(this.#key, JSON.stringify(value));
      return true;
    } catch {
      return false; // full: the last turns alone may fit
    }
  }

  /** Join with what another tab wrote; true when that brought something. Our own turns win. */
  adopt() {
    const other = { ...EMPTY, ...this.#read() };
    const clearedAt = Math.max(this.value.clearedAt, other.clearedAt);
    const known = new Map([...other.turns, ...this.value.turns].map((turn) => [turn.id, turn]));
    const turns = [...known.values()].filter((turn) => turn.at > clearedAt).sort((one, two) => one.at - two.at);
    const isNew = turns.length !== this.value.turns.length;
    Object.assign(this.value, { turns, clearedAt, count: Math.max(this.value.count, other.count), ticket: this.value.ticket || other.ticket });
    return isNew;
  }

  /** Forget the conversation; the visitor's consent and language stay. */
  clear() {
    Object.assign(this.value, { turns: [], ticket: "", count: 0, draft: "", clearedAt: Date.now() });
    this.save();
  }

  /** Call when another tab has written. */
  onChange(listener, signal) {
    if (!this.isShared) return;
    addEventListener("storage", (event) => event.key === this.#key && listener(), { signal });
  }

  setOpen(key, isOpen) {
    if (!this.#store) return;
    try {
      if (isOpen) sessionStorage.setItem(key, "1"); // by tab, even where the conversation is shared
      else sessionStorage.removeItem(key);
    } catch { /* forbidden: the next page starts closed */ }
  }
}

function storeOf(kind) {
  try {
    return { session: window.sessionStorage, local: window.localStorage }[kind] || null;
  } catch {
    return null; // the visitor forbids storage
  }
}
