// SPDX-License-Identifier: Apache-2.0
// Numbers as text.

const prefixes = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"],
  [1e-12, "p"], [1e-15, "f"], [1e-18, "a"]];

/** The value with at most four significant digits and an SI prefix: si(1234, "B") is "1.234 kB". */
export function si(value, unit = "") {
  if (typeof value !== "number" || !Number.isFinite(value)) return "";
  if (value === 0) return unit ? `0 ${unit}` : "0";
  const size = Math.abs(value);
  const most = unit === "s" ? 1 : Infinity; // no kiloseconds
  const [scale, prefix] = prefixes.find(([s]) => s <= most && size >= s * 0.99995) ?? prefixes[prefixes.length - 1];
  const number = Number((value / scale).toPrecision(4)).toString();
  return (`${number} ${prefix}${unit}`).trimEnd();
}

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** " (3.1 J to 3.6 J)" for a figure with uncertain prices, otherwise nothing. */
export function interval(metrics, name, unit) {
  const low = metrics[`${name}.low`], high = metrics[`${name}.high`];
  return low === undefined || high === undefined ? "" : ` (${si(low, unit)} to ${si(high, unit)})`;
}

/** A name as HTML. Names come from the user, and the formatter of a tooltip returns HTML. */
export const escaped = (text) => String(text ?? "").replace(/[&<>"']/g, (character) => entities[character]);

/** A fraction (1 is all) as a percentage. */
export function percent(share) {
  if (!Number.isFinite(share)) return "";
  const value = 100 * share, size = Math.abs(value);
  if (size > 0 && size < 0.001) return value > 0 ? "< 0.001 %" : "> -0.001 %";
  return `${size >= 99.95 || size === 0 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toPrecision(2)} %`;
}

/** The number with four significant digits and without a prefix. */
export function plain(value) {
  if (typeof value !== "number") return value === null || value === undefined ? "" : String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en").replace(/,/g, " ");
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e6 ? Number(value.toPrecision(4)).toString() : value.toExponential(3);
}

/** Whether a metric's values all look the same in plain(). The page then neither ranks them nor
 * fits an axis to them. */
export const alike = (values) => new Set(values.filter((value) => typeof value === "number").map(plain)).size < 2;

// The first match counts, so rates must come before times.
const units = [[/bytes_per_s$/, "B/s"], [/macs_per_s$/, "MAC/s"], [/tokens_per_s$/, "tokens/s"], [/_per_s$/, ""], [/_j$/, "J"],
  [/(^|[._])seconds$|_s$|\.interval_s\.|\.valid_row_seconds\./, "s"], [/_w$/, "W"], [/(^|[._])bytes(_per_token)?$/, "B"], [/_mm2$/, "mm²"]];

/** Whether a metric is a sampling error. All sampling errors are fractions, without a unit. */
const isRelativeError = (metric) => metric.startsWith("sampling.error.");

/** The unit that a metric's name implies, or "". */
export function unitOf(metric) {
  if (isRelativeError(metric)) return "";
  const found = units.find(([pattern]) => pattern.test(metric));
  return found ? found[1] : "";
}

/** A metric's value with the unit that its name implies. */
export function metricText(metric, value) {
  if (typeof value !== "number") return String(value ?? "");
  if (isRelativeError(metric)) return percent(value);
  const unit = unitOf(metric);
  return unit && unit !== "mm²" ? si(value, unit) : unit ? `${plain(value)} ${unit}` : plain(value);
}
