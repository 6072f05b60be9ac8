// Opens a report in a real browser and prints as JSON what a test asserts: node page.mjs CHECKERS CHROMIUM FILE [PICTURES]
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [checkers, executablePath, file, pictures] = process.argv.slice(2);
const require = createRequire(resolve(checkers, "node_modules", "x"));
const { chromium } = require("playwright-core");
const axe = readFileSync(join(checkers, "node_modules/axe-core/axe.min.js"), "utf8");

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const result = { violations: [], errors: [], requests: [] };

const open = async (name, options) => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.on("console", (message) => { if (message.type() === "error") result.errors.push(message.text()); });
  page.on("pageerror", (error) => result.errors.push(String(error)));
  page.on("dialog", (dialog) => { result.errors.push("dialog"); dialog.dismiss(); });
  page.on("request", (request) => { if (!request.url().startsWith("file:")) result.requests.push(request.url()); });
  await page.goto(pathToFileURL(file).href, { waitUntil: "load" });
  const first = page.locator("#query-table .open").first();
  if (await first.count()) await first.click();
  return { name, page };
};

const check = async ({ name, page }) => {
  await page.evaluate(axe + ";0");
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  for (const { id, nodes } of violations) result.violations.push(name + ": " + id + ": " + nodes[0].html.slice(0, 200));
  if (pictures) await page.screenshot({ path: join(pictures, name + ".png"), fullPage: true });
};

const light = await open("light", { viewport: { width: 1200, height: 900 } });
await check(light);
await check(await open("dark", { viewport: { width: 1200, height: 900 }, colorScheme: "dark" }));
const narrow = await open("narrow", { viewport: { width: 360, height: 740 } });
await check(narrow);
result.overflow = await narrow.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

const { page } = light;
result.title = await page.title();
const { domContentLoadedEventEnd } = await page.evaluate(() => performance.getEntriesByType("navigation")[0].toJSON());
result.milliseconds = Math.round(domContentLoadedEventEnd);
const table = page.locator("#query-table");
if (await table.count()) {
  const rows = () => page.locator("#query-table > tbody > tr:not(.detail):visible").count();
  const ids = () => page.locator("#query-table > tbody > tr:not(.detail):visible .open").allTextContents();
  result.rows = await rows();
  result.lines = await page.locator(".detail svg line").count();
  result.places = await page.locator(".detail .pair tbody tr").count();
  await page.locator("#search").fill("question 7");
  result.found = await ids();
  result.said = await page.locator("#count").textContent();
  await page.locator("#search").fill("");
  await page.locator("#change").selectOption("worse");
  result.worse = await rows();
  await page.locator("#change").selectOption("");
  // By keyboard: the first heading sorts, twice turns it round.
  await page.locator("#query-table thead button").first().focus();
  await page.keyboard.press("Enter");
  result.ascending = (await ids()).slice(0, 2);
  await page.keyboard.press("Enter");
  result.descending = (await ids()).slice(0, 2);
}
if (pictures) {
  await page.emulateMedia({ media: "print" });
  await page.pdf({ path: join(pictures, "print.pdf") });
}
await browser.close();
console.log(JSON.stringify(result));
