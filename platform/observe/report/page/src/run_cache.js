// SPDX-License-Identifier: Apache-2.0
// The tokens that the cache kept, and the text with its evictions.
import { chart, showIn } from "./charts.js";
import { choice, h, note, section } from "./dom.js";
import { escaped, percent } from "./format.js";

const columns = 256; // maximum number of columns of the map

/** Cells of a map: [column, row, share of the column's tokens that were still in the head's cache at the end]. */
function cells(sequence, width) {
  const rows = sequence.gone.flat(), data = [];
  rows.forEach((positions, row) => {
    for (let begin = 0, column = 0; begin < positions.length; begin += width, ++column) {
      const part = positions.slice(begin, begin + width);
      data.push([column, row, part.filter((gone) => gone < 0).length / part.length]);
    }
  });
  return data;
}

function mapOf(sequence) {
  const heads = sequence.gone[0].length, tokens = sequence.gone[0][0].length, width = Math.ceil(tokens / columns);
  const rows = sequence.gone.flatMap((layer, l) => layer.map((_, head) => `layer ${l}, head ${head}`));
  const names = Array.from({ length: Math.ceil(tokens / width) }, (_, column) => String(column * width));
  return chart("Tokens that the cache had at the end, by layer and head", Math.max(180, 110 + 9 * rows.length), (theme) => ({
    grid: { left: 8, right: 16, top: 40, bottom: 40, containLabel: true }, legend: null,
    tooltip: { formatter: (item) => `${escaped(rows[item.value[1]])}<br>tokens ${names[item.value[0]]}${width > 1 ? ` to ${Math.min(tokens, item.value[0] * width + width) - 1}` : ""}: ${percent(item.value[2])} kept` },
    xAxis: { type: "category", data: names, name: "token", nameLocation: "middle", nameGap: 26, splitLine: { show: false } },
    yAxis: { type: "category", data: rows, inverse: true, splitLine: { show: false }, axisLabel: { interval: heads - 1, formatter: (name) => name.split(",")[0] } },
    visualMap: { min: 0, max: 1, calculable: false, orient: "horizontal", right: 0, top: 0, itemHeight: 90, itemWidth: 12, text: ["kept", "evicted"],
      inRange: { color: theme === "dark" ? ["#262d37", "#7fb2ff"] : ["#eef1f5", "#1f5fb8"] } },
    series: [{ type: "heatmap", data: cells(sequence, width), progressive: 0 }],
  }), "canvas");
}

export function cachePart(kept) {
  if (!kept) return null;
  if (!kept.sequences?.length) return kept.reason ? section("Tokens kept", h("p", { class: "soft" }, kept.reason)) : null;
  const place = h("div");
  const show = (index) => {
    place.replaceChildren(mapOf(kept.sequences[index]));
    if (place.isConnected) showIn(place);
  };
  show(0);
  return section("Tokens kept", h("p", { class: "soft" }, `Tokens of the sequence that each head's cache, with room for ${kept.budget} tokens, held at the end. `
    + "The columns are positions in the sequence, from the first token of the prompt."),
  note("Incomplete", kept.reason ? [kept.reason] : []),
  kept.sequences.length > 1 ? choice("Sequence", kept.sequences.map((one) => String(one.index)), show) : null, place);
}

/** For each token, the share of heads that still had it at the end, and its mean time of eviction;
 * null if no head evicted it. */
function fates(sequence) {
  const heads = sequence.gone.flat();
  return heads[0].map((_, token) => {
    const left = heads.map((positions) => positions[token]).filter((gone) => gone >= 0);
    return { kept: 1 - left.length / heads.length, left: left.length ? left.reduce((a, b) => a + b, 0) / left.length : null };
  });
}

function told(text, kept) {
  const fate = kept ? fates(kept) : null;
  return h("div", { class: "told", tabindex: "0", role: "region", "aria-label": "The text" }, text.pieces.map((piece, token) => {
    const own = fate?.[token];
    const title = own ? `token ${token}: ${percent(own.kept)} of all heads had it at the end${own.left === null ? "" : `; it was evicted on average when token ${Math.round(own.left)} arrived`}` : null;
    return h("span", { class: token >= text.prompt ? "token made" : "token", title,
      style: own ? `border-bottom-color:color-mix(in srgb, var(--bad-line) ${Math.round(100 * (1 - own.kept))}%, transparent)` : null }, piece);
  }));
}

export function textPart(results, text, kept) {
  if (!text?.sequences?.length)
    return results.text ? section("Output", h("pre", {}, results.text)) : null;
  const ofIndex = (index) => kept?.sequences?.find((one) => one.index === index);
  const place = h("div");
  const show = (number) => place.replaceChildren(told(text.sequences[number], ofIndex(text.sequences[number].index)));
  show(0);
  const marked = kept?.sequences?.length;
  return section("Text", h("p", { class: "soft" }, "Generated text is bold. "
    + (marked ? "The redder the line under a token, the more heads had evicted it by the end." : "")),
  note("Incomplete", text.reason ? [text.reason] : []),
  text.sequences.length > 1 ? choice("Sequence", text.sequences.map((one) => String(one.index)), show) : null, place);
}
