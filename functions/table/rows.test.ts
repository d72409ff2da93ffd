import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PARTITIONS, PREFIXES, rows } from './rows.ts';

const ARCHITECTURE = readFileSync(join(import.meta.dirname, '..', '..', 'ARCHITECTURE.md'), 'utf8');

/** The keys of each kind of row, as ARCHITECTURE.md writes them. */
const KEYS = {
  device: rows.device('<site>', '<MAC>'),
  collection: rows.collection('<site>'),
  change: { ...rows.change('<site>', 0), sk: 'C#<version>' },
  changePart: { ...rows.changePart('<site>', '<change>', 0), sk: 'Y#<change>#<part>' },
  ports: rows.ports('<site>', '<MAC>'),
  agent: { ...rows.agent('home:main'), pk: 'S#<site>', sk: rows.agent('home:main').sk.replace('home:main', '<agent>') },
  site: rows.site('<site>'),
  token: rows.token('<id>'),
  listedToken: rows.listedToken('<id>'),
  descendants: rows.descendants('<id>'),
  person: rows.person('<id>'),
  job: { ...rows.job('home.01890000-0000-7000-8000-000000000001'), pk: 'J#<site>', sk: '<job>' },
  result: { ...rows.result('home.01890000-0000-7000-8000-000000000001'), pk: 'R#<site>', sk: '<job>' },
  run: rows.run('<site>', '<scan>'),
  batchSites: rows.batchSites('<batch>'),
  idempotencyKey: rows.idempotencyKey('<token>', 'digest of the key'),
  signIn: rows.signIn('<digest>'),
  enrolmentCode: rows.enrolmentCode('<id>'),
  accessRequest: rows.accessRequest('<id>'),
  auditEntry: rows.auditEntry(null, 'time-ordered id'),
  hook: rows.hook('<site>', '<hook>'),
  schedule: rows.schedule('<site>', '<schedule>'),
  check: rows.check('<site>', '<check>'),
  siteState: rows.siteState('<site>'),
  rollOut: rows.rollOut(),
  template: rows.template('<template>'),
  series: rows.series('<site>', '<level>'),
  firstToken: rows.firstToken(),
  format: rows.format(),
} satisfies Record<Exclude<keyof typeof rows, 'probe'>, unknown>;

test.each(Object.entries(KEYS))('ARCHITECTURE.md shows the keys of: %s', (_, { pk, sk }) => {
  const lines = ARCHITECTURE.split('\n').filter((line) => line.startsWith('|') && line.includes(`\`${pk}\``));
  expect(lines.filter((line) => line.includes(sk))).not.toEqual([]);
});

test('no prefix stands for two kinds, or begins another one', () => {
  const all = [...Object.values(PARTITIONS), ...Object.values(PREFIXES)].filter((prefix) => prefix.endsWith('#'));
  expect(all.filter((one, i) => all.some((other, j) => i !== j && other.startsWith(one)))).toEqual([]);
});
