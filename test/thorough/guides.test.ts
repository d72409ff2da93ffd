/** The commands of the other guides, as they stand there. */
import { expect, test } from 'vitest';
import { missingPrograms, runGuide } from '../support/guide.ts';
import { sharedSystem } from '../support/shared-system.ts';

const system = sharedSystem();

test('docs/home-lan.md: every command works as it stands there', async ({ skip }) => {
  skip(missingPrograms().length > 0, `missing: ${missingPrograms().join(', ')}`);
  const shown = await runGuide(system, 'home-lan.md');
  expect(shown).toMatch(/^ {2}Owner +me$/m);
  expect(shown).toMatch(/edited +00:1E:06:AA:BB:01/);
});

test('docs/several-sites.md: every command works as it stands there', async ({ skip }) => {
  skip(missingPrograms().length > 0, `missing: ${missingPrograms().join(', ')}`);
  const shown = await runGuide(system, 'several-sites.md');
  expect(shown).toMatch(/^cabin +Cabin by the lake/m);
  expect(shown).toMatch(/^lr_[0-9a-f]{16}\./m);
});

test('docs/recipes.md: every command works as it stands there', async ({ skip }) => {
  skip(missingPrograms().length > 0, `missing: ${missingPrograms().join(', ')}`);
  const devices = 'devName,devMAC,devLastIP\nnas,00:1E:06:AA:BB:01,192.168.1.20\nprinter,00:1E:06:AA:BB:02,\n';
  const shown = await runGuide(system, 'recipes.md', devices);
  expect(shown).toMatch(/^updated +2$/m);
  expect(shown).toMatch(
    /^address,status,device,interface,is_primary\n"192\.168\.1\.\d+\/24","active","\w+ 00:1E:06:AA:BB:\d\d",/m,
  );
  // A fast machine has ended the command before its events are read: then they begin with the result.
  expect(shown).toMatch(/^event: result$/m);
});
