/** Each version keeps what the releases since 0.3.0 have: docs/compatibility.md is the promise. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { incompatibilities, recordOf, type Surface, surface } from '../../scripts/specification/compatibility.ts';

const RECORDS = join(import.meta.dirname, '..', 'fixtures', 'compatibility');
const names = readdirSync(RECORDS);
const record = (name: string) => JSON.parse(readFileSync(join(RECORDS, name), 'utf8')) as Surface;
let now: Surface;

beforeAll(async () => {
  now = await surface();
});

test('0.3.0 is recorded, with its operations, messages and commands', () => {
  expect(names).toContain('0.3.0.json');
  const { operations, messages, commands } = record('0.3.0.json');
  const counts = [operations, messages, commands].map((one) => Object.keys(one).length);
  expect(counts.every((count, i) => count >= [100, 15, 200][i]!)).toBe(true);
  expect(operations['GET /devices']).toContain('200 application/json .devices[].devName: string');
  for (const [name, lines] of Object.entries(operations))
    expect([name, lines.some((line) => /^20\d /.test(line))]).toEqual([name, true]);
  expect(operations['POST /nettools/nmap']).toContain('requires body application/json .scan');
  // What only one kind of check requires, another kind need not.
  const check = 'requires body application/json ';
  expect(operations['POST /checks']).toContain(`${check}.kind`);
  expect(operations['POST /checks']).not.toContain(`${check}.url`);
  expect(commands['lanreach devices set']).toContain('--alert-down');
});

test('a record is named by its version, and reads as it was written', () => {
  const [[path, text] = ['', '']] = Object.entries(recordOf(now));
  expect([path, JSON.parse(text)]).toEqual([`test/fixtures/compatibility/${now.version}.json`, now]);
});

test.each(names)('what %s has is still there, and nothing more is required', (name) => {
  expect(incompatibilities(record(name), now)).toEqual([]);
});

describe('it is found when', () => {
  const changed = (change: (copy: Surface) => void) => {
    const copy = structuredClone(now);
    change(copy);
    return incompatibilities(now, copy);
  };
  const without = (lines: string[] | undefined, line: string) => {
    expect(lines).toContain(line);
    lines?.splice(lines.indexOf(line), 1);
  };

  test('an operation, a message or a command vanishes', () => {
    const found = changed(({ operations, messages, commands }) => {
      delete operations['GET /devices'];
      delete messages.Presence;
      delete commands['lanreach hooks add'];
    });
    expect(found).toEqual(['GET /devices is gone', 'Presence is gone', 'lanreach hooks add is gone']);
  });

  test('a field, a parameter, a value or an option vanishes', () => {
    const found = changed(({ operations, commands }) => {
      without(operations['GET /devices'], '200 application/json .devices[].devName: string');
      without(operations['GET /devices'], 'query limit: number');
      without(operations['POST /nettools/nmap'], 'body application/json .mode = "fast"');
      without(commands['lanreach scan'], '--mode');
    });
    expect(found).toEqual([
      'GET /devices: 200 application/json .devices[].devName: string is gone',
      'GET /devices: query limit: number is gone',
      'POST /nettools/nmap: body application/json .mode = "fast" is gone',
      'lanreach scan: --mode is gone',
    ]);
  });

  test('callers have to send more than before; what is new is free to require it', () => {
    const found = changed(({ operations, commands }) => {
      operations['POST /new'] = ['requires body application/json .x'];
      operations['POST /sites']?.push('requires body application/json .owner');
      operations['POST /sites']?.push('body application/json .place.city: string');
      operations['POST /sites']?.push('requires body application/json .place.city');
      commands['lanreach scan']?.push('requires --reason');
    });
    expect(found).toEqual([
      'POST /sites newly requires body application/json .owner',
      'lanreach scan newly requires --reason',
    ]);
  });

  test('the format of the data or the protocol of the agents is another one', () => {
    const found = changed((copy) => Object.assign(copy, { format: now.format + 1, protocol: now.protocol + 1 }));
    expect(found).toEqual([
      `data of format ${now.format} is no longer read`,
      `agents of protocol ${now.protocol} count as offline`,
    ]);
  });
});
