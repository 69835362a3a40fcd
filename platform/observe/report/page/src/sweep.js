// SPDX-License-Identifier: Apache-2.0
// A study: its points, their Pareto front, parallel coordinates, and the variance that each axis
// explains.
import { chart, showIn } from "./charts.js";
import { card, choice, h, note, section, table } from "./dom.js";
import { alike, escaped, percent, plain, si } from "./format.js";
import { explained } from "./sensitivity.js";

const mostLines = 2000; // maximum number of lines in parallel coordinates
const manyPoints = 1000; // with more points, a chart is drawn as a bitmap
const mostNamed = 16; // with more points, their names are not shown

/** A row for each point, with the labels and values of its axes, and its columns. */
function rowsOf(data) {
  return data.points.map((point, index) => ({ index, point,
    name: data.axes.filter((axis) => point.axes?.[axis.name]).map((axis) => `${axis.name} ${point.axes[axis.name].label}`).join(", ") || point.name,
    labels: data.axes.map((axis) => point.axes?.[axis.name]?.label).filter((label) => label !== undefined).join(", "),
    label: (axis) => point.axes?.[axis]?.label ?? null, at: (axis) => point.axes?.[axis]?.value ?? null,
    value: (column) => point.metrics?.[column] ?? null, pareto: point.pareto === true, error: point.error ?? "" }));
}

const rendererFor = (rows) => rows.length > manyPoints ? "canvas" : "svg";

const isAlike = (rows, column) => alike(rows.filter((row) => !row.error).map((row) => row.value(column)));

const isNumeric = (rows, column) => rows.some((row) => typeof row.value(column) === "number");

function best(rows, objective) {
  const known = rows.filter((row) => !row.error && typeof row.value(objective.column) === "number");
  const sign = objective.direction === "maximize" ? 1 : -1;
  return known.length ? known.reduce((a, b) => (sign * b.value(objective.column) > sign * a.value(objective.column) ? b : a)) : null;
}

function cards(data, rows) {
  const failed = rows.filter((row) => row.error).length, front = rows.filter((row) => row.pareto).length;
  return h("div", { class: "cards" }, [card("points", String(rows.length), failed ? `${failed} failed` : "all succeeded"),
    ...(data.objectives ?? []).map((objective) => {
      const row = best(rows, objective);
      return row && card(`${objective.direction === "maximize" ? "most" : "least"} ${objective.column}`, plain(row.value(objective.column)), row.name);
    }), (data.objectives ?? []).length > 1 ? card("Pareto points", String(front), "no other point is better in one objective and at least as good in all others") : null].filter(Boolean));
}

function scatter(data, rows, x, y) {
  const known = rows.filter((row) => typeof row.value(x) === "number" && typeof row.value(y) === "number");
  const front = known.filter((row) => row.pareto).sort((a, b) => a.value(x) - b.value(x));
  const names = (data.objectives ?? []).map((objective) => objective.column);
  const isFront = names.length === 2 && names.includes(x) && names.includes(y);
  const item = (row) => ({ value: [row.value(x), row.value(y)], name: row.name }), others = known.filter((row) => !row.pareto);
  const named = (list, many) => ({ show: many <= mostNamed, position: "top", color: "inherit", formatter: (one) => list[one.dataIndex].labels });
  return chart(`${y} over ${x}`, 420, () => ({
    grid: { left: 16, right: 30, top: 40, bottom: 36, containLabel: true },
    tooltip: { formatter: (one) => `${escaped(one.name || one.seriesName)}<br>${escaped(x)}: <b>${plain(one.value[0])}</b><br>${escaped(y)}: <b>${plain(one.value[1])}</b>` },
    xAxis: { type: "value", name: x, nameLocation: "middle", nameGap: 26, scale: !isAlike(rows, x), axisLabel: { formatter: plain } },
    yAxis: { type: "value", name: y, scale: !isAlike(rows, y), axisLabel: { formatter: plain } },
    series: [{ name: "other points", type: "scatter", symbolSize: 8, itemStyle: { opacity: 0.65 }, data: others.map(item), label: named(others, known.length) },
      { name: "Pareto points", type: "scatter", symbol: "diamond", symbolSize: 13, data: front.map(item),
        label: named(front, front.length), labelLayout: { hideOverlap: true } },
      ...(isFront ? [{ name: "front", type: "line", symbol: "none", silent: true, lineStyle: { type: "dashed", width: 1 }, data: front.map(item) }] : [])],
  }), rendererFor(rows));
}

/** A chart of two columns that the user selects. */
function frontPart(data, rows) {
  const columns = data.columns.map((column) => column.name).filter((name) => isNumeric(rows, name));
  if (columns.length < 2) return null;
  const wanted = (data.objectives ?? []).map((objective) => objective.column).filter((name) => columns.includes(name));
  const [first, second] = [...wanted, ...columns.filter((name) => !wanted.includes(name))];
  let x = first, y = second;
  const place = h("div");
  const show = () => {
    place.replaceChildren(scatter(data, rows, x, y));
    if (place.isConnected) showIn(place);
  };
  const pick = (label, start, set) => {
    const list = choice(label, columns, (index) => { set(columns[index]); show(); });
    list.querySelector("select").selectedIndex = columns.indexOf(start);
    return list;
  };
  show();
  return section(wanted.length > 1 ? "Pareto front" : "Figures against each other",
    h("div", { class: "row" }, pick("x axis", first, (name) => { x = name; }), pick("y axis", second, (name) => { y = name; })), place);
}

/** " (3.1 to 3.6)" for a figure with uncertain prices. */
function open(row, column) {
  const ends = row.point.intervals?.[column];
  return ends ? ` (${plain(ends[0])} to ${plain(ends[1])})` : "";
}

const spread = (row, column) => row.point.half_widths_95?.[column];

/** The range that uncertain prices cause; without them, the 95 % interval of repeated seeds. */
const endsOf = (row, column) => row.point.intervals?.[column]
  ?? (spread(row, column) > 0 ? [-1, 1].map((sign) => row.value(column) + sign * spread(row, column)) : undefined);

/** Returns vertical lines for the ranges that endsOf() gives. */
function intervals(list, place, column) {
  const known = list.filter((row) => endsOf(row, column));
  if (!known.length) return undefined;
  return { symbol: ["none", "none"], silent: true, label: { show: false }, lineStyle: { type: "solid", width: 2, color: "#8a93a0" },
    data: known.map((row) => endsOf(row, column).map((end) => ({ coord: [place(row), end] }))) };
}

function alongAxis(data, rows, axis, column) {
  const others = data.axes.filter((one) => one.name !== axis.name);
  const nameOf = (row) => others.filter((one) => row.label(one.name) !== null).map((one) => `${one.name} ${row.label(one.name)}`).join(", ") || column;
  const known = rows.filter((row) => row.label(axis.name) !== null && typeof row.value(column) === "number");
  const isNumber = known.length > 0 && known.every((row) => typeof row.at(axis.name) === "number");
  const labels = [...new Set(known.map((row) => row.label(axis.name)))], groups = [...new Set(known.map(nameOf))];
  const many = groups.length > 12, place = (row) => isNumber ? row.at(axis.name) : labels.indexOf(row.label(axis.name));
  const item = (row) => ({ value: [place(row), row.value(column)], name: row.name });
  const ends = known.filter((row) => endsOf(row, column)).map((row) => endsOf(row, column)[1]);
  const top = ends.length ? (value) => Math.max(value.max, ...ends) : undefined;
  const positive = known.every((row) => row.at(axis.name) > 0);
  return chart(`${column} along ${axis.name}`, 360 + (many ? 0 : 24 * Math.ceil(groups.length / 5)), () => ({
    grid: { left: 16, right: 30, top: 30 + (many ? 0 : 24 * Math.ceil(groups.length / 5)), bottom: 36, containLabel: true }, legend: many ? null : undefined,
    tooltip: { formatter: (one) => `${escaped(one.name)}<br>${escaped(column)}: <b>${plain(one.value[1])}</b>` },
    xAxis: isNumber ? { type: axis.scale === "log" && positive ? "log" : "value", logBase: 2, scale: true, name: `${axis.name}${axis.unit ? ` (${axis.unit})` : ""}`, nameLocation: "middle", nameGap: 26, axisLabel: { formatter: (value) => axis.unit ? si(value, axis.unit) : plain(value) } }
      : { type: "category", data: labels, name: axis.name, nameLocation: "middle", nameGap: 26 },
    yAxis: { type: "value", name: column, nameTextStyle: { align: "left" }, scale: isNumber && !isAlike(rows, column), max: top, axisLabel: { formatter: plain } },
    series: many ? [{ type: "scatter", symbolSize: 7, data: known.map(item) }]
      : groups.map((group) => {
        const own = known.filter((row) => nameOf(row) === group).sort((a, b) => place(a) - place(b));
        return { name: group, type: isNumber ? "line" : "bar", barMaxWidth: 40, symbolSize: 7, data: own.map(item),
          markLine: isNumber || groups.length === 1 ? intervals(own, place, column) : undefined }; // grouped bars are not drawn at
                                                                                                   // their value's position
      }),
  }), rendererFor(rows));
}

function axesPart(data, rows) {
  const columns = data.columns.map((column) => column.name).filter((name) => isNumeric(rows, name));
  if (!columns.length || !data.axes.length) return null;
  const wanted = data.objectives?.[0]?.column, rate = data.columns.find((one) => /tokens_per_s$/.test(one.metric))?.name;
  const values = (one) => new Set(rows.map((row) => row.label(one.name))).size;
  let axis = data.axes.reduce((a, b) => (values(b) > values(a) ? b : a)), column = [wanted, rate, columns[0]].find((name) => columns.includes(name));
  const place = h("div");
  const show = () => {
    place.replaceChildren(alongAxis(data, rows, axis, column));
    if (place.isConnected) showIn(place);
  };
  const picked = choice("figure", columns, (index) => { column = columns[index]; show(); });
  picked.querySelector("select").selectedIndex = columns.indexOf(column);
  const axes = choice("axis", data.axes.map((one) => one.name), (index) => { axis = data.axes[index]; show(); });
  axes.querySelector("select").selectedIndex = data.axes.indexOf(axis);
  show();
  return section("Along an axis", h("div", { class: "row" }, axes, picked), place);
}

function parallelPart(data, rows) {
  const columns = data.columns.map((column) => column.name).filter((name) => isNumeric(rows, name));
  const known = rows.filter((row) => !row.error).slice(0, mostLines);
  if (known.length < 2 || data.axes.length + columns.length < 2) return null;
  const dimensions = [...data.axes.map((axis) => {
    const labels = [...new Set(known.map((row) => row.label(axis.name)).filter((label) => label !== null))];
    const isNumber = known.every((row) => row.label(axis.name) === null || typeof row.at(axis.name) === "number");
    return isNumber ? { name: axis.name, type: axis.scale === "log" ? "log" : "value", logBase: 2, scale: true, show: (value) => axis.unit ? si(value, axis.unit) : plain(value), of: (row) => row.at(axis.name) }
      : { name: axis.name, type: "category", data: labels, of: (row) => row.label(axis.name) };
  }), ...columns.map((name) => isAlike(known, name) ? { name, type: "category", data: [...new Set(known.map((row) => plain(row.value(name))))], of: (row) => plain(row.value(name)) }
    : { name, type: "value", scale: true, show: plain, of: (row) => row.value(name) })];
  const line = (row) => ({ value: dimensions.map((dimension) => dimension.of(row) ?? "-"), name: row.name });
  return section("Parallel coordinates",
    h("p", { class: "soft no-print" }, "Each line is a point. Drag along an axis to keep only the lines that pass there."),
    chart("Parallel coordinates of all points", 420, () => ({
      parallel: { left: 60, right: 90, top: 70, bottom: 30 }, tooltip: { formatter: (one) => escaped(one.name) },
      parallelAxis: dimensions.map(({ name, type, data: labels, scale, logBase, show }, dim) => ({ dim, name, type, data: labels, scale, logBase, nameLocation: "end", nameRotate: 18, axisLabel: { formatter: show } })),
      series: [{ name: "other points", type: "parallel", lineStyle: { width: 1, opacity: 0.45 }, data: known.filter((row) => !row.pareto).map(line) },
        { name: "Pareto points", type: "parallel", lineStyle: { width: 2.5, opacity: 0.95 }, data: known.filter((row) => row.pareto).map(line) }],
    }), rendererFor(rows)));
}

function sensitivityPart(data, rows) {
  const numeric = data.columns.map((column) => column.name).filter((name) => isNumeric(rows, name));
  const same = numeric.filter((name) => isAlike(rows, name)), columns = numeric.filter((name) => !same.includes(name));
  const known = rows.filter((row) => !row.error);
  const shares = columns.flatMap((column) => data.axes.map((axis) => ({ column, axis: axis.name,
    ...(explained(known.filter((row) => row.label(axis.name) !== null).map((row) => ({ label: row.label(axis.name), value: row.at(axis.name), y: row.value(column) === null ? NaN : row.value(column) }))) ?? { share: null, how: "" }) })));
  const useful = shares.filter((one) => one.share !== null);
  const alikeText = same.length ? h("p", {}, `The same in all points, to four digits: ${same.map((name) => `${name} (${plain(rows.find((row) => typeof row.value(name) === "number").value(name))})`).join(", ")}.`) : null;
  if (!useful.length) return same.length && rows.length > 1 ? section("Sensitivity", alikeText) : null;
  const shown = columns.filter((column) => useful.some((one) => one.column === column));
  return section("Sensitivity", h("p", { class: "soft" }, "The share of a figure's variance over these points that one axis explains alone. It is the variance between the means of the axis's values. If nearly every point has "
    + "a value of its own, it is the square of the rank correlation. The rest up to 100 % comes from interactions between axes. The shares hold only for the swept range."), alikeText,
  chart("Variance explained by each axis", 90 + shown.length * Math.max(28, 12 * data.axes.length), () => ({
    grid: { left: 8, right: 24, top: 36, bottom: 8, containLabel: true }, tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, valueFormatter: percent },
    xAxis: { type: "value", min: 0, max: 1, axisLabel: { formatter: percent } }, yAxis: { type: "category", inverse: true, data: shown },
    series: data.axes.map((axis) => ({ name: axis.name, type: "bar", barMaxWidth: 14, data: shown.map((column) => useful.find((one) => one.column === column && one.axis === axis.name)?.share ?? null) })),
  })), table([{ key: "column", title: "figure" }, { key: "axis", title: "axis" }, { key: "share", title: "variance explained", number: true, show: percent }, { key: "how", title: "method" }], useful, "sensitivity"));
}

function pointsPart(data, rows) {
  const list = rows.map((row) => ({ row, pareto: row.pareto ? "yes" : "", error: row.error,
    ...Object.fromEntries(data.axes.map((axis, i) => [`a${i}`, row.at(axis.name) ?? row.label(axis.name)])),
    ...Object.fromEntries(data.columns.map((column, i) => [`c${i}`, row.value(column.name)])) }));
  const columns = [...data.axes.map((axis, i) => ({ key: `a${i}`, title: axis.name, number: list.every((one) => typeof one[`a${i}`] !== "string"), show: (_, one) => one.row.label(axis.name) ?? "" })),
    ...data.columns.map((column, i) => ({ key: `c${i}`, title: column.name, number: isNumeric(rows, column.name),
      show: (value, one) => `${plain(value)}${spread(one.row, column.name) === undefined ? "" : ` ± ${plain(spread(one.row, column.name))}`}${open(one.row, column.name)}` })),
    ...((data.objectives ?? []).length ? [{ key: "pareto", title: "Pareto", mark: (value) => value ? "good" : "" }] : []),
    ...(list.some((one) => one.error) ? [{ key: "error", title: "error", mark: () => "bad" }] : [])];
  return section("Points", (data.seeds ?? []).length > 1 ? h("p", { class: "soft" }, `Means over ${data.seeds.length} seeds, ± half of the 95 % interval.`) : null, table(columns, list, "all points"));
}

export function sweep(data) {
  const rows = rowsOf(data), failed = rows.filter((row) => row.error);
  return {
    title: data.name, what: `a sweep of ${data.scenario ?? "a scenario"}`,
    answer: [note("Points that failed", failed.map((row) => `${row.name}: ${row.error}`), true), note("Warnings", data.warnings ?? []), cards(data, rows)],
    parts: [frontPart(data, rows), axesPart(data, rows), sensitivityPart(data, rows), parallelPart(data, rows), pointsPart(data, rows)],
  };
}
