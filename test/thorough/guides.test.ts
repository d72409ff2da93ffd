/** The commands of the other guides, as they stand there. */
import { expect, test } from 'vitest';
import { missingPrograms, runGuide } from '../support/guide.ts';
import { sharedSystem } from '../support/shared-system.ts';

const system = sharedSystem();
const DEVICES = 'devName,devMAC,devLastIP\nnas,00:1E:06:AA:BB:01,192.168.1.20\nprinter,00:1E:06:AA:BB:02,\n';

test.for([
  ['home-lan.md', undefined, [/^ {2}Owner +me$/m, /edited +00:1E:06:AA:BB:01/]],
  ['several-sites.md', undefined, [/^cabin +Cabin by the lake/m, /^lr_[0-9a-f]{16}\./m]],
  [
    'recipes.md',
    DEVICES,
    [
      /^updated +2$/m,
      /^address,status,device,interface,is_primary\n"192\.168\.1\.\d+\/24","active","\w+ 00:1E:06:AA:BB:\d\d",/m,
      // A fast machine has ended the command before its events are read: then they begin with the result.
      /^event: result$/m,
    ],
  ],
] as const)('docs/%s: every command works as it stands there', async ([page, devices, wanted], { skip }) => {
  skip(missingPrograms().length > 0, `missing: ${missingPrograms().join(', ')}`);
  const shown = await runGuide(system, page, devices);
  for (const one of wanted) expect(shown).toMatch(one);
});
