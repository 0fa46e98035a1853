// A turn: one question and its answer, as plain values that can be kept. Events change it.

import { freshKey } from "./stream.js";

const SENT = 11; // the server reads no more than the last 11 messages
const SENT_BYTES = 120_000; // it takes 128 kB; long histories lose their oldest pairs

export function newTurn(question) {
  return { id: freshKey(), key: freshKey(), question, at: Date.now(), page: pageHere(), state: "asking", status: "", ...noAnswer() };
}

/** What an answer adds; a retry with a new key begins with nothing again. */
export function noAnswer() {
  return { answerId: "", receipt: "", language: "", band: "", writer: "", note: "", outcome: "", parts: [], marks: {}, sources: [], citations: [], actions: [], items: [], trouble: null, rated: null };
}

/** Where the visitor is, at the time of asking: pages may change without a load. */
export function pageHere() {
  const path = location.pathname.replace(/[\s\\]/g, "").slice(0, 1000);
  return { path, title: document.title.slice(0, 300) };
}

const list = (value) => (Array.isArray(value) ? value.filter((item) => item && typeof item === "object") : []);
const text = (value) => (typeof value === "string" ? value : "");
// Ours mark the places of citations; the server sends none.
const withoutControls = (value) => text(value).replace(/[\u0000-\u0008\u000b-\u001f]/g, "");

const HANDLERS = {
  start(turn, event) {
    // A replay tells the same answer from its beginning; another answer starts anew.
    if (turn.answerId && turn.answerId !== event.answer_id) Object.assign(turn, noAnswer());
    turn.answerId = text(event.answer_id);
    turn.language = text(event.language);
    turn.band = text(event.band);
    turn.writer = text(event.writer);
    turn.note = text(event.viewer?.note);
  },
  status(turn, event) {
    turn.status = text(event.state);
    if (turn.status === "economy" && turn.band !== "extractive") turn.band = "economy";
  },
  sources(turn, event) { turn.sources = list(event.citations); },
  delta(turn, event) {
    if (event.seq === undefined || event.seq === turn.parts.length) turn.parts.push(withoutControls(event.text));
  },
  citation(turn, event) {
    const { citation, seq } = event;
    if (!citation || !Number.isInteger(citation.number)) return;
    const marks = (turn.marks[seq] ||= []);
    if (!marks.includes(citation.number)) marks.push(citation.number);
    if (!turn.citations.some((known) => known.number === citation.number)) turn.citations.push(citation);
  },
  actions(turn, event) { turn.actions = list(event.actions); },
  recommendations(turn, event) { turn.items = list(event.items); },
  done(turn, event) {
    Object.assign(turn, { state: "done", status: "", outcome: text(event.outcome), receipt: text(event.receipt), sources: [] });
    turn.language = text(event.language) || turn.language;
    turn.citations = list(event.citations);
  },
};

/** Unknown events are for later protocols. `error` is the panel's, since it decides what to do next. */
export function apply(turn, event) {
  HANDLERS[event.event]?.(turn, event);
}

export const wordsOf = (turn) => turn.parts.join("");

/** The answer's text with \u0001N\u0002 where citation N stands: after the sentence, before its space. */
export function markedText(turn) {
  return turn.parts.map((part, seq) => {
    const marks = turn.marks[seq];
    if (!marks) return part;
    const end = part.trimEnd().length;
    return part.slice(0, end) + marks.map((number) => `\u0001${number}\u0002`).join("") + part.slice(end);
  }).join("");
}

/** The question with what came before it: whole pairs only, so that the count is odd. */
export function messagesFor(turn, turns) {
  const pairs = turns.filter((earlier) => earlier !== turn && earlier.at <= turn.at && wordsOf(earlier).trim() && earlier.state !== "asking").map(pairOf);
  const kept = pairs.slice(-(SENT - 1) / 2);
  const messages = () => [...kept.flat(), { role: "user", content: turn.question }];
  while (kept.length && new Blob([JSON.stringify(messages())]).size > SENT_BYTES) kept.shift();
  return messages();
}

function pairOf(turn) {
  const answer = { role: "assistant", content: wordsOf(turn) };
  if (turn.receipt) Object.assign(answer, { answer_id: turn.answerId, receipt: turn.receipt });
  return [{ role: "user", content: turn.question }, answer];
}
