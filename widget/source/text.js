// An answer's text as blocks: paragraphs and lists, with links, marks, strong words and code.

import { h } from "./render.js";

const ITEM = /^\s{0,3}(?:[-*•]|(\d{1,3})[.)])\s+(.*)$/;
const INLINE = /\u0001(\d+)\u0002|\[([^\]\n]+)\]\((https?:\/\/[^\s()\u0001]+(?:\([^\s()]*\)[^\s()\u0001]*)*)\)|(https?:\/\/[^\s\u0001<>"]+)|([\w.+-]+@[\w-]+(?:\.[\w-]+)+)|\*\*([^*\n]+)\*\*|`([^`\n]+)`/g;
// What may still become something else when more text comes: an address, a link, strong words.
const UNFINISHED = /(?:\[[^\]\n]*(?:\](?:\([^)\s]*)?)?|(?<!\]\()\bht(?:tps?:?\/?\/?[^\s\u0001]*|t?p?)|(?<!\*\*[^*\n]*\*)\*)$/;
const LONE_MARKER = /(^|\n)[ \t]*(?:[-*•]|\d{1,3}[.)]?)[ \t]*$/;

/** The blocks of a text; while it is not whole, what is half there is held back. */
export function blocksOf(text, isWhole, mark) {
  const ready = isWhole ? text : held(text);
  const blocks = [];
  let open = null; // the list or paragraph that the next line may continue
  for (const line of ready.split("\n")) {
    const item = ITEM.exec(line);
    if (!line.trim()) open = null;
    else if (item) open = addItem(blocks, open, item);
    else if (open?.kind === "list" && /^\s{2,}/.test(line)) open.items.at(-1).push(line.trim());
    else open = addLine(blocks, open, line);
  }
  return blocks.map((block) => drawn(block, mark));
}

function held(text) {
  const start = text.lastIndexOf("\n") + 1;
  if (ITEM.test(text.slice(start))) return text.slice(0, start); // an item appears whole
  const line = closed(closed(text.slice(start), "**"), "`");
  return text.slice(0, start) + line.replace(LONE_MARKER, "$1").replace(UNFINISHED, "");
}

/** The line up to a marker that was opened and not closed yet. */
function closed(line, marker) {
  return line.split(marker).length % 2 ? line : line.slice(0, line.lastIndexOf(marker));
}

function addItem(blocks, open, [, number, words]) {
  const ordered = number !== undefined;
  const goesOn = open?.kind === "list" && open.ordered === ordered;
  const list = goesOn ? open : { kind: "list", ordered, first: Number(number), items: [] };
  if (!goesOn) blocks.push(list);
  list.items.push([words]);
  return list;
}

function addLine(blocks, open, line) {
  const goesOn = open?.kind === "paragraph";
  const paragraph = goesOn ? open : { kind: "paragraph", lines: [] };
  if (!goesOn) blocks.push(paragraph);
  paragraph.lines.push(line);
  return paragraph;
}

function drawn(block, mark) {
  if (block.kind === "paragraph") return h("p", { dir: "auto" }, lines(block.lines, mark));
  const items = block.items.map((item) => h("li", { dir: "auto" }, lines(item, mark)));
  return block.ordered ? h("ol", { start: String(block.first) }, items) : h("ul", {}, items);
}

const lines = (texts, mark) => texts.flatMap((line, at) => [...(at ? [h("br")] : []), ...inline(line, mark)]);

/** A line's words, links and marks. `mark` draws a citation's number. */
export function inline(line, mark = () => "") {
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(INLINE)) {
    const [whole, number, words, target, address, mail, strong, code] = match;
    const url = address && trimmed(address);
    const before = line.slice(end, match.index);
    const drawnPiece = piece({ number, words, target, url, mail, strong, code }, mark);
    if (number) parts.push(...besides(before, drawnPiece, parts));
    else parts.push(before, drawnPiece);
    end = match.index + (url ? url.length : whole.length);
  }
  return [...parts, line.slice(end)].filter((part) => part !== "");
}

/** A mark keeps to the last word before it, or to the mark: no line begins with a citation's number. */
function besides(before, drawnMark, parts) {
  const last = parts.at(-1);
  if (!before && last?.attributes?.class === "end") {
    parts.pop();
    return [h("span", last.attributes, [...last.children, drawnMark])];
  }
  const word = /\S{0,24}$/.exec(before)[0];
  return [before.slice(0, before.length - word.length), h("span", { class: "end" }, [word, drawnMark])];
}

function piece({ number, words, target, url, mail, strong, code }, mark) {
  if (number) return mark(Number(number));
  if (target) return linkTo(target, words);
  if (url) return linkTo(url, url.replace(/^https?:\/\/(?:www\.)?|\/$/g, ""));
  if (mail) return linkTo(`mailto:${mail}`, mail);
  return strong ? h("strong", {}, [strong]) : h("code", {}, [code]);
}

/** A sentence's end is not the address' end; a bracket belongs to it when it was opened in it. */
function trimmed(url) {
  const bare = url.replace(/[.,;:!?'"»”’。，]+$/, "");
  return bare.endsWith(")") && !bare.includes("(") ? trimmed(bare.slice(0, -1)) : bare;
}

const SCHEMES = ["http:", "https:", "mailto:", "tel:"];

/** The address if it may be followed from here, else an empty string. `home` completes a path. */
export function safeUrl(address, home = location.href) {
  try {
    const url = new URL(address, home);
    return SCHEMES.includes(url.protocol) ? url.href : "";
  } catch {
    return "";
  }
}

/** A link, or its words where the address may not be followed. Other sites open beside this one. */
export function linkTo(address, words, attributes = {}, home = undefined) {
  const href = safeUrl(address, home);
  if (!href) return h("span", {}, [].concat(words));
  const url = new URL(href);
  const away = url.protocol.startsWith("http") && url.origin !== location.origin;
  return h("a", { href, ...(away ? { target: "_blank", rel: "noopener" } : {}), "data-do": "follow", ...attributes }, [].concat(words));
}
