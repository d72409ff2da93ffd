import { expect, test } from 'vitest';
import type { EventType } from '../../../shared/api/events.ts';
import { deletionsOf } from './deletions.ts';

const event = (type: EventType, key: string | null, deleted = 0) => ({
  ...{ type, deleted },
  device: key === null ? null : { key, mac: key, name: key },
});

test('the latest deletion of each device that has not come back, and changes that deleted many', () => {
  const [back, gone, many] = [event('deleted', 'a'), event('deleted', 'b'), event('deleted', null, 40)];
  const replaced = event('imported', null, 3);
  const newestFirst = [
    ...[event('restored', 'a'), back, gone, many, event('imported', 'b'), event('deleted', 'b'), replaced],
    ...[event('imported', null), event('restored', null)],
  ];
  expect(deletionsOf(newestFirst)).toEqual([gone, many, replaced]);
});
