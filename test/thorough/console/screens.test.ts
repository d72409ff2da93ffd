/** Every screen in both themes, in three sizes, in German, and with nothing in it. */
import { expect, test } from 'vitest';
import { describeConsole } from '../../console/describe-console.ts';
import { becomesComplete, expectNoFaults, goTo, type Size, show } from '../../console/every-screen.ts';
import { type RealisticSystem, startRealisticSystem } from '../../console/filled-console.ts';
import { SCREENS } from '../../console/screen-list.ts';

const THEMES = ['light', 'dark'] as const;
const SIZES: readonly Size[] = [
  [1440, 900],
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

  // German words are longer. What is opened by its English name is not.
  test('every screen in German, on a phone', async () => {
    const { page } = await ui.open('/', { width: 390, height: 844, locale: 'de-DE' });
    for (const screen of SCREENS.filter(({ token, open }) => token !== null && open === undefined)) {
      await goTo(page, screen.at(ids));
      await becomesComplete(page, { name: screen.name, at: screen.at });
      await expectNoFaults(page, `${screen.name}-german`, 'light');
    }
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  });

  // One tab for all: only what stands in the place of the content differs from what was looked at above.
  test.each([
    ['holiday-flat', 'nothing is there'],
    ['no-such-site', 'the site is refused'],
  ])('every screen of the site %s, where %s, has no stretched button, and axe finds nothing', async (site) => {
    const ofSites = SCREENS.filter(({ at }) => /^\/sites\/[^/]+(?!.*no-such)/.test(at(ids)));
    const { page } = await ui.open('/');
    for (const screen of ofSites) {
      await goTo(page, screen.at(ids).replace(/^\/sites\/[^/]+/, `/sites/${site}`));
      await expect.poll(() => page.getByText('Loading …').count()).toBe(0);
      for (const theme of THEMES) await expectNoFaults(page, `${screen.name}-${site}`, theme);
    }
  });
});
