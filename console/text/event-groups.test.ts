import { expect, test } from 'vitest';
import { EventType } from '../../shared/api/events.ts';
import { EVENT_GROUPS } from './event-groups.ts';

test('every type of event is in exactly one group', () => {
  const grouped: EventType[] = EVENT_GROUPS.flatMap(({ types }) => [...types]);
  expect(grouped.toSorted()).toEqual(EventType.options.toSorted());
});
