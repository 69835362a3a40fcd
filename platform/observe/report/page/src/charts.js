// SPDX-License-Identifier: Apache-2.0
// Charts by ECharts. Only the kinds in use are bundled.
import * as echarts from "echarts/core";
import { BarChart, HeatmapChart, LineChart, ParallelChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent, ParallelComponent, TooltipComponent,
  VisualMapComponent } from "echarts/components";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";
import { h } from "./dom.js";

echarts.use([BarChart, HeatmapChart, LineChart, ParallelChart, ScatterChart, GridComponent, LegendComponent,
  MarkAreaComponent, MarkLineComponent, ParallelComponent, TooltipComponent, VisualMapComponent, LabelLayout, CanvasRenderer, SVGRenderer]);

const palette = {
  light: ["#2f6fc4", "#e08214", "#2e9e5b", "#c0392b", "#7d5bb5", "#17a2b8", "#8c6d31", "#d857a0", "#6b7785", "#a6b81e", "#34495e", "#f2b134", "#5d8aa8", "#b56576", "#3d7a5f", "#9a7fd1",
    "#c08457", "#457b9d"],
  dark: ["#6fa8ff", "#ffb057", "#69d08f", "#ff8a80", "#b79cf0", "#5fd3e6", "#d3b06b", "#ff93cc", "#a4b0be", "#d2e14b", "#8fb0d0", "#ffd36b", "#9cc4dd", "#e0a3af", "#8cc4a8", "#cdbcf0",
    "#e3b58f", "#92bcd6"],
};

const charts = [];
let theme = "light";

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** Adds the settings that all charts share. Those in `options` take precedence. */
function themed(options) {
  const text = theme === "dark" ? "#e6ebf1" : "#1b2430", line = theme === "dark" ? "#394350" : "#d5dbe3";
  const axis = (one) => ({ ...one, axisLabel: { color: text, ...one.axisLabel }, nameTextStyle: { color: text, ...one.nameTextStyle },
    axisLine: { lineStyle: { color: line } }, splitLine: { lineStyle: { color: line }, ...one.splitLine } });
  const all = { ...options };
  for (const name of ["xAxis", "yAxis", "parallelAxis"])
    if (all[name]) all[name] = Array.isArray(all[name]) ? all[name].map(axis) : axis(all[name]);
  const box = { backgroundColor: theme === "dark" ? "#1e242c" : "#ffffff", borderColor: line, textStyle: { color: text }, confine: true };
  return { animation: false, color: palette[theme], backgroundColor: "transparent", textStyle: { color: text },
    ...all, tooltip: { ...box, ...all.tooltip },
    legend: all.legend === null ? undefined : { type: "plain", top: 0, textStyle: { color: text }, inactiveColor: line, ...(isObject(all.legend) ? all.legend : {}) },
    visualMap: all.visualMap ? { ...all.visualMap, textStyle: { color: text } } : undefined };
}

function draw(chart) {
  chart.drawn?.dispose();
  chart.drawn = echarts.init(chart.box, null, { renderer: chart.renderer });
  chart.drawn.setOption(themed(chart.options(theme)));
  chart.drawn.getZr().flush(); // a printer does not wait for the next frame
}

/** An element for a chart. options(theme) returns ECharts' options; label describes the chart for
 * screen readers. showAll() draws the chart with the page, and again when the theme changes.
 * showIn() draws a chart that is added later. */
export function chart(label, height, options, renderer = "svg") {
  const box = h("div", { class: "chart", style: `height:${height}px`, role: "img", "aria-label": label });
  charts.push({ box, options, renderer, drawn: null });
  return h("figure", { style: "margin:8px 0" }, box);
}

export function showAll(newTheme) {
  theme = newTheme;
  for (const one of charts) {
    one.drawn?.dispose();
    one.drawn = null;
    if (one.box.isConnected) draw(one);
  }
}

/** Draws the charts in an element that is added to the page after showAll(). */
export function showIn(element) {
  for (const one of charts) if (element.contains(one.box)) draw(one);
}

export function resizeAll() {
  charts.forEach((one) => one.box.isConnected && one.drawn?.resize());
}

export const colorOf = (index) => palette[theme][index % palette[theme].length];
