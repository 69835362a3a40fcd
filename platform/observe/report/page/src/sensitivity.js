// SPDX-License-Identifier: Apache-2.0
// Computes the part of a figure's variance that one axis explains.

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
const squares = (values, center) => values.reduce((sum, value) => sum + (value - center) ** 2, 0);

/** Ranks from 0. Equal values have the same rank. */
export function ranks(values) {
  const order = values.map((value, i) => [value, i]).sort((a, b) => a[0] - b[0]), result = new Array(values.length);
  for (let begin = 0; begin < order.length;) {
    let end = begin;
    while (end < order.length && order[end][0] === order[begin][0]) ++end;
    for (let i = begin; i < end; ++i) result[order[i][1]] = (begin + end - 1) / 2;
    begin = end;
  }
  return result;
}

function rankCorrelation(xs, ys) {
  const a = ranks(xs), b = ranks(ys), ma = mean(a), mb = mean(b);
  const both = a.reduce((sum, value, i) => sum + (value - ma) * (b[i] - mb), 0), size = Math.sqrt(squares(a, ma) * squares(b, mb));
  return size > 0 ? both / size : 0;
}

/** Eta squared: the share of the variance of `ys` that lies between groups of equal `labels`. */
export function betweenGroups(labels, ys) {
  const all = mean(ys), total = squares(ys, all), groups = new Map();
  labels.forEach((label, i) => groups.set(label, [...(groups.get(label) ?? []), ys[i]]));
  if (!(total > 0)) return 0;
  return [...groups.values()].reduce((sum, group) => sum + group.length * (mean(group) - all) ** 2, 0) / total;
}

/** The share (0 to 1) of a column's variance that one axis explains, and the method; null if there
 * are too few data. points: [{label, value, y}], where `value` is null if the axis only has labels.
 * An axis with nearly as many values as points has no groups, so its share is the square of the
 * rank correlation. */
export function explained(points) {
  const known = points.filter((point) => Number.isFinite(point.y));
  const labels = new Set(known.map((point) => point.label));
  if (known.length < 3 || labels.size < 2) return null;
  const ys = known.map((point) => point.y), isNumber = known.every((point) => Number.isFinite(point.value));
  if (1.5 * labels.size <= known.length) return { share: betweenGroups(known.map((point) => point.label), ys), how: "groups" };
  return isNumber ? { share: rankCorrelation(known.map((point) => point.value), ys) ** 2, how: "ranks" } : null;
}
