/** The web console in a real browser: its size, and how soon it shows ten thousand devices, and one of them beside the list. */
import { join } from 'node:path';
import { browserSupport, startBrowser } from '../console/browser.ts';
import { firstLoad } from '../console/first-load.ts';
import { send } from './api.ts';
import { csvOf, generateDevices } from './devices.ts';
import { type Figure, figure, single } from './report.ts';
import { inTurn } from './sampling.ts';
import { startServer } from './server.ts';
import type { Conditions } from './system.ts';

const DEVICES = 10_000;
const LOADS = { warmUp: 1, count: 5 };
const SCREEN = '/sites/home/devices';

/** On one build. */
export async function measureConsole({ builds: [root = ''], folder, say }: Conditions): Promise<Figure[]> {
  const { scripts, styles } = await firstLoad(join(root, 'dist', 'console'));
  const sizes = [
    single('first JavaScript, gzip', 'KB', { atMost: 150 }, [scripts / 1_000]),
    single('first CSS, gzip', 'KB', null, [styles / 1_000]),
  ];
  const unsupported = browserSupport();
  if (unsupported !== null) throw new Error(unsupported);
  const devices = `${DEVICES.toLocaleString('en')} devices`;
  say(`starting with ${devices}`);
  const server = await startServer(root, join(folder, 'data'));
  const browser = await startBrowser();
  try {
    await send(server, 'POST', '/devices/import', { file: csvOf(generateDevices(DEVICES)) });
    const measure = (expression: string) =>
      inTurn([SCREEN], LOADS, async (at) => {
        const { page, context } = await browser.open({ url: server.url, token: server.token, at, loadsAhead: true });
        const painted = await page.evaluate<number>(PAINTED);
        // Not while the page is still asking for the rest of what it shows.
        if (expression !== PAINTED) await page.waitForLoadState('networkidle');
        const ms = expression === PAINTED ? painted : await page.evaluate<number>(expression);
        await context.close();
        return ms;
      });
    return [
      ...sizes,
      figure(`${devices} painted`, 'ms', { atMost: 1_000 }, await measure(PAINTED)),
      figure('one of them beside the list', 'ms', { atMost: 100 }, await measure(BESIDE)),
    ];
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** As text, because our types know no window: from the navigation until the frame after the first row is over. */
const PAINTED = `(async () => {
  const isThere = () => document.querySelector('[role=grid][aria-label=Devices] [role=gridcell]') !== null;
  await new Promise((resolve, reject) => {
    if (isThere()) return resolve();
    setTimeout(() => reject(new Error('no row was painted')), 60_000);
    const observer = new MutationObserver(() => {
      if (!isThere()) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(document, { subtree: true, childList: true });
  });
  await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
  return performance.now();
})()`;

/** The same for one device: milliseconds from a click on its row until the panel beside the list was painted. */
const BESIDE = `(async () => {
  const before = performance.now();
  document.querySelector('[role=grid] [data-index="3"] [role=gridcell]:nth-child(4)').click();
  while (document.querySelector('aside[aria-label^="Device "]') === null) await new Promise(requestAnimationFrame);
  await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
  return performance.now() - before;
})()`;
