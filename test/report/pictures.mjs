// SPDX-License-Identifier: Apache-2.0
// pictures.mjs BROWSER PAGE SECTION FILE.png [PAGE SECTION FILE.png]... takes pictures of reports'
// sections for README and docs. SECTION is the heading in lower case with - for spaces
// ("pareto-front"), or "top" for the page's beginning. ":HEIGHT" in pixels follows if the picture
// does not show the whole section. If there are several sections, separated by |, the picture
// shows the first one that the page has.
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

export const width = 1200;

export function launch(browserPath) {
  const args = ["--disable-gpu", "--disable-dev-shm-usage", "--force-color-profile=srgb"];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  // A busy machine needs more time.
  return puppeteer.launch({ executablePath: browserPath, headless: true, args, timeout: 0, protocolTimeout: 0 });
}

/** Takes a picture of an open page. */
export async function takePicture(page, wanted, file) {
  for (const one of wanted.split("|")) {
    const [section, height] = one.split(":");
    const box = await page.evaluate((id) => {
      if (id === "top") return { y: 0, height: document.body.scrollHeight };
      const found = document.getElementById(id)?.getBoundingClientRect();
      return found ? { y: found.top + window.scrollY, height: found.height } : null;
    }, section);
    if (!box) continue;
    await page.screenshot({ path: file, clip: { x: 0, y: box.y, width, height: height ? Number(height) : Math.ceil(box.height) }, captureBeyondViewport: true });
    return;
  }
  throw new Error(`the page has no section ${wanted}`);
}

async function main(browserPath, wanted) {
  const browser = await launch(browserPath);
  for (let i = 0; i + 2 < wanted.length; i += 3) {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    await page.setViewport({ width, height: 900 });
    await page.goto(pathToFileURL(wanted[i]).href);
    await takePicture(page, wanted[i + 1], wanted[i + 2]);
    await page.close();
  }
  await browser.close();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv[2], process.argv.slice(3));
