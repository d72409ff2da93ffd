/** Every screen in both themes and in three sizes, and with nothing in it. */
import { expect, test } from 'vitest';
import { violations } from '../../console/accessibility.ts';
import { describeConsole } from '../../console/describe-console.ts';
import { expectNoFaults, goTo, type Size, show, stretched } from '../../console/every-screen.ts';
import { type RealisticSystem, startRealisticSystem } from '../../console/realistic-system.ts';
import { SCREENS } from '../../console/screen-list.ts';

const THEMES = ['light', 'dark'] as const;
const SIZES: readonly Size[] = [
  [1280, 800],
  [1920, 1080],
  [390, 844],
];

let ids: RealisticSystem['ids'];

async function start() {
  const system = await startRealisticSystem();
  ({ ids } = system);
  return system.lanreach;
}

describeConsole('every screen, in all variants', start, (ui) => {
  test.each(SCREENS)('$name', async (screen) => {
    const page = await show(ui, screen, ids, SIZES[0]!);
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      for (const theme of THEMES) await expectNoFaults(page, screen.name, theme);
    }
  });

  // One tab for all: only what stands in the place of the content differs from what was looked at above.
  test.each([
    ['holiday-flat', 'nothing is there'],
    ['no-such-site', 'the site is refused'],
  ])('every screen of the site %s, where %s, has no stretched button, and axe finds nothing', async (site) => {
    const paths = SCREENS.map(({ at }) => at(ids)).filter((path) => /^\/sites\/.*\/(?!no-such)/.test(path));
    const { page } = await ui.open('/');
    const faults: string[] = [];
    for (const path of [...paths, '/sites/home/devices?text=nothing-is-called-so']) {
      const at = path.replace(/^\/sites\/[^/]+(?=\/)/, `/sites/${site}`);
      await goTo(page, at);
      await expect.poll(() => page.getByText('Loading …').count()).toBe(0);
      const found = [...(await stretched(page)), ...(await violations(page))];
      faults.push(...found.map((fault) => `${at}: ${fault}`));
    }
    expect(faults).toEqual([]);
  });
});
