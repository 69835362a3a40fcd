// SPDX-License-Identifier: Apache-2.0
// pages_test.mjs BROWSER ROOT WORK tests every kind of page in a headless browser (report_test.sh).
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { launch, takePicture, width } from "./pictures.mjs";

const [browserPath, root, work] = process.argv.slice(2);
const template = readFileSync(join(root, "platform/observe/report/page/page.html"), "utf8");
const fixtures = join(root, "test/report/data");

/** Writes a page of invented data in the form of write_page(). */
function written(name) {
  const text = JSON.stringify({ kind: name, data: JSON.parse(readFileSync(join(fixtures, `${name}.json`), "utf8")) }).replace(/</g, "\\u003c");
  const file = join(work, "pages", `${name}.html`);
  writeFileSync(file, template.replace('id="levee-data">{}', () => `id="levee-data">${text}`));
  return file;
}

const pages = { run: join(work, "pages/run/report.html"), large: join(work, "pages/large/report.html"), requests: join(work, "pages/requests/report.html") };
for (const file of readdirSync(fixtures)) pages[file.replace(".json", "")] = written(file.replace(".json", ""));

let browser;
before(async () => {
  browser = await launch(browserPath);
});
after(() => browser?.close());

/** Opens a page. `faults` receives logged errors and requests to other hosts. */
async function open(name, theme = "light") {
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    const inside = request.isNavigationRequest() || /^(data|blob):/.test(request.url());
    if (!inside) faults.push(`asks for ${request.url()}`);
    if (inside) request.continue();
    else request.abort();
  });
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
  await page.goto(`file://${pages[name]}`, { waitUntil: "load" });
  return { page, faults };
}

/** Returns each chart's label, and whether it contains a drawing. */
const chartsOf = (page) => page.$$eval(".chart", (charts) => charts.map((chart) => {
  const canvas = chart.querySelector("canvas");
  const pixels = canvas?.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const drawn = canvas ? pixels.some((value, i) => i % 4 === 3 && value > 0) : chart.querySelectorAll("svg path, svg rect").length > 2;
  return { label: chart.getAttribute("aria-label"), drawn };
}));

const expected = {
  // a sampled timing-only run of 7 billion parameters
  large: ["Causes of the blocks' time in prefill", "Roofline", "Bandwidth of memories over time"],
  run: ["Causes of the blocks' time in decode", "Energy by component and event", "Energy by phase and component", "Roofline", "Bandwidth of memories over time",
    "Occupancy of blocks over time", "Tokens that the cache had at the end"],
  requests: ["Requests over time", "Roofline"],
  sweep: ["Parallel coordinates", "Variance explained", "tokens_per_s"],
  reproduce: ["Simulated over published", "Error by figure and reading"],
  compare: ["Differences"],
};

/** Returns headings by which a table does not sort in both directions. Cells without a value stay at
 * the end. */
const unsorted = (page) => page.$$eval(".table", (tables) => tables.flatMap((box) => {
  const cells = (column) => [...box.querySelectorAll("tbody tr")].map((row) => row.cells[column]);
  const texts = (column) => cells(column).map((cell) => cell.textContent);
  const filled = (column) => cells(column).filter((cell) => cell.dataset.empty === undefined).map((cell) => cell.textContent);
  return [...box.querySelectorAll("th")].filter((head, column) => {
    const all = texts(column).sort().join();
    head.firstChild.click();
    const once = filled(column), first = head.getAttribute("aria-sort");
    head.firstChild.click();
    const twice = filled(column), second = head.getAttribute("aria-sort");
    // Rows with equal values keep their order.
    const turned = once.reverse().join() === twice.join() || new Set(once).size < once.length;
    return first === second || first === "none" || !turned || texts(column).sort().join() !== all;
  }).map((head) => `${box.getAttribute("aria-label")}: ${head.textContent}`);
}));

/** Returns controls that the keyboard cannot reach, or that have no name for screen readers. */
const unnamed = (page) => page.$$eval("button, select, input, summary, .chart", (all) => all.filter((one) => one.matches(".chart") ? !one.getAttribute("aria-label")
  : one.tabIndex < 0 || one.matches("select, input") && !one.closest("label") && !one.getAttribute("aria-label")).map((one) => one.outerHTML.slice(0, 100)));

for (const name of Object.keys(pages))
  test(`${name}: charts are drawn, tables sort, all has names, without errors or anything from outside`, async () => {
    const { page, faults } = await open(name);
    const charts = await chartsOf(page);
    for (const part of expected[name]) assert.ok(charts.some((chart) => chart.label.includes(part)), `no chart '${part}' among ${charts.map((chart) => chart.label)}`);
    assert.deepEqual(charts.filter((chart) => !chart.drawn), []);
    assert.ok((await page.$$(".table")).length > 0);
    assert.deepEqual(await unsorted(page), []);
    assert.deepEqual(await unnamed(page), []);
    assert.equal(await page.$$eval("h1", (heads) => heads.length), 1);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.deepEqual(faults, []);
    await page.close();
  });

test("run: the page says the answer first", async () => {
  const { page } = await open("run");
  const results = JSON.parse(readFileSync(join(work, "pages/run/results.json"), "utf8"));
  const answer = await page.$eval(".cards", (cards) => cards.textContent);
  const digits = (value) => Number((value / 10 ** (3 * Math.floor(Math.log10(value) / 3))).toPrecision(4)).toString();
  assert.ok(answer.includes(`${digits(results.metrics["decode.tokens_per_s"])} ktokens/s`), answer);
  assert.ok(/J\/token/.test(answer) && /decode is bound by/.test(answer), answer);
  const warnings = await page.$eval(".note", (note) => note.textContent);
  for (const warning of results.warnings) assert.ok(warnings.includes(warning), warning);
  const text = await page.$eval(".told", (told) => told.textContent);
  assert.ok(text.includes(results.text.trim().slice(-40)), "the text ends as the run's");
  await page.close();
});

test("run: figures sort by value, not by text", async () => {
  const { page } = await open("run");
  const values = await page.$eval('.table[aria-label="all metrics"]', (box) => {
    box.querySelectorAll("th button")[2].click();
    return [...box.querySelectorAll("tbody tr")].map((row) => Number(row.cells[2].textContent)).filter((value) => Number.isFinite(value));
  });
  assert.ok(values.length > 100);
  assert.deepEqual(values, values.slice().sort((a, b) => b - a));
  await page.close();
});

test("sweep: a figure along the axis with most values, the objective first", async () => {
  const { page } = await open("sweep");
  const chosen = await page.$$eval("#along-an-axis select", (all) => all.map((one) => one.value));
  assert.deepEqual(chosen, ["edram", "tokens_per_s"]);
  await page.select("#along-an-axis label:nth-of-type(2) select", "energy");
  assert.equal(await page.$eval("#along-an-axis .chart", (chart) => chart.getAttribute("aria-label")), "energy along edram");
  assert.ok((await chartsOf(page)).every((chart) => chart.drawn));
  await page.close();
});

test("sweep: a figure that hardly varies is not ranked", async () => {
  const { page } = await open("sweep");
  const said = await page.$eval("#sensitivity", (part) => part.textContent);
  assert.ok(said.includes("The same in all points, to four digits: area (22.43)."), said);
  assert.deepEqual(await page.$$eval("#sensitivity tbody td:first-child", (all) => [...new Set(all.map((one) => one.textContent))].sort()), ["energy", "tokens_per_s"]);
  await page.close();
});

test("The page is dark where the reader's system is, and the switch changes it", async () => {
  const { page } = await open("run", "dark");
  const look = () => page.evaluate(() => ({ theme: document.documentElement.dataset.theme, back: getComputedStyle(document.body).backgroundColor,
    text: document.querySelector(".chart svg text").getAttribute("fill") ?? document.querySelector(".chart svg text").style.fill }));
  const dark = await look();
  await page.click("#theme");
  const light = await look();
  assert.equal(dark.theme, "dark");
  assert.equal(light.theme, "light");
  assert.notEqual(dark.back, light.back);
  assert.notEqual(dark.text, light.text);
  await page.close();
});

test("Print shows all rows, no controls, and light colours", async () => {
  const { page } = await open("run", "dark");
  const pdf = await page.pdf({ format: "A4", printBackground: true });
  assert.ok(pdf.length > 50_000, `${pdf.length} bytes of PDF`);
  await page.emulateMediaType("print");
  const print = await page.evaluate(() => { window.dispatchEvent(new Event("beforeprint")); return { nav: getComputedStyle(document.querySelector("nav")).display,
    high: getComputedStyle(document.querySelector(".table")).maxHeight, theme: document.documentElement.dataset.theme,
    wide: Math.max(...[...document.querySelectorAll(".chart svg, .chart canvas")].map((one) => one.clientWidth)) }; });
  assert.ok(print.wide <= 690, `${print.wide} pixels do not go on a page of A4`);
  assert.deepEqual({ ...print, wide: 0 }, { nav: "none", high: "none", theme: "light", wide: 0 });
  await page.close();
});

test("Pages are small", () => {
  for (const [name, file] of Object.entries(pages)) assert.ok(statSync(file).size < 5e6, `${name}: ${statSync(file).size} bytes`);
});

test("The pictures of README and tracing.md can be made", async () => {
  const pictures = [["large", "top:1110", "report.png"], ["large", "roofline:800", "roofline.png"], ["run", "tokens-kept:800", "cache.png"]];
  for (const [name, section, file] of pictures) {
    const { page } = await open(name);
    await takePicture(page, section, join(work, "images", file));
    assert.ok(statSync(join(work, "images", file)).size > 10_000, file);
    await page.close();
  }
});
