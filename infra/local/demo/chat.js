// The demo's conversation: one question at a time, its answer as it is written.

const KEPT_FOR_SERVER = 11;
const WORDS = { searching: "Looking through the pages", writing: "Writing", checking: "Checking", waking: "Waking the database", economy: "Answering in short" };
const KINDS = { handoff: "The pages don't say; here is who can help", clarify: "A question back", unsupported: "Outside what I do here" };

const page = Object.fromEntries(["talk", "turns", "welcome", "composer", "question", "send", "stop", "again", "notice", "spoken"].map((id) => [id, document.getElementById(id)]));
const talk = { messages: [], ticket: undefined, language: undefined, running: null };

page.composer.addEventListener("submit", (event) => { event.preventDefault(); ask(page.question.value); });
page.question.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); page.composer.requestSubmit(); }
});
page.question.addEventListener("input", fit);
page.stop.addEventListener("click", stop);
page.again.addEventListener("click", () => location.reload());
document.getElementById("starters").addEventListener("click", (event) => {
  const starter = event.target.closest("button");
  if (starter) ask(starter.textContent);
});
page.question.focus();

async function ask(text) {
  const question = text.trim();
  if (!question || talk.running) return;
  const turn = addTurn(question);
  talk.messages.push({ role: "user", content: question });
  begin(turn);
  try {
    const response = await fetch("chat", request(talk.running.signal));
    if (!response.ok) throw await refusal(response);
    for await (const event of events(response.body)) show(turn, event);
    if (!turn.ended) throw new Error("The answer broke off. Ask again, please.");
  } catch (error) {
    failed(turn, error);
  } finally {
    finish(turn);
  }
}

function request(signal) {
  const body = { messages: talk.messages.slice(-KEPT_FOR_SERVER), ticket: talk.ticket, language: talk.language, idempotency_key: crypto.randomUUID() };
  return { method: "POST", headers: { "Content-Type": "application/json", Accept: "application/x-ndjson" }, body: JSON.stringify(body), signal };
}

// A network chunk ends anywhere: inside a line, inside a letter. Lines are put together first.
async function* events(stream) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (let done = false; !done; ) {
    const chunk = await reader.read();
    done = chunk.done;
    rest += done ? decoder.decode() : decoder.decode(chunk.value, { stream: true });
    const lines = rest.split("\n");
    rest = done ? "" : lines.pop();
    for (const line of lines) if (line.trim()) yield JSON.parse(line);
  }
}

async function refusal(response) {
  const problem = await response.json().catch(() => ({}));
  const wait = problem.retry_after_s ? ` Try again in ${problem.retry_after_s} s.` : "";
  return new Error((problem.detail || problem.title || `The server answered ${response.status}.`) + wait);
}

// --- Events to the page ---------------------------------------------------------------------

const handlers = {
  start(turn, event) {
    talk.ticket = event.ticket;
    turn.answerId = event.answer_id;
    turn.text.lang = event.language || "";
  },
  status(turn, event) { turn.state.textContent = WORDS[event.state] || ""; },
  sources(turn, event) { turn.sources = event.citations; },
  delta(turn, event) {
    turn.state.hidden = true;
    // A mark stands before the space that ends its sentence.
    const [, words, space] = event.text.match(/^(.*?)(\s*)$/s);
    const piece = element("span", { textContent: words });
    turn.pieces.set(event.seq, piece);
    turn.text.append(piece, space);
    turn.whole += event.text;
  },
  citation(turn, event) { mark(turn.pieces.get(event.seq), event.citation); },
  actions(turn, event) {
    const links = event.actions.filter((action) => isWeb(action.url)).map((action) => link(action.url, action.label));
    turn.answer.append(element("div", { className: "more" }, links));
  },
  recommendations(turn, event) {
    const links = event.items.flatMap((item, index) => [index ? ", " : "", link(local(item.url), item.title)]);
    if (links.length) turn.answer.append(element("p", { className: "reading" }, ["To read on: ", ...links]));
  },
  done(turn, event) {
    turn.ended = true;
    if (event.preference !== undefined) talk.language = event.preference || undefined;
    talk.messages.push({ role: "assistant", content: turn.whole, answer_id: turn.answerId, receipt: event.receipt });
    if (KINDS[event.outcome]) turn.text.before(element("span", { className: "kind", textContent: KINDS[event.outcome] }));
    if (event.citations.length) turn.text.after(sourceList(event.citations));
    page.spoken.textContent = turn.whole;
  },
  error(turn, event) {
    turn.ended = true;
    const wait = event.retry_after_s ? ` Try again in ${event.retry_after_s} s.` : "";
    failed(turn, new Error(event.message + wait));
  },
};

function show(turn, event) {
  handlers[event.event]?.(turn, event); // unknown events are for later protocols
  follow();
}

function mark(piece, citation) {
  if (!piece) return;
  const label = String(citation.number);
  const inside = citation.url ? link(local(citation.url), label) : element("span", { textContent: label });
  inside.title = citation.title;
  piece.append(element("sup", {}, [inside]));
}

function sourceList(citations) {
  const items = citations.map((citation) => element("li", {}, [
    element("span", { className: "n", textContent: `${citation.number}` }),
    element("div", {}, [
      citation.url ? link(local(citation.url), citation.title) : element("span", { textContent: citation.title }),
      ...(citation.quote ? [element("q", { textContent: citation.quote })] : []),
    ]),
  ]));
  return element("ol", { className: "cited", ariaLabel: "Sources" }, items);
}

// --- Parts ----------------------------------------------------------------------------------

function addTurn(question) {
  const state = element("p", { className: "state", textContent: "Sent" });
  const text = element("div", { className: "text" });
  const answer = element("div", { className: "answer" }, [state, text]);
  const item = element("li", { className: "turn" }, [element("p", { className: "said", textContent: question }), answer]);
  page.turns.append(item);
  return { answer, state, text, pieces: new Map(), whole: "", ended: false };
}

function begin(turn) {
  talk.running = new AbortController();
  talk.turn = turn;
  document.body.classList.add("asked-once");
  Object.assign(page.send, { hidden: true });
  Object.assign(page.stop, { hidden: false });
  page.notice.textContent = "";
  page.question.value = "";
  fit();
  follow();
}

function finish(turn) {
  talk.running = null;
  turn.state.hidden = true;
  page.send.hidden = false;
  page.stop.hidden = true;
  page.again.hidden = false;
  page.question.focus();
  follow();
}

function failed(turn, error) {
  // A question without an answer leaves the history, so that the count stays odd.
  if (talk.messages.at(-1)?.role === "user") talk.messages.pop();
  if (error.name === "AbortError") return turn.answer.append(element("p", { className: "state", textContent: "Stopped" }));
  turn.answer.append(element("p", { className: "wrong", textContent: error.message }));
  page.spoken.textContent = error.message;
}

function stop() {
  const { running, turn } = talk;
  if (!running) return;
  if (turn.answerId) fetch("stop", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ answer_id: turn.answerId }) }).catch(() => {});
  running.abort();
}

function follow() { page.talk.scrollTop = page.talk.scrollHeight; }

function fit() {
  page.question.style.height = "auto";
  page.question.style.height = `${page.question.scrollHeight + 2}px`;
}

// The demo's websites are invented: their pages are shown from what Magpie holds of them.
function local(url) { return `source?url=${encodeURIComponent(url)}`; }

function isWeb(url) { return /^(https?:|mailto:|tel:|\/)/.test(url); }

function link(href, label) {
  return element("a", { href, textContent: label, target: "_blank", rel: "noopener" });
}

function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
