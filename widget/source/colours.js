// Colours that can be read, whatever accent the owner chose.

const SURFACES = { light: "#ffffff", dark: "#191b1e" };
const READABLE = 4.5; // WCAG 1.4.3, words
const VISIBLE = 3; // WCAG 1.4.11, the shapes of controls

const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const hexOf = (parts) => `#${parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
const mixed = (one, other, share) => hexOf(channels(one).map((part, at) => part * (1 - share) + channels(other)[at] * share));

function luminance(hex) {
  const [r, g, b] = channels(hex).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The colour, moved towards an end until it stands out enough from every ground. */
function standingOut(colour, grounds, ratio, end) {
  for (let step = 0; step <= 20; step += 1) {
    const moved = mixed(colour, end, step / 20);
    if (grounds.every((ground) => contrast(moved, ground) >= ratio)) return moved;
  }
  return end;
}

/** One theme's colours from the accent: fill and words on it, tint, and accent as ink. */
export function palette(accent, theme) {
  const surface = SURFACES[theme];
  const end = theme === "light" ? "#000000" : "#ffffff";
  const fill = standingOut(accent, [surface], VISIBLE, end);
  const tint = mixed(surface, accent, theme === "light" ? 0.08 : 0.2);
  const onFill = contrast(fill, "#ffffff") >= contrast(fill, "#000000") ? "#ffffff" : "#000000";
  return { surface, fill, onFill, tint, ink: standingOut(accent, [surface, tint], READABLE, end) };
}

/** The palettes as custom properties. The accent was checked to be a hex colour. */
export function colourRules(accent) {
  const light = palette(accent, "light");
  const dark = palette(accent, "dark");
  const both = (name) => `light-dark(${light[name]},${dark[name]})`;
  return `.panel{--surface:${both("surface")};--fill:${both("fill")};--on-fill:${both("onFill")};--tint:${both("tint")};--accent-ink:${both("ink")}}`;
}
