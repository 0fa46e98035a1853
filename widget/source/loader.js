// The loader: a button, and everything else on the visitor's first intent.
(() => {
  const NAME = "magpie-chat";
  if (customElements.get(NAME)) return; // inserted twice, or run again by a page that swaps its body

  // Filled in when served: { version, panel: integrity hash, labels: { language: the button's words } }.
  const RELEASE = {} /* RELEASE */;
  const script = document.currentScript || document.querySelector('script[src*="/widget/"][src*="magpie.js"]');
  const base = script.src.slice(0, script.src.lastIndexOf("/widget/") + 1);
  const openKey = `magpie:open:${base}`;

  let configuring;
  const configure = (code) => (configuring ||= fetch(`${base}config?language=${code}`, { credentials: "omit" })
    .then((response) => (response.ok ? response.json() : Promise.reject(Error(`config: ${response.status}`))))
    .catch((error) => { configuring = undefined; throw error; }));

  const spoken = (wish) => (wish || "").toLowerCase().split("-")[0];
  const language = (element) => [element.closest("[lang]")?.lang, document.documentElement.lang, ...navigator.languages]
    .map(spoken).find((code) => code in RELEASE.labels) || "en";

  const remembersOpen = () => {
    try { return sessionStorage.getItem(openKey) === "1"; } catch {} // storage may be forbidden
  };

  /** Black or white, whichever reads better on the colour: the better one has at least 4.58 : 1. */
  const readable = (hex) => {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
  };

  const sheet = (text) => {
    const made = new CSSStyleSheet();
    made.replaceSync(text);
    return made;
  };

  // `!important` inside wins over the page's own, so that no rule of the page reaches the element.
  const above = "position:fixed!important;z-index:2147483647!important;";
  const PLACES = { inline: "position:relative!important;height:var(--magpie-height,600px)!important", full_page: `${above}inset:0!important` };
  const hostRule = (mode) => `:host{all:initial!important;display:block!important;${PLACES[mode] || above}}`;

  const buttonRules = ({ accent, position }) => `
:host>button{all:unset;box-sizing:border-box;position:fixed;bottom:max(20px,env(safe-area-inset-bottom));${position === "left" ? "left" : "right"}:20px;
display:flex;align-items:center;gap:9px;min-height:56px;padding:0 22px 0 18px;border-radius:28px;border:2px solid #fff;cursor:pointer;
font:600 16px/1.2 system-ui,sans-serif;background:${accent};color:${readable(accent)};box-shadow:0 3px 12px #0004;
&:focus-visible{outline:3px solid ${accent};outline-offset:3px;box-shadow:0 0 0 3px #fff}&[hidden]{display:none}
svg{width:24px;fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
@media(max-width:600px){padding:0;width:56px;justify-content:center;span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}}
@media(prefers-reduced-motion:no-preference){animation:in .25s}@media print{display:none}}
@keyframes in{from{opacity:0}}`;

  const given = (element, attributes) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const drawn = (tag, attributes) => given(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes);

  const button = (label) => {
    const made = document.createElement("button");
    const svg = drawn("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
    svg.append(drawn("path", { d: "M4 12a8 7.5 0 1 1 3.6 6.3L4 19.5l1-3.6A7 7 0 0 1 4 12zM9 10.5h6M9 13.5h4" }));
    const words = document.createElement("span");
    words.textContent = label;
    made.append(svg, words);
    return given(made, { "aria-haspopup": "dialog", "aria-expanded": "false" });
  };

  const panelFiles = async () => {
    const pinned = `${base}widget/${RELEASE.version}/panel.js`;
    // The browser checks the hash when it fetches; the import then takes what was checked.
    document.head.append(given(document.createElement("link"), { rel: "modulepreload", href: pinned, integrity: RELEASE.panel, crossorigin: "" }));
    try {
      return await import(pinned);
    } catch (error) {
      if (!script.src.startsWith(`${base}widget/magpie.js`)) throw error; // pinned stays pinned
      return import(`${base}widget/panel.js`); // a new version came out while the page was open
    }
  };

  let own, floating; // the element in use; the one that we made ourselves

  class MagpieChat extends HTMLElement {
    #shadow = this.attachShadow({ mode: "open" });
    #panel;
    #config;
    #gone;
    #returns = 0;

    #wear(rules) { this.#shadow.adoptedStyleSheets = [sheet(rules)]; }

    async connectedCallback() {
      if (this !== floating) {
        if (own !== this) own?.destroy(); // a place in the page is preferred to the floating button
        own = this;
        if (!this.#config) this.#wear(hostRule("inline"));
      }
      if (this.#config) return this.#panel?.then((panel) => panel.returned());
      try {
        await this.#settle();
      } catch {
        addEventListener("online", () => this.connectedCallback(), { once: true });
      }
    }

    disconnectedCallback() {
      // Frameworks that own the whole document sweep us away when they hydrate.
      if (this === floating && !this.#gone && this.#returns++ < 5) queueMicrotask(() => this.isConnected || document.documentElement.append(this));
    }

    async #settle() {
      const config = await configure(language(this));
      if (this.#config || this.#gone) return;
      const looks = config.looks;
      // Inline needs a place, and a place in the page is inline; a full page is one either way.
      const mode = looks.mode === "full_page" ? looks.mode : this !== floating ? "inline" : looks.mode.replace("inline", "bubble");
      this.#config = { ...config, mode };
      this.#wear(hostRule(mode));
      if (mode in PLACES) return void this.#with((panel) => panel.open({ quietly: true }));
      this.#wear(hostRule(mode) + buttonRules(looks));
      this.launcher = button(RELEASE.labels[language(this)].replace("{name}", config.persona.name));
      for (const intent of ["pointerenter", "focus"]) this.launcher.addEventListener(intent, () => this.#load().catch(() => {}), { once: true });
      this.launcher.addEventListener("click", () => this.open());
      this.#shadow.append(this.launcher);
      if (remembersOpen()) this.#with((panel) => panel.open({ quietly: true }));
    }

    #load() {
      return (this.#panel ||= (async () => {
        if (!this.#config) await this.#settle();
        const { start } = await panelFiles();
        return start({ element: this, shadow: this.#shadow, config: this.#config, base, language: language(this), version: RELEASE.version, openKey, launcher: this.launcher, sheet });
      })().catch((error) => {
        this.#panel = undefined;
        this.dispatchEvent(new CustomEvent("magpie:error", { bubbles: true, detail: { code: "not_loaded" } }));
        throw error;
      }));
    }

    async #with(work) {
      this.launcher?.setAttribute("aria-busy", "true");
      try {
        return await work(await this.#load());
      } catch (error) {
        console.warn("magpie:", error.message);
      } finally {
        this.launcher?.removeAttribute("aria-busy");
      }
    }

    // --- For the page's own code; each waits until the panel is there -----------------------

    ask(question) { return this.#with((panel) => (panel.open(), panel.ask(question))); }
    static {
      for (const name of ["open", "close", "clear", "identify", "consent"]) {
        this.prototype[name] = function (...values) { return this.#with((panel) => panel[name](...values)); };
      }
    }

    destroy() {
      this.#gone = true;
      this.#panel?.then((panel) => panel.destroy());
      this.remove();
    }
  }
  customElements.define(NAME, MagpieChat);

  const place = () => {
    if (own || document.querySelector(NAME)) return;
    floating = own = document.createElement(NAME);
    document.documentElement.append(own); // beside the body, which some pages swap as a whole
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", place);
  else place();
})();
