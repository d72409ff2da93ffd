/** The commands of the README and of the tour, as they stand there. */
import { expect, test } from 'vitest';
import { missingPrograms, runGuide } from './support/guide.ts';
import { sharedSystem } from './support/shared-system.ts';

const system = sharedSystem();

test('README.md: the first five minutes work when copied, with whatever devices there are', async ({ skip }) => {
  skip(missingPrograms().length > 0, `missing: ${missingPrograms().join(', ')}`);
  const shown = await runGuide(
    system,
    '../README.md',
    'devName,devMAC,devLastIP\n(unknown),00:1E:06:AA:BB:07,127.0.0.1\n',
  );
  expect(shown).toMatch(/\bexample\b/);
  expect(shown).toMatch(/^last delivery +-$/m);
});

test('docs/guide/tour.md: every command works as it stands there', async ({ skip }) => {
  skip(missingPrograms().length > 0, `missing: ${missingPrograms().join(', ')}`);
  const shown = await runGuide(system, 'guide/tour.md');
  expect(shown).toMatch(/^nas\t00:1E:06:AA:BB:01\t192\.168\.1\.20\tonline$/m);
  expect(shown).toMatch(/^(running|accepted|queued)\n(?:.*\n)*cancelled$/m);
  expect(shown).toMatch(/^lanreach_devices\{site="[^"]+",status="online"\} /m);
});
