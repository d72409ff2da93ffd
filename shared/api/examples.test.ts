/** The tables are complete, and what they show as an example is true. */
import { expect, test } from 'vitest';
import type { Operations } from './operation.ts';
import { tables } from './tables.ts';

const operations = Object.values<Operations>(tables).flatMap((table) => Object.entries(table));

test('the contract has eleven operations on devices, export by two paths, and seven network tools; ours are added', () => {
  const paths = (table: Operations) => Object.values(table).map(({ method, path }) => `${method} ${path}`);
  const ofDevices = [
    ...['GET /devices', 'DELETE /devices', 'DELETE /devices/empty-macs', 'DELETE /devices/unknown'],
    ...['GET /devices/export', 'GET /devices/export/{format}', 'POST /devices/import', 'GET /devices/totals'],
    ...['GET /devices/by-status', 'POST /devices/search', 'GET /devices/latest', 'GET /devices/network/topology'],
  ];
  expect(paths(tables.devices)).toEqual(expect.arrayContaining(ofDevices));
  const get = ['speedtest', 'internetinfo', 'interfaces'].map((tool) => `GET /nettools/${tool}`);
  const post = ['wakeonlan', 'traceroute', 'nslookup', 'nmap'].map((tool) => `POST /nettools/${tool}`);
  expect(paths(tables.nettools)).toEqual(expect.arrayContaining([...get, ...post]));
});

test.each(operations)('%s: its example fits its schemas', (_, operation) => {
  const { example } = operation;
  for (const [schema, value] of [
    [operation.params, example.params ?? {}],
    [operation.query, example.query ?? {}],
    [operation.body, example.body ?? (operation.bodyOptional ? {} : undefined)],
    [operation.response, example.response],
  ] as const) {
    if (schema !== undefined) expect(schema.safeParse(value).error).toBeUndefined();
  }
});

test.each(operations)('%s: its path names exactly its parameters', (_, { path, params }) => {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  expect(named).toEqual(Object.keys(params?.shape ?? {}));
});

const withBody = operations.filter(([, { body }]) => body !== undefined);

// Agents enrol themselves: those of a newer version may say more than an older service knows.
const OF_AGENTS = ['enrolAgent', 'renewAgent'];

test.each(withBody)('%s: a field that its body does not have is refused by name', (name, { body, example }) => {
  const given = { ...Object(example.body), secureOn: '01:02:03:04:05:06' };
  const messages = body?.safeParse(given).error?.issues.map(({ message }) => message);
  expect(messages).toEqual(OF_AGENTS.includes(name) ? undefined : [expect.stringContaining('"secureOn"')]);
});
