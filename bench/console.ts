/** The web console in a real browser: its size, how quick it is, and what it costs to leave it open. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { browserSupport, type ConsoleBrowser, type ConsolePage, startBrowser } from '../test/console/browser.ts';
import { firstLoad } from '../test/console/first-load.ts';
import { startTestSystem } from '../test/test-system.ts';
import { openApi } from './api.ts';
import { costOfMillionReads } from './costs/month.ts';
import { DAYS_A_MONTH, PRICES } from './costs/prices.ts';
import { csvOf, type GeneratedDevice, generateDevices } from './devices.ts';
import type { Conditions } from './figures.ts';
import { countFigure, dollarFigure, type Figure, figure, sizeFigure, skippedFigure } from './report.ts';
import { type RunningSystem, startRunningSystem } from './running-system.ts';
import { repeat } from './sampling.ts';

const DEVICES = 10_000;
const TREE = 500;
const GOALS = { scriptKb: 150, paintMs: 1_500, searchMs: 200, treeMs: 1_000, frameMs: 100, foreignRequests: 0 };
/** Memory of the function that most requests of the console go to. */
const DEVICES_FUNCTION_GB = 1;
const LOADS = { warmUp: 1, count: 5 };
/** Each finds some devices. */
const QUERIES = ['nas 12', '44:19:b6:00:0', '10.0.3.', 'kamera-süd 7', '10.0.17.40'];
const WHEEL_TURNS = 60;

/** The screens that somebody may leave open. */
const MAIN_SCREENS = [
  '/',
  '/events',
  '/sites/home/devices',
  '/sites/home/topology',
  '/sites/home/events',
  '/sites/home/jobs',
];
/** Until what a screen asks for when it is opened has been answered. */
const SETTLE_MS = 10_000;
const WATCH_MS = 60_000;

export async function measureConsole({ dataFolder, say }: Conditions, consoleFolder: string): Promise<Figure[]> {
  const { scripts, styles } = await firstLoad(consoleFolder);
  const sizes = [
    sizeFigure('first JavaScript, gzip', GOALS.scriptKb, scripts / 1_000),
    sizeFigure('first CSS, gzip', null, styles / 1_000),
  ];
  const unsupported = browserSupport();
  if (unsupported !== null) return [...sizes, skippedFigure('the console in a browser', null, unsupported)];
  const browser = await startBrowser();
  try {
    return [...sizes, ...(await measureSpeed(browser, dataFolder, say)), ...(await measureCosts(browser, say))];
  } finally {
    await browser.close();
  }
}

async function measureSpeed(
  browser: ConsoleBrowser,
  dataFolder: string,
  say: (text: string) => void,
): Promise<Figure[]> {
  say(`starting with ${DEVICES.toLocaleString('en')} devices, and ${TREE} in a tree`);
  const system = await startRunningSystem(dataFolder);
  let foreign = 0;
  /** Opens a screen in a profile of its own, and counts what it asks of other hosts. */
  async function visit<T>(at: string, look: (shown: ConsolePage) => Promise<T>): Promise<T> {
    const { url, token } = system;
    const shown = await browser.open({ url, token, at });
    try {
      return await look(shown);
    } finally {
      await shown.context.close();
      foreign += shown.offences.filter((text) => text.startsWith('request:')).length;
    }
  }
  try {
    await fill(system);
    say('painting the table');
    const painted = await repeat(LOADS, () =>
      visit('/sites/home/devices', ({ page }) => paintedAfter(page, FIRST_ROW)),
    );
    say('searching');
    const [found, longestFrame] = await visit('/sites/home/devices', async ({ page }) => {
      await paintedAfter(page, FIRST_ROW);
      const sample = await repeat({ warmUp: 1, count: QUERIES.length * 3 }, async (round) => {
        const ms = await foundAfter(page, QUERIES[round % QUERIES.length] ?? '');
        await foundAfter(page, '');
        return ms;
      });
      return [sample, await longestFrameOf(page)] as const;
    });
    say('drawing the topology');
    const drawn = await repeat(LOADS, () =>
      visit('/sites/tree/topology', ({ page }) => paintedAfter(page, WHOLE_TREE)),
    );
    return [
      figure(`${DEVICES.toLocaleString('en')} devices painted`, 'ms', GOALS.paintMs, painted),
      figure('search among them', 'ms', GOALS.searchMs, found),
      figure('longest frame while scrolling', 'ms', GOALS.frameMs, longestFrame),
      figure(`${TREE} devices in the topology`, 'ms', GOALS.treeMs, drawn),
      countFigure('requests to other hosts', GOALS.foreignRequests, foreign),
    ];
  } finally {
    await system.stop();
  }
}

async function fill({ url, token }: RunningSystem): Promise<void> {
  const api = openApi(url, token);
  try {
    await api.send('POST', '/sites', { json: { id: 'tree' } });
    await api.send('POST', '/devices/import', { site: 'home', file: csvOf(generateDevices(DEVICES)) });
    await api.send('POST', '/devices/import', { site: 'tree', file: csvOf(treeOf(generateDevices(TREE))) });
  } finally {
    api.close();
  }
}

/** A switch for each twenty devices, and a router above them. */
function treeOf(devices: readonly GeneratedDevice[]): (GeneratedDevice & { devParentMAC: string })[] {
  const at = (i: number) => devices[i]?.devMAC ?? '';
  return devices.map((device, i) => {
    const parent = i === 0 ? 'Internet' : i % 20 === 0 ? at(0) : at(i - (i % 20));
    return { ...device, devStatus: i % 20 === 0 ? 'online' : device.devStatus, devParentMAC: parent };
  });
}

/** Expressions of the page: this project's types know no window. */
const FIRST_ROW = `document.querySelector('[role=grid][aria-label=Devices] [role=gridcell]') !== null`;
const WHOLE_TREE = `document.querySelectorAll('[role=treeitem]').length >= ${TREE * 0.9}`;
/** The frame in which a change is painted is over when the next one begins. */
const TWO_FRAMES = 'new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))';

/** Milliseconds from the start of the navigation until what the condition asks for was painted. */
function paintedAfter(page: Page, condition: string): Promise<number> {
  return page.evaluate<number>(`(async () => {
    ${untilTrue(condition)}
    await ${TWO_FRAMES};
    return performance.now();
  })()`);
}

/** Milliseconds from the input of a query until another number of rows was painted. */
async function foundAfter(page: Page, query: string): Promise<number> {
  const rows = `document.querySelector('[role=grid]')?.getAttribute('aria-rowcount')`;
  const before = await page.evaluate<string>(rows);
  await page.evaluate(`
    globalThis.searched = new Promise((resolve) => {
      addEventListener('input', async () => {
        const startedAt = performance.now();
        ${untilTrue(`${rows} !== '${before}'`)}
        await ${TWO_FRAMES};
        resolve(performance.now() - startedAt);
      }, { capture: true, once: true });
    });
    undefined;
  `);
  await page.getByRole('searchbox', { name: 'Search' }).fill(query);
  return page.evaluate<number>('globalThis.searched');
}

/** A statement that waits for a change of the page after which the condition holds. */
function untilTrue(condition: string): string {
  return `await new Promise((resolve, reject) => {
    if (${condition}) return resolve();
    const timer = setTimeout(() => reject(new Error(${JSON.stringify(`never true: ${condition}`)})), 60_000);
    const observer = new MutationObserver(() => {
      if (!(${condition})) return;
      observer.disconnect();
      clearTimeout(timer);
      resolve();
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true });
  });`;
}

async function longestFrameOf(page: Page) {
  await page.getByRole('grid', { name: 'Devices' }).hover();
  await page.evaluate(`
    globalThis.frames = [];
    (function frame(before) {
      requestAnimationFrame((now) => {
        if (before !== null) globalThis.frames.push(now - before);
        frame(now);
      });
    })(null);
  `);
  for (let turn = 0; turn < WHEEL_TURNS; turn++) await page.mouse.wheel(0, 900);
  const frames = await page.evaluate<number[]>('globalThis.frames');
  const longest = Math.max(...frames);
  return { p50: longest, p99: longest, count: 1 };
}

/** A minute of a visible tab on each screen, by what the system logs of its requests. */
async function measureCosts(browser: ConsoleBrowser, say: (text: string) => void): Promise<Figure[]> {
  say('starting, to count requests');
  const lanreach = await startTestSystem();
  try {
    const { url, token } = lanreach.system;
    await lanreach.importCsv(csvOf(generateDevices(TREE)));
    const uses: { at: string; requests: number; readUnits: number }[] = [];
    for (const at of MAIN_SCREENS) {
      say(`watching ${at}`);
      const { context } = await browser.open({ url, token: token.token, at });
      await sleep(SETTLE_MS);
      const from = lanreach.logged.length;
      await sleep(WATCH_MS);
      const requests = lanreach.logged.slice(from).filter(({ msg }) => msg === 'request');
      await context.close();
      const readUnits = requests.reduce((sum, line) => sum + Number(line.readUnits ?? 0), 0);
      const perHour = 3_600_000 / WATCH_MS;
      uses.push({ at, requests: requests.length * perHour, readUnits: readUnits * perHour });
    }
    return [
      ...uses.flatMap(({ at, requests, readUnits }) => [
        countFigure(`${at}: requests an hour`, null, requests),
        countFigure(`${at}: read units an hour`, null, readUnits),
      ]),
      dollarFigure('a console that is open all day, a month', Math.max(...uses.map(monthlyDollars))),
    ];
  } finally {
    await lanreach.close();
  }
}

function monthlyDollars({ requests, readUnits }: { requests: number; readUnits: number }): number {
  const aRequest = costOfMillionReads(DEVICES_FUNCTION_GB);
  return ((requests * aRequest + readUnits * PRICES.million.readUnit) * 24 * DAYS_A_MONTH) / 1_000_000;
}
