// SPDX-License-Identifier: Apache-2.0
// Shows the data in this file according to their kind.
import { resizeAll, showAll } from "./charts.js";
import { compare } from "./compare.js";
import { contents, h } from "./dom.js";
import { faults } from "./faults.js";
import { reproduce } from "./reproduce.js";
import { run } from "./run.js";
import { sweep } from "./sweep.js";

const kinds = { run, sweep, faults, compare, reproduce };

function storedTheme() {
  try {
    return localStorage.getItem("levee-theme"); // browsers refuse storage to some pages that are
                                                // opened as files
  } catch {
    return null;
  }
}

const asked = window.matchMedia("(prefers-color-scheme: dark)");
let chosen = storedTheme();
let printing = false;

function show() {
  const theme = printing ? "light" : chosen ?? (asked.matches ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  document.documentElement.classList.toggle("printing", printing);
  showAll(theme);
}

function toggle() {
  chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("levee-theme", chosen);
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
  show();
}

function start() {
  const { kind, data } = JSON.parse(document.getElementById("levee-data").textContent);
  const page = document.getElementById("page");
  if (!kinds[kind]) {
    page.append(h("p", {}, "This page has no data."));
    return;
  }
  const { title, what, answer, parts } = kinds[kind](data);
  document.title = `${title} - Levee`;
  page.append(h("header", {}, h("h1", {}, title), h("span", { class: "what" }, what),
    h("span", { class: "row controls" }, h("button", { type: "button", id: "theme", click: toggle }, "Light / dark"),
      h("button", { type: "button", click: () => window.print() }, "Print"))),
    ...answer.filter(Boolean), contents(parts), ...parts.filter(Boolean));
  show();
  asked.addEventListener("change", show);
  window.addEventListener("resize", resizeAll);
  window.addEventListener("beforeprint", () => {
    printing = true;
    for (const details of document.querySelectorAll(".note details")) details.open = true;
    show();
  });
  window.addEventListener("afterprint", () => { printing = false; show(); });
}

start();
