// Elements from plain descriptions, changed in place: what is the same stays, with its focus and selection.

const SVG = "http://www.w3.org/2000/svg";
const DESCRIBED = new WeakMap();

/** An element to be: a tag, attributes (false leaves one out), children (null leaves one out). */
export function h(tag, attributes = {}, children = []) {
  return { tag, attributes, children: children.filter((child) => child !== null && child !== undefined && child !== "") };
}

/** Make the parent's children what the descriptions say. */
export function patch(parent, children) {
  children.forEach((child, at) => patchOne(parent, parent.childNodes[at], child));
  while (parent.childNodes.length > children.length) parent.lastChild.remove();
}

function patchOne(parent, node, child) {
  if (typeof child === "string") return patchText(parent, node, child);
  const before = node && DESCRIBED.get(node);
  if (before === child) return node;
  if (before?.tag === child.tag && before.attributes.key === child.attributes.key) return update(node, before, child);
  const made = element(child);
  if (node) node.replaceWith(made);
  else parent.append(made);
  return made;
}

function patchText(parent, node, words) {
  if (node?.nodeType === Node.TEXT_NODE) {
    // Appending keeps what the visitor has selected.
    if (node.data === words) return node;
    if (words.startsWith(node.data)) node.appendData(words.slice(node.data.length));
    else node.data = words;
    return node;
  }
  const made = document.createTextNode(words);
  if (node) node.replaceWith(made);
  else parent.append(made);
  return made;
}

function element(child) {
  const isSvg = child.tag === "svg" || child.tag === "path";
  const made = isSvg ? document.createElementNS(SVG, child.tag) : document.createElement(child.tag);
  return update(made, { attributes: {} }, child);
}

function update(node, before, child) {
  for (const name of Object.keys(before.attributes)) if (!(name in child.attributes)) node.removeAttribute(name);
  for (const [name, value] of Object.entries(child.attributes)) {
    if (name === "key" || before.attributes[name] === value) continue;
    if (value === false) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : value);
  }
  DESCRIBED.set(node, child);
  patch(node, child.children);
  return node;
}

/** An element, made at once. */
export const make = (tag, attributes, children) => element(h(tag, attributes, children));

const PATHS = {
  send: "M12 19V5M5.5 11.5 12 5l6.5 6.5",
  stop: "M7 7h10v10H7z",
  close: "M6 6l12 12M18 6 6 18",
  anew: "M20 12a8 8 0 1 1-2.6-5.9M20 4v4.5h-4.5",
  save: "M12 4v11M7.5 11 12 15.5 16.5 11M5 20h14",
  copy: "M9 9h10v11H9zM5 15V4h10",
  quote: "M9 9h10v11H9zM5 15V4h10M12 13h4M12 16h4",
  down: "M12 5v14M5.5 12.5 12 19l6.5-6.5",
  rate: "M12 4l2.5 5.2 5.6.8-4 4 1 5.6-5.1-2.7-5.1 2.7 1-5.6-4-4 5.6-.8z",
  check: "M5 12.5l4.5 4.5L19 7.5",
};

export const icon = (name) => h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, [h("path", { d: PATHS[name] })]);
