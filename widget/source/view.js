// A turn as a description. Every part has its fixed place, so that what is there keeps its focus.

import { h, icon } from "./render.js";
import { blocksOf, linkTo } from "./text.js";
import { markedText, wordsOf } from "./turns.js";

const RTL = new Set(["ar", "fa", "he", "ur", "ps", "sd", "ug", "yi", "dv", "ckb"]);
export const directionOf = (language) => (RTL.has(language) ? "rtl" : "ltr");

export const REASONS = ["wrong", "incomplete", "outdated", "unclear"];

/** `t` says our own strings; `isLast` and `rating` (the open form's turn id) decide what is offered. */
export function turnView(turn, about) {
  const { t, persona } = about;
  const words = blocksOf(markedText(turn), turn.state !== "asking", (number) => markOf(turn, number, t));
  return h("li", { class: "turn", key: turn.id, "data-turn": turn.id }, [
    h("p", { class: "said" }, [h("span", { class: "unseen" }, [`${t("you")}: `]), h("span", { dir: "auto" }, [turn.question])]),
    h("div", { class: "answer" }, [
      h("span", { class: "unseen" }, [`${persona}: `]),
      h("p", { class: "note" }, [noteOf(turn, about)]),
      h("div", { class: "looking" }, candidates(turn, about)),
      h("div", { class: "text", lang: turn.language || false, dir: turn.language ? directionOf(turn.language) : false }, words),
      h("p", { class: "state" }, stateOf(turn, t)),
      h("div", { class: "cited" }, citedOf(turn, about)),
      h("div", { class: "actions" }, turn.actions.map((action) => actionOf(action, about))),
      h("div", { class: "reading" }, readingOf(turn, about)),
      h("div", { class: WAITS.includes(turn.trouble?.kind) ? "trouble soft" : "trouble" }, turn.trouble ? troubleOf(turn, about) : []),
      h("div", { class: "tools", role: "group", "aria-label": t("tools") }, toolsOf(turn, about)),
      h("div", { class: "rating" }, ratingOf(turn, about)),
    ]),
  ]);
}

// --- While it comes ---------------------------------------------------------------------------

function stateOf(turn, t) {
  if (turn.state === "stopped") return [t("stopped")];
  if (turn.state !== "asking" || turn.trouble || (turn.parts.length && turn.status !== "again")) return [];
  const known = ["searching", "writing", "checking", "waking", "economy", "again"];
  return [h("span", { class: "dots", "aria-hidden": "true" }, [h("i"), h("i"), h("i")]), t(known.includes(turn.status) ? turn.status : "sent")];
}

/** Honest about money: short or quoted answers say so, where the site usually writes. */
function noteOf(turn, { t, config, hasToken }) {
  if (turn.note && hasToken) return t("guest");
  if (config.writer === "extractive" || !wordsOf(turn)) return "";
  return turn.band === "economy" || turn.band === "extractive" ? t(`band_${turn.band}`) : "";
}

function candidates(turn, { t, home }) {
  if (!turn.sources.length) return [];
  const items = turn.sources.map((citation) => h("li", {}, [linkTo(citation.url || "", citation.title, { class: "chip" }, home)]));
  return [h("p", {}, [t("looking")]), h("ul", {}, items)];
}

// --- Evidence ---------------------------------------------------------------------------------

const citationOf = (turn, number) => turn.citations.find((citation) => citation.number === number);

function markOf(turn, number, t) {
  const citation = citationOf(turn, number);
  if (!citation) return "";
  return h("button", { ...quoting(number), class: "mark", "aria-label": t("source", { number, title: citation.title }) }, [String(number)]);
}

const quoting = (number) => ({ type: "button", "data-do": "quote", "data-number": String(number), "aria-expanded": "false" });

function citedOf(turn, { t, home }) {
  if (!turn.citations.length || turn.state === "asking") return [];
  const items = turn.citations.map((citation) => {
    const title = citation.url ? linkTo(citation.url, citation.title, {}, home) : h("span", {}, [citation.title]);
    const number = h("button", { ...quoting(citation.number), class: "number", "aria-label": t("quote", { number: citation.number }) }, [String(citation.number)]);
    return h("li", {}, [citation.quote ? number : h("span", { class: "number" }, [String(citation.number)]), title]);
  });
  return [h("h3", {}, [t("sources")]), h("ul", {}, items)];
}

/** What the card of a citation says. */
export function cardView(citation, { home }) {
  const title = citation.url ? linkTo(citation.url, citation.title, {}, home) : h("span", {}, [citation.title]);
  return [h("p", { class: "title", dir: "auto" }, [title]), ...(citation.quote ? [h("blockquote", { dir: "auto" }, [citation.quote])] : [])];
}

// --- After it ---------------------------------------------------------------------------------

const actionOf = (action, { home }) => linkTo(String(action.url || ""), String(action.label || ""), { class: "action", "data-kind": String(action.kind || "link") }, home);

function readingOf(turn, { t, home }) {
  if (!turn.items.length) return [];
  const items = turn.items.map((item) => h("li", {}, [linkTo(item.url || "", item.title, {}, home), ...(item.published ? [h("span", { class: "date" }, [` · ${dateOf(item.published, turn.language)}`])] : [])]));
  return [h("h3", {}, [t("read_on")]), h("ul", {}, items)];
}

function dateOf(iso, language) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  // The visitor's own country, where it writes the answer's language.
  const locale = navigator.languages.find((known) => known.startsWith(language)) || language;
  return date.toLocaleDateString(locale || undefined, { dateStyle: "medium", timeZone: "UTC" });
}

function toolsOf(turn, { t, copied, rating, config }) {
  if (turn.state === "asking" || !wordsOf(turn)) return [];
  const tool = (action, name, label) => h("button", { type: "button", class: "tool", key: action, "data-do": action, title: label, "aria-label": label }, [icon(name)]);
  const done = (action) => copied === `${turn.id}:${action}`;
  const rate = config.feedback && turn.receipt;
  return [
    tool("copy", done("copy") ? "check" : "copy", t("copy")),
    ...(turn.citations.length ? [tool("copy-sources", done("copy-sources") ? "check" : "quote", t("copy_sources"))] : []),
    ...(rate ? [h("button", { type: "button", class: "tool words", key: "rate", "data-do": "rate", "aria-expanded": String(rating === turn.id) }, [icon("rate"), t("rate")])] : []),
  ];
}

/** An answer's text for the clipboard or the file, its sources below where they are wanted. */
export function plainText(turn, t, withSources) {
  const words = wordsOf(turn).trim();
  if (!withSources || !turn.citations.length) return words;
  const sources = turn.citations.map((citation) => `${citation.number}. ${citation.title}${citation.url ? ` ${citation.url}` : ""}`);
  return `${words}\n\n${t("sources")}:\n${sources.join("\n")}`;
}

const WAITS = ["limit", "waking_wait", "uncounted", "offline"]; // nothing is broken

// --- Trouble ----------------------------------------------------------------------------------

function troubleOf(turn, { t, now, isLast, config, home }) {
  const { kind, words, id, until, retry } = turn.trouble;
  const seconds = Math.max(0, Math.ceil(((until || 0) - now) / 1000));
  const label = retry === "edit" ? t("edit") : t("retry");
  return [
    h("p", { class: "why", role: "alert", dir: "auto" }, [words || t(kind)]),
    h("p", { class: "wait", role: "timer", "aria-live": "off" }, seconds ? [kind === "limit" ? t("wait", { seconds }) : `${seconds} s`] : []),
    h("div", { class: "ways" }, [
      ...(retry && isLast ? [h("button", { type: "button", class: "way", "data-do": "again", disabled: seconds > 0 && kind === "limit" }, [label])] : []),
      ...(["limit", "server", "uncounted"].includes(kind) ? contactOf(config, home) : []),
    ]),
    h("p", { class: "reference" }, id ? [t("reference"), h("code", {}, [id])] : []),
  ];
}

/** Who can help, from the site's own words. */
export function contactOf(config, home) {
  const { url, label, email } = config.handover || {};
  if (url) return [linkTo(url, label || url.replace(/^https?:\/\//, ""), { class: "way" }, home)];
  return email ? [linkTo(`mailto:${email}`, label || email, { class: "way" }, home)] : [];
}

// --- Rating -----------------------------------------------------------------------------------

function ratingOf(turn, { t, rating, ratingFailed }) {
  const { rated } = turn;
  if (rating !== turn.id) return rated ? [h("p", { class: "thanks" }, [icon("check"), t("thanks")])] : [];
  const given = { usefulness: [String(rated?.usefulness)], used: [{ true: "yes", false: "no" }[rated?.used]], reason: rated?.reasons || [] };
  const name = (which) => `${which}-${turn.id}`;
  const choice = (type, which, value, words) => h("label", {}, [h("input", { type, name: name(which), value, checked: given[which].includes(value), required: which === "usefulness" }), h("span", {}, [words])]);
  return [h("form", { "data-form": "rating" }, [
    h("fieldset", {}, [
      h("legend", {}, [t("useful")]),
      h("div", { class: "scale" }, ["1", "2", "3", "4", "5"].map((value) => choice("radio", "usefulness", value, value))),
      h("div", { class: "ends", "aria-hidden": "true" }, [h("span", {}, [t("low")]), h("span", {}, [t("high")])]),
    ]),
    h("fieldset", {}, [
      h("legend", {}, [t("helped")]),
      h("div", { class: "choices" }, [choice("radio", "used", "yes", t("yes")), choice("radio", "used", "no", t("no"))]),
    ]),
    h("fieldset", {}, [
      h("legend", {}, [t("why")]),
      h("div", { class: "choices" }, REASONS.map((reason) => choice("checkbox", "reason", reason, t(reason)))),
      h("label", { class: "free" }, [h("span", { class: "unseen" }, [t("reason")]), h("input", { type: "text", name: name("text"), maxlength: "500", value: rated?.text || false, placeholder: t("reason") })]),
    ]),
    h("p", { class: "why" }, ratingFailed ? [t("rating_failed")] : []),
    h("div", { class: "ways" }, [
      h("button", { type: "submit", class: "way main" }, [t("send_rating")]),
      h("button", { type: "button", class: "way", "data-do": "rate" }, [t("cancel")]),
    ]),
  ])];
}

/** The form's answers, kept so that they can be changed. */
export function ratingFrom(form, turn) {
  const data = new FormData(form);
  return {
    usefulness: Number(data.get(`usefulness-${turn.id}`)),
    used: { yes: true, no: false }[data.get(`used-${turn.id}`)] ?? null,
    reasons: data.getAll(`reason-${turn.id}`),
    text: String(data.get(`text-${turn.id}`) || "").trim(),
  };
}

/** A rating as the server takes it. A later one takes the place of an earlier. */
export function ratingBody(turn, { usefulness, used, reasons, text }) {
  return { answer_id: turn.answerId, receipt: turn.receipt, usefulness, used, reason: [reasons.join(", "), text].filter(Boolean).join(": ") };
}
