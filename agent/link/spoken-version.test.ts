import { expect, test } from 'vitest';
import { OLDEST_PROTOCOL_VERSION, PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { SpokenVersion } from './spoken-version.ts';

const MINUTE = 60_000;

test('the oldest version is spoken until the service has used another one, and again when it no longer does', () => {
  let now = 0;
  const version = new SpokenVersion(() => now);
  const spoken = () => JSON.parse(version.spoken(Buffer.from(`{"v":${PROTOCOL_VERSION},"t":"digest"}`)).toString());
  const before = { v: OLDEST_PROTOCOL_VERSION, t: 'digest' };
  const after = { v: PROTOCOL_VERSION, t: 'digest' };
  expect(spoken()).toEqual(before);
  version.heard(PROTOCOL_VERSION);
  now += 9 * MINUTE;
  expect(spoken()).toEqual(after);
  version.heard(PROTOCOL_VERSION);
  now += 9 * MINUTE;
  expect(spoken()).toEqual(after);
  version.heard(OLDEST_PROTOCOL_VERSION); // It was put back to the release before.
  expect(spoken()).toEqual(before);
  version.heard(PROTOCOL_VERSION);
  now += 10 * MINUTE; // Nothing was answered: it may have been put back.
  expect(spoken()).toEqual(before);
});
