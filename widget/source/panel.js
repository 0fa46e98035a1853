// The panel: what the visitor sees and does. One for each element, made on first intent.

import { Conversation } from "./conversation.js";
import { Memory } from "./memory.js";
import { RULES } from "./styles.js";
import { cardView, contactOf, directionOf, plainText, ratingBody, ratingFrom, turnView } from "./view.js";
import { colourRules } from "./colours.js";
import { h, icon, make, patch } from "./render.js";
import { inline } from "./text.js";
import { posted } from "./stream.js";

const PROTOCOL = 1;
const LANGUAGES = {} /* LANGUAGES */; // filled in when served: { language: integrity hash }
// What a config of an older server leaves out.
const LOOKS = { accent: "#1f5f8b", position: "right", mode: "bubble", theme: "auto", memory: "session", consent: "none", starters: [], starters_by_page: {} };
const SMALL = "(max-width: 600px), (max-height: 500px)";
const DRAWN_EVERY_MS = 40;
const NEAR = 12; // pixels between the top of the view and the question that is answered

/** Everything ready to be opened. `about` comes from the loader. */
export async function start(about) {
  const words = await wordsIn(about);
  const t = (key, values = {}) => (words[key] || key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
  return new Panel(about, t);
}

async function wordsIn({ base, version, language }) {
  const pinned = `${base}widget/${version}/languages/${language}.json`;
  const options = { credentials: "omit", integrity: LANGUAGES[language] };
  const response = await fetch(pinned, options).catch(() => null);
  const found = response?.ok ? response : await fetch(`${base}widget/languages/${language}.json`, { credentials: "omit" });
  return found.json();
}

class Panel {
  constructor(about, t) {
    Object.assign(this, about, { t, isOpen: false, isFollowing: true, lastTop: 0, views: new Map(), rating: "", copied: "", home: about.config.site.url, life: new AbortController() });
    const { config, base } = this;
    config.looks = { ...LOOKS, ...config.looks };
    const consented = config.looks.consent === "none";
    this.memory = new Memory(config.looks.memory, base, config.limits?.kept || 50);
    if (!consented && !this.memory.value.consented) this.withhold();
    this.talk = new Conversation({ base, memory: this.memory, changed: (turn) => this.changed(turn), emit: (name, detail) => this.emit(name, detail) });
    this.talk.isSse = config.stream === "sse";
    this.small = matchMedia(SMALL);
    this.build();
    this.listen();
    this.draw();
    this.memory.onChange(() => this.adopt(), this.life.signal);
    if (!this.mustConsent && this.isUsable) this.talk.resume();
    this.emit("ready", { version: this.version });
  }

  get isDialog() { return !["inline", "full_page"].includes(this.config.mode); }
  get isUsable() { return (this.config.protocol || 1) <= PROTOCOL; }
  get isModal() { return this.isDialog && this.small.matches; }

  emit(name, detail = {}) {
    return this.element.dispatchEvent(new CustomEvent(`magpie:${name}`, { bubbles: true, composed: true, cancelable: name === "link", detail }));
  }

  // --- Building -------------------------------------------------------------------------------

  build() {
    const { t, config, language } = this;
    const looks = config.looks;
    const name = config.persona.name;
    this.placing = this.sheet(":host{}");
    this.shadow.adoptedStyleSheets.push(this.sheet(RULES), this.sheet(colourRules(looks.accent)), this.placing);
    const tool = (action, which, label) => h("button", { type: "button", class: "icon", "data-do": action, title: label, "aria-label": label }, [icon(which)]);
    const theme = ["light", "dark"].includes(looks.theme) ? looks.theme : "auto";
    const side = looks.position === "left" ? "left" : "right";
    this.root = make(this.isDialog ? "dialog" : "section", { class: `panel ${config.mode} ${side} ${theme}`, "aria-labelledby": "title", lang: language, dir: directionOf(language) }, [
      h("header", {}, [
        h("span", { class: "face", "aria-hidden": "true" }, [Array.from(name)[0] || "?"]),
        h("div", { class: "who" }, [h("h2", { id: "title", tabindex: "-1" }, [name]), h("p", {}, [config.site.name])]),
        tool("forget", "anew", t("clear")),
        tool("download", "save", t("download")),
        ...(this.isDialog ? [tool("close", "close", t("close"))] : []),
      ]),
      h("div", { class: "log", role: "log", "aria-live": "off", "aria-label": t("log"), tabindex: "0" }, [h("div", { class: "welcome" }), h("ol", { class: "turns" })]),
      h("div", { class: "asking", role: "group", "aria-labelledby": "forget-words", hidden: true }, [
        h("p", { id: "forget-words" }, [t("forget_ask")]),
        h("div", { class: "ways" }, [
          h("button", { type: "button", class: "way main", "data-do": "clear" }, [t("forget")]),
          h("button", { type: "button", class: "way", "data-do": "keep" }, [t("keep")]),
        ]),
      ]),
      h("div", { class: "below" }, [
        h("button", { type: "button", class: "jump", "data-do": "newest", "aria-label": t("newest"), title: t("newest"), hidden: true }, [icon("down")]),
        h("form", { "data-form": "ask", autocomplete: "off" }, [
          h("div", { class: "field" }, [
            h("label", { class: "unseen", for: "question" }, [t("question")]),
            h("textarea", { id: "question", rows: "1", maxlength: String(config.limits?.message_chars || 8000), placeholder: t("placeholder"), enterkeyhint: "send", dir: "auto", "aria-describedby": "fine" }),
            h("button", { type: "submit", class: "send", "data-role": "send" }, [icon("send")]),
          ]),
        ]),
        h("p", { class: "room" }),
        h("p", { class: "fine", id: "fine", dir: "auto" }, this.fineWords()),
      ]),
      h("div", { class: "unseen", role: "status", "aria-live": "polite" }),
      h("div", { class: "card", id: "card", role: "tooltip", hidden: true }),
    ]);
    const find = (selector) => this.root.querySelector(selector);
    Object.assign(this, { log: find(".log"), welcome: find(".welcome"), list: find(".turns"), forgetting: find(".asking"), field: find("textarea"), send: find(".send"), jump: find(".jump"), room: find(".room"), status: find("[role=status]"), card: find(".card"), title: find("h2") });
    this.field.value = this.memory.value.draft;
    this.shadow.append(this.root);
  }

  fineWords() {
    const { persona, writer } = this.config;
    const own = writer === "extractive" ? this.t("quotes") : "";
    return inline([persona.disclosure, own].filter(Boolean).join(" "));
  }

  listen() {
    const options = { signal: this.life.signal };
    const { root, log, field, card } = this;
    root.addEventListener("click", (event) => this.clicked(event), options);
    root.addEventListener("submit", (event) => this.submitted(event), options);
    root.addEventListener("keydown", (event) => this.pressed(event), options);
    root.addEventListener("cancel", (event) => { event.preventDefault(); this.escape(); }, options);
    log.addEventListener("scroll", () => this.scrolled(), { ...options, passive: true });
    for (const name of ["pointerover", "focusin"]) root.addEventListener(name, (event) => this.pointed(event), options);
    for (const name of ["pointerout", "focusout"]) root.addEventListener(name, (event) => this.pointedAway(event), options);
    field.addEventListener("input", () => this.typed(), options);
    card.addEventListener("pointerenter", () => clearTimeout(this.hiding), options);
    addEventListener("pagehide", () => this.keep(), options);
    this.small.addEventListener("change", () => this.resized(), options);
    visualViewport?.addEventListener("resize", () => this.place(), options);
    visualViewport?.addEventListener("scroll", () => this.place(), options);
  }

  // --- Drawing --------------------------------------------------------------------------------

  changed(turn) {
    if (turn) this.views.delete(turn.id);
    this.announce(turn);
    // Words may come faster than they can be drawn, or read.
    this.drawing ||= setTimeout(() => requestAnimationFrame(() => this.draw()), DRAWN_EVERY_MS);
  }

  draw() {
    clearTimeout(this.drawing);
    this.drawing = 0;
    const turns = this.talk.turns;
    patch(this.welcome, this.welcomeView());
    patch(this.list, turns.map((turn) => this.viewOf(turn)));
    const busy = this.talk.isBusy;
    if (this.send.dataset.busy !== String(busy)) {
      this.send.dataset.busy = String(busy);
      this.send.setAttribute("aria-label", this.t(busy ? "stop" : "send"));
      this.send.title = this.t(busy ? "stop" : "send");
      patch(this.send, [icon(busy ? "stop" : "send")]);
    }
    this.send.setAttribute("aria-disabled", String(!busy && !this.field.value.trim()));
    this.field.disabled = this.mustConsent || !this.isUsable;
    for (const action of ["forget", "download"]) this.root.querySelector(`[data-do=${action}]`).hidden = !turns.length;
    this.follow();
    this.tick();
  }

  viewOf(turn) {
    const isLast = turn === this.talk.last;
    const known = this.views.get(turn.id);
    if (known && known.isLast === isLast) return known.view;
    const view = turnView(turn, { t: this.t, persona: this.config.persona.name, config: this.config, home: this.home, hasToken: Boolean(this.talk.token), now: Date.now(), isLast, rating: this.rating, ratingFailed: this.ratingFailed, copied: this.copied });
    this.views.set(turn.id, { view, isLast });
    return view;
  }

  redraw() {
    this.views.clear();
    this.draw();
  }

  welcomeView() {
    const { t, config } = this;
    const greeting = config.persona.greeting || t("greeting", { name: config.persona.name, site: config.site.name });
    if (!this.isUsable) return [h("p", { class: "greeting" }, [t("outdated_widget")]), h("div", { class: "ways" }, contactOf(config, this.home))];
    const offered = this.mustConsent ? this.consentView() : this.talk.turns.length ? [] : this.starterViews();
    return [h("p", { class: "greeting", dir: "auto" }, inline(greeting)), ...offered];
  }

  consentView() {
    const isOurs = this.config.looks.consent === "ask";
    const agree = h("button", { type: "button", class: "way main", "data-do": "agree" }, [this.t("agree")]);
    return [h("p", { class: "about" }, [this.t(isOurs ? "consent" : "consent_page")]), ...(isOurs ? [h("div", { class: "ways" }, [agree])] : [])];
  }

  starterViews() {
    const starters = startersFor(this.config.looks, location.pathname);
    if (!starters.length) return [];
    return [h("ul", { class: "starters", "aria-label": this.t("starters") }, starters.map((words) => h("li", { dir: "auto" }, [h("button", { type: "button", "data-do": "starter" }, [words])])))];
  }

  /** Counts down while something has to be waited for. */
  tick() {
    clearTimeout(this.ticking);
    const waiting = this.talk.turns.filter((turn) => turn.trouble?.until);
    for (const turn of waiting) {
      this.views.delete(turn.id);
      if (turn.trouble.until > Date.now()) continue;
      turn.trouble.until = 0;
      if (turn.state === "failed") this.say(this.t("ready"));
    }
    if (waiting.length) this.ticking = setTimeout(() => this.draw(), 1000 - (Date.now() % 1000) || 1000);
  }

  // --- Saying: one polite voice, that never repeats what grows --------------------------------

  say(words) {
    this.status.textContent = words;
  }

  announce(turn) {
    if (!turn || turn !== this.talk.last) return;
    const stage = turn.state === "asking" ? turn.status || "sent" : turn.state;
    if (this.said === `${turn.id}:${stage}`) return;
    this.said = `${turn.id}:${stage}`;
    if (stage === "done") this.say(`${this.config.persona.name}: ${plainText(turn, this.t, false)}`);
    else if (["searching", "waking", "again", "stopped"].includes(stage)) this.say(this.t(stage));
  }

  // --- Following ------------------------------------------------------------------------------

  /** The newest words stay in view, but never by pushing the question they answer out of it. */
  follow() {
    const { log } = this;
    const most = log.scrollHeight - log.clientHeight;
    const turn = this.list.lastElementChild;
    if (this.isFollowing && turn) {
      const top = log.scrollTop + this.startOf(turn) - log.getBoundingClientRect().top - NEAR;
      const target = Math.min(most, Math.max(0, top));
      if (target > log.scrollTop) log.scrollTop = target;
    }
    this.lastTop = log.scrollTop;
    this.jump.hidden = most - log.scrollTop < 60;
  }

  /** Where reading begins: at the question, or at its last lines where it fills the view by itself. */
  startOf(turn) {
    const said = turn.firstElementChild.getBoundingClientRect();
    const seen = this.log.clientHeight / 3;
    return said.height > seen ? said.bottom - seen : said.top;
  }

  scrolled() {
    const { log } = this;
    const most = log.scrollHeight - log.clientHeight;
    if (log.scrollTop < this.lastTop - 1 && log.scrollTop < most - 1) this.isFollowing = false;
    else if (log.scrollTop >= most - 1) this.isFollowing = true;
    this.lastTop = log.scrollTop;
    this.jump.hidden = most - log.scrollTop < 60;
    this.hideCard();
  }

  // --- Opening and closing --------------------------------------------------------------------

  open({ quietly = false } = {}) {
    if (!this.isOpen) this.show(quietly);
    if (!quietly && this.isDialog) (this.isModal || this.field.disabled ? this.title : this.field).focus();
  }

  show(quietly) {
    this.before = this.shadow.activeElement || document.activeElement;
    this.isOpen = true;
    this.root.classList.toggle("still", quietly);
    this.appear();
    this.launcher?.setAttribute("aria-expanded", "true");
    if (this.launcher) this.launcher.hidden = true;
    if (this.isDialog && !this.mustConsent) this.memory.setOpen(this.openKey, true);
    this.draw();
    this.log.scrollTop = this.log.scrollHeight;
    this.follow();
    if (this.mustConsent) this.emit("consent");
    this.emit("open");
  }

  appear() {
    if (!this.isDialog) return;
    this.place();
    // `show()` would take the focus, and the page keeps it until the visitor comes here.
    if (this.isModal) this.root.showModal();
    else this.root.setAttribute("open", "");
  }

  close() {
    if (!this.isDialog || !this.isOpen) return;
    const hadFocus = Boolean(this.shadow.activeElement);
    this.isOpen = false;
    this.hideCard();
    this.vanish();
    this.memory.setOpen(this.openKey, false);
    this.launcher.hidden = false;
    this.launcher.setAttribute("aria-expanded", "false");
    if (hadFocus) (this.before?.isConnected && this.before !== document.body && this.before !== this.element ? this.before : this.launcher).focus();
    this.emit("close");
  }

  vanish() {
    if (this.root.matches(":modal")) this.root.close();
    this.root.removeAttribute("open");
  }

  /** A phone turned, a window made small: modal or not may change while it is open. */
  resized() {
    if (!this.isOpen || !this.isDialog) return;
    const focused = this.shadow.activeElement;
    const top = this.log.scrollTop;
    this.vanish();
    this.appear();
    this.log.scrollTop = top;
    focused?.focus();
  }

  /** A virtual keyboard takes from the view; the panel keeps to what is left. */
  place() {
    const view = visualViewport;
    if (view && view.scale <= 1.01) this.placeBy({ "--top": `${view.offsetTop}px`, "--height": `${view.height}px` });
    if (this.isOpen) this.follow();
  }

  placeBy(properties) {
    const { style } = this.placing.cssRules[0];
    for (const [name, value] of Object.entries(properties)) style.setProperty(name, value);
  }

  returned() {
    if (this.isOpen) this.redraw();
  }

  // --- What the visitor does ------------------------------------------------------------------

  clicked(event) {
    const doer = event.target.closest("[data-do]");
    if (!doer) return;
    const turn = this.turnOf(doer);
    const does = {
      agree: () => this.consent(true),
      again: () => this.again(turn),
      clear: () => this.clear(),
      close: () => this.close(),
      copy: () => this.copy(turn, "copy"),
      "copy-sources": () => this.copy(turn, "copy-sources"),
      download: () => this.download(),
      follow: () => this.followLink(event, doer),
      forget: () => this.askToForget(),
      keep: () => this.dontForget(),
      newest: () => { this.isFollowing = true; this.log.scrollTop = this.log.scrollHeight; this.field.focus(); },
      quote: () => this.toggleCard(doer),
      rate: () => this.rate(turn),
      starter: () => this.ask(doer.textContent),
    };
    does[doer.dataset.do]?.();
  }

  turnOf(node) {
    const id = node.closest("[data-turn]")?.dataset.turn;
    return this.talk.turns.find((turn) => turn.id === id);
  }

  submitted(event) {
    event.preventDefault();
    const { form } = event.target.dataset;
    if (form === "rating") return this.sendRating(event.target);
    if (this.talk.isBusy) return this.talk.stop();
    this.ask(this.field.value);
  }

  pressed(event) {
    // While a word is being composed, Enter and Escape belong to the input method.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      event.preventDefault();
      this.escape();
    } else if (event.key === "Enter" && !event.shiftKey && event.target === this.field) {
      event.preventDefault();
      if (!this.talk.isBusy) this.ask(this.field.value);
    }
  }

  escape() {
    if (!this.card.hidden) this.hideCard();
    else if (!this.forgetting.hidden) this.dontForget();
    else this.close();
  }

  typed() {
    const left = this.field.maxLength - this.field.value.length;
    this.room.textContent = left < 500 ? this.t("left", { left }) : "";
    this.send.setAttribute("aria-disabled", String(!this.talk.isBusy && !this.field.value.trim()));
    clearTimeout(this.drafting);
    this.drafting = setTimeout(() => this.keep(), 400);
  }

  keep() {
    this.memory.value.draft = this.field.value;
    this.memory.save();
  }

  ask(question) {
    if (this.mustConsent || !this.isUsable) return false;
    this.isFollowing = true;
    this.rating = "";
    if (!this.talk.ask(String(question))) return false;
    this.field.value = "";
    this.typed();
    this.draw();
    if (this.isOpen && this.isDialog && !this.isModal) this.field.focus();
    return true;
  }

  again(turn) {
    if (!turn) return;
    if (turn.trouble?.retry === "edit") {
      this.field.value = turn.question;
      this.typed();
      this.field.focus();
      return;
    }
    if (!this.talk.now(turn)) this.talk.again(turn);
    this.field.focus();
  }

  identify(token) { this.talk.token = token; }

  followLink(event, link) {
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!this.emit("link", { url: link.href })) event.preventDefault();
    else if (isPlain && !link.target && this.isModal) this.memory.setOpen(this.openKey, false); // the page it leads to should be seen
  }

  // --- Consent --------------------------------------------------------------------------------

  /** Nothing is kept and nothing asked before the visitor, or the page for them, agrees. */
  withhold() {
    this.mustConsent = true;
    this.withheld = this.memory;
    this.memory = new Memory("none", this.base, this.config.limits?.kept || 50);
  }

  consent(given) {
    if (!given) return void (this.mustConsent || this.refuse());
    if (!this.mustConsent) return;
    this.mustConsent = false;
    this.memory = this.talk.memory = this.withheld;
    this.memory.value.consented = true;
    this.memory.save();
    if (this.isOpen) this.memory.setOpen(this.openKey, true);
    this.redraw();
    this.field.focus();
  }

  refuse() {
    this.clear();
    this.memory.value.consented = false;
    this.memory.save();
    if (this.config.looks.consent === "none") return;
    this.withhold();
    this.talk.memory = this.memory;
    this.redraw();
  }

  // --- Quotes of citations --------------------------------------------------------------------

  pointed(event) {
    const quoter = event.target.closest?.("[data-do=quote]");
    if (event.target.closest?.(".card")) return clearTimeout(this.hiding);
    if (!quoter || event.pointerType === "touch") return;
    this.showCard(quoter);
  }

  pointedAway(event) {
    if (this.card.hidden || !event.target.closest?.("[data-do=quote],.card")) return;
    const to = event.relatedTarget;
    if (to && (this.card.contains(to) || to === this.quoter)) return;
    clearTimeout(this.hiding);
    this.hiding = setTimeout(() => this.hideCard(), 250); // time for the pointer to reach it
  }

  toggleCard(quoter) {
    if (this.pinned === quoter) return this.hideCard();
    this.showCard(quoter);
    this.pinned = quoter;
  }

  showCard(quoter) {
    clearTimeout(this.hiding);
    const turn = this.turnOf(quoter);
    const citation = turn?.citations.find(({ number }) => String(number) === quoter.dataset.number);
    if (!citation) return;
    if (this.quoter !== quoter) this.hideCard();
    patch(this.card, cardView(citation, { home: this.home }));
    this.card.lang = turn.language;
    this.card.hidden = false;
    this.quoter = quoter;
    quoter.setAttribute("aria-expanded", "true");
    quoter.setAttribute("aria-describedby", "card");
    this.placeCard(quoter.getBoundingClientRect(), this.root.getBoundingClientRect());
  }

  placeCard(mark, panel) {
    const isLow = mark.top - panel.top > panel.height / 2;
    this.placeBy(isLow
      ? { "--under": "auto", "--over": `${panel.bottom - mark.top + 4}px` }
      : { "--under": `${mark.bottom - panel.top + 4}px`, "--over": "auto" });
  }

  hideCard() {
    clearTimeout(this.hiding);
    this.card.hidden = true;
    this.quoter?.setAttribute("aria-expanded", "false");
    this.quoter?.removeAttribute("aria-describedby");
    this.quoter = this.pinned = null;
  }

  // --- Taking it along, leaving it behind -----------------------------------------------------

  async copy(turn, what) {
    const isCopied = await copied(plainText(turn, this.t, what === "copy-sources"), this.root);
    if (!isCopied) return;
    this.copied = `${turn.id}:${what}`;
    this.say(this.t("copied"));
    this.redraw();
    setTimeout(() => { this.copied = ""; this.redraw(); }, 2000);
  }

  download() {
    const { t, config } = this;
    const you = t("you");
    const parts = this.talk.turns.map((turn) => `${you} (${new Date(turn.at).toLocaleString(this.language)}):\n${turn.question}\n\n${config.persona.name}:\n${plainText(turn, t, true)}`);
    const text = [`${t("log")}: ${config.persona.name}, ${config.site.name}`, ...parts].join("\n\n---\n\n");
    const href = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
    const link = make("a", { href, download: `${config.site.key}-${new Date().toISOString().slice(0, 10)}.txt`, hidden: true });
    this.root.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  }

  askToForget() {
    this.forgetting.hidden = false;
    this.forgetting.querySelector("[data-do=keep]").focus();
  }

  dontForget() {
    this.forgetting.hidden = true;
    this.field.focus();
  }

  clear() {
    this.talk.clear();
    this.field.value = "";
    this.forgetting.hidden = true;
    this.said = "";
    this.say(this.t("forgotten"));
    this.typed();
    this.redraw();
    if (this.shadow.activeElement || this.isOpen) this.field.focus();
    this.emit("clear");
  }

  /** Another tab has written to the shared memory. */
  adopt() {
    if (this.memory.adopt()) this.redraw();
  }

  // --- Rating ---------------------------------------------------------------------------------

  rate(turn) {
    this.rating = this.rating === turn.id ? "" : turn.id;
    this.ratingFailed = false;
    this.redraw();
    const form = this.list.querySelector("form");
    if (this.rating) form.querySelector("input").focus();
    else this.list.querySelector(`[data-turn="${turn.id}"] [data-do=rate]`)?.focus();
    form?.scrollIntoView({ block: "nearest" });
  }

  async sendRating(form) {
    const turn = this.turnOf(form);
    const rated = ratingFrom(form, turn);
    this.ratingFailed = !(await posted(`${this.base}feedback`, { ...ratingBody(turn, rated), ticket: this.memory.value.ticket, questions: this.memory.value.turns.slice(-11).map(({ question }) => [...question].slice(0, 2000).join("")) }));
    if (!this.ratingFailed) {
      turn.rated = rated;
      this.rating = "";
      this.memory.save();
      this.emit("feedback", { answer_id: turn.answerId, usefulness: rated.usefulness, used: rated.used });
    }
    this.say(this.t(this.ratingFailed ? "rating_failed" : "thanks"));
    this.redraw();
    this.field.focus();
  }

  destroy() {
    clearTimeout(this.ticking);
    this.talk.stop();
    this.keep();
    this.life.abort();
    this.root.remove();
  }
}

/** The starters of the first page pattern that fits (`*` is anything), else the site's. */
function startersFor(looks, path) {
  const fits = (pattern) => new RegExp(`^${pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join(".*")}$`).test(path);
  const own = Object.entries(looks.starters_by_page).find(([pattern]) => fits(pattern));
  return (own ? own[1] : looks.starters).map(String);
}

async function copied(text, root) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedOldWay(text, root); // pages without https have no clipboard
  }
}

function copiedOldWay(text, root) {
  const holder = make("textarea", { class: "unseen", "aria-hidden": "true", tabindex: "-1" });
  const focused = root.getRootNode().activeElement;
  holder.value = text;
  root.append(holder);
  holder.select();
  const done = document.execCommand("copy");
  holder.remove();
  focused?.focus();
  return done;
}
