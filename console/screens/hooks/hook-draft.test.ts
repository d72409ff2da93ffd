import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventType } from '../../../shared/api/events.ts';
import { type Hook, HookFormat, hooks } from '../../../shared/api/hooks.ts';
import { bodyOf, changeOf, draftOf, EVENTS, errorsOf, FORMATS, type HookDraft, newDraft } from './hook-draft.ts';

const hook: Hook = hooks.listHooks.example.response.hooks[0];

test('the events and forms that are offered are those of the API', () => {
  expect(EVENTS).toEqual(EventType.options);
  expect(FORMATS).toEqual(HookFormat.options);
});

test('a hook that nobody has edited is not changed', () => {
  expect(changeOf(draftOf(hook), hook)).toBeNull();
  expect(changeOf({ ...draftOf(hook), events: ['down', 'new'] }, hook)).toBeNull();
});

test('only what was edited is changed: an empty URL keeps the one that nobody can see', () => {
  expect(changeOf({ ...draftOf(hook), format: 'ntfy' }, hook)).toEqual({ format: 'ntfy' });
  expect(changeOf({ ...draftOf(hook), url: ' https://example.org/x ' }, hook)).toEqual({
    url: 'https://example.org/x',
  });
  expect(errorsOf(draftOf(hook), false)).toEqual({});
});

test('what is missing is said before anything is sent', () => {
  expect(Object.keys(errorsOf({ ...newDraft(), events: [] }, true))).toEqual(['url', 'events']);
});

test('what has no errors is a request that the API understands', () => {
  const draft: fc.Arbitrary<HookDraft> = fc.record({
    url: fc.webUrl().map((url) => ` ${url}`),
    format: fc.constantFrom(...FORMATS),
    events: fc.subarray(EVENTS, { minLength: 1 }),
    skipRandomMacs: fc.boolean(),
    enabled: fc.boolean(),
  });
  fc.assert(
    fc.property(draft, (one) => {
      expect(hooks.addHook.body.safeParse(bodyOf(one)).error?.issues ?? []).toEqual([]);
      const change = changeOf(one, hook);
      if (change !== null) expect(hooks.changeHook.body.safeParse(change).success).toBe(true);
    }),
  );
});
