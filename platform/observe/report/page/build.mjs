// SPDX-License-Identifier: Apache-2.0
// build.mjs [FILE] builds the template of the report, by default page.html in this folder
// (README.md).
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const read = (name) => readFileSync(join(here, name), "utf8");

const shared = { bundle: true, minify: true, write: false, charset: "utf8", legalComments: "none", logLevel: "warning",
                 absWorkingDir: here };
const script = (await build({ ...shared, entryPoints: ["src/main.js"], format: "iife", target: "es2020" })).outputFiles[0].text;
const style = (await build({ ...shared, entryPoints: ["src/style.css"] })).outputFiles[0].text;

// An HTML parser would end the script here, even inside a string.
if (/<\/script/i.test(script) || /<\/style/i.test(style)) throw new Error("the bundle would end its own element");

const versions = JSON.parse(read("package-lock.json")).packages;
const notices = ["echarts", "zrender", "tslib"].map((name) => {
  const files = { echarts: ["NOTICE", "LICENSE"], zrender: ["LICENSE"], tslib: ["CopyrightNotice.txt"] }[name];
  const texts = files.map((file) => read(`node_modules/${name}/${file}`).trim());
  return `${name} ${versions[`node_modules/${name}`].version}\n\n${texts.join("\n\n")}`;
});
const escaped = notices.join("\n\n--------\n\n").replace(/&/g, "&amp;").replace(/</g, "&lt;");

// A function, since `$` would have a meaning in a replacement text.
const parts = { STYLE: style.trim(), SCRIPT: script.trim(), NOTICES: escaped };
const page = read("src/page.html").replace(/@(STYLE|SCRIPT|NOTICES)@/g, (_, name) => parts[name]);
writeFileSync(process.argv[2] ?? join(here, "page.html"), page);
