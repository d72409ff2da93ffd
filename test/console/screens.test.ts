/** Every screen in one theme and size. CONSOLE_SCREENSHOTS (a folder) and CONSOLE_README_SCREENSHOTS keep pictures. */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { showTheme } from './accessibility.ts';
import { describeConsole } from './describe-console.ts';
import { becomesComplete, expectNoFaults, goTo, type Size, show } from './every-screen.ts';
import { type RealisticSystem, startRealisticSystem } from './filled-console.ts';
import { README_SCREENS, SCREENS } from './screen-list.ts';

const README_FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'images');
const MAX_README_BYTES = 180_000;
const SIZE: Size = [1280, 800];

let ids: RealisticSystem['ids'];

async function start() {
  const system = await startRealisticSystem();
  ({ ids } = system);
  return system.lanreach;
}

describeConsole('every screen', start, (ui) => {
  test('each fits, has one heading and a title, and breaks no rule of WCAG 2.2 AA', { timeout: 900_000 }, async () => {
    const { page } = await ui.open('/', { width: SIZE[0], height: SIZE[1], loadsAhead: true });
    for (const screen of SCREENS.filter(({ token }) => token === null)) {
      await expectNoFaults(await show(ui, screen, ids, SIZE), screen.name, 'light');
    }
    for (const screen of SCREENS.filter(({ token }) => token !== null)) {
      await goTo(page, screen.at(ids));
      await becomesComplete(page, screen);
      await expectNoFaults(page, screen.name, 'light');
      expect([screen.name, await page.getByRole('heading', { level: 1 }).count()]).toEqual([screen.name, 1]);
      expect(await page.title()).toMatch(/^.+ · LanReach$/);
      // What lies above another dialog as well.
      if (screen.open !== undefined) for (const key of ['Escape', 'Escape']) await page.keyboard.press(key);
    }
  });

  test.each(process.env.CONSOLE_README_SCREENSHOTS === 'yes' ? README_SCREENS : [])(
    'the picture of $name in the README is small',
    async ({ name, theme }) => {
      const screen = SCREENS.find((one) => one.name === name);
      if (screen === undefined) throw new Error(`screen-list.ts has no screen "${name}"`);
      await mkdir(README_FOLDER, { recursive: true });
      const path = join(README_FOLDER, `${name}.png`);
      const page = await show(ui, screen, ids, SIZE);
      await showTheme(page, theme);
      await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
      expect((await stat(path)).size).toBeLessThanOrEqual(MAX_README_BYTES);
    },
  );
});
