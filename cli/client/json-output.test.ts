import { expect, test } from 'vitest';
import { Failure } from './failure.ts';
import { chosenFields, filtered } from './json-output.ts';

const devices = [
  { devName: 'nas', devLastIP: '192.168.1.20', watch: { state: 'watched' } },
  { devName: 'tv', devLastIP: '', watch: null },
];
const list = { success: true, devices, unreadable: [] };

test('fields are chosen of each entry of a list, also by the short names of devices', () => {
  expect(chosenFields(list, ['name', 'ip'])).toEqual([
    { name: 'nas', ip: '192.168.1.20' },
    { name: 'tv', ip: '' },
  ]);
  expect(chosenFields(list, ['watch.state'])).toEqual([{ 'watch.state': 'watched' }, { 'watch.state': null }]);
  expect(chosenFields({ id: 'home', name: 'Home' }, ['name'])).toEqual({ name: 'Home' });
});

test('a field that is not there is wrong usage, and those that are there are named', () => {
  expect(() => chosenFields(list, ['age'])).toThrow(Failure);
  expect(() => chosenFields(list, ['age'])).toThrow(
    'There is no field "age" in the answer. There are: devName, devLastIP',
  );
});

test('a filter prints texts as they are and everything else as JSON, and says what is wrong with it', async () => {
  expect(await filtered(list, '.devices[].devName')).toBe('nas\ntv\n');
  expect(await filtered(list, '.devices | length, map(.watch)')).toBe('2\n[{"state":"watched"},null]\n');
  expect(await filtered(list, 'empty')).toBe('');
  await expect(filtered(list, '.devices[')).rejects.toThrow(/^--jq: /);
});
