import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ObservationSource, Observations } from '../../shared/agent/observations.ts';
import { announced, type KnownObservation, withHeard } from './observations.ts';

const AT = Date.UTC(2026, 10, 1);
const DAY = 86_400_000;
const valuesOf = (all: readonly KnownObservation[]) => all.map(({ source, value }) => `${source} ${value}`);

test('a source with one value takes the new one, others keep several, and a key of a TXT record has one', () => {
  const text = '_ipp._tcp ty=HL-L2350DW';
  const first = announced({ 'upnp-name': 'TV', 'mdns-service': '_http._tcp', 'mdns-text': text });
  const other = { 'mdns-service': '_ipp._tcp', 'mdns-text': '_ipp._tcp ty=HL-L2375DW' };
  const second = announced({ 'upnp-name': 'Living Room TV', ...other });
  const after = withHeard(withHeard([], first, AT), second, AT + 1);
  expect(valuesOf(after)).toEqual([
    'upnp-name Living Room TV',
    'mdns-service _http._tcp',
    'mdns-service _ipp._tcp',
    'mdns-text _ipp._tcp ty=HL-L2375DW',
  ]);
  expect(after.map(({ at }) => at - AT)).toEqual([1, 0, 1, 1]);
});

test('what is said again changes nothing; what was not said for 30 days is gone', () => {
  const heard = [{ source: 'upnp-name', value: 'TV' }] as const;
  const first = withHeard([], heard, AT);
  expect(withHeard(first, heard, AT + 20 * DAY)).toBe(first);
  expect(withHeard(first, [], AT + 49 * DAY)).toBe(first);
  expect(withHeard(first, [], AT + 51 * DAY)).toEqual([]);
});

test('whatever devices say, it fits into a sighting', () => {
  const heard = fc.array(
    fc.record({
      source: fc.constantFrom(...ObservationSource.options),
      value: fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.constant('x'.repeat(65_536))),
    }),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(fc.array(heard, { maxLength: 4 }), (all) => {
      let known: readonly KnownObservation[] = [];
      for (const [i, some] of all.entries()) known = withHeard(known, some, AT + i);
      expect(Observations.safeParse(known.map(({ confirmedAt: _, ...told }) => told)).error).toBeUndefined();
    }),
  );
});
