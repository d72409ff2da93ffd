/** English has a text for every code, and every language has the texts of English (`console/build/messages.test.ts`). */
import texts from 'messages:said';
import { describe, expect, test } from 'vitest';
import { type ChangeSentence, changes, type SentencePart, SummaryPart } from '../../shared/api/changes.ts';
import { changeText, summaryText } from '../../shared/change-text.ts';
import { isObserved, type Observed, type ObservedType } from '../../shared/event-text.ts';
import { reasonSentence } from '../../shared/reason-text.ts';
import { Reason } from '../../shared/reasons.ts';
import { EVENT_TYPES } from '../../shared/words.ts';
import { compile, type Messages } from '../build/icu.ts';
import { messagesIn } from '../build/messages.ts';
import { numberText, pluralRule } from './message-runtime.ts';
import { observedSentence, reasonText, saidIn, sentenceText, summarySentence } from './said-texts.ts';

const compiled = compile(messagesIn('de').said as Messages, 'said');
const german = saidIn(new Function('numberText', 'pluralRule', `return ${compiled}`)(numberText, pluralRule));

test('there is a text for every code, and for no other one', () => {
  const codes = (options: readonly { shape: { code: { options: readonly string[] } } }[]) =>
    options.flatMap(({ shape }) => shape.code.options).sort();
  const sentence = changes.listChanges.response.shape.changes.element.shape.sentences.element;
  const parts = sentence.shape.textCodes.unwrap().unwrap().element;
  expect(Object.keys(texts.reasons).sort()).toEqual(codes(Reason.options));
  expect(['happened', ...Object.keys(texts.parts), ...Object.keys(texts.lasting)].sort()).toEqual(codes(parts.options));
  expect(Object.keys(texts.counted).sort()).toEqual([...SummaryPart.shape.code.options].sort());
  expect(Object.keys(texts.observed).sort()).toEqual(EVENT_TYPES.filter(isObserved).sort());
  const others = EVENT_TYPES.filter((type) => !isObserved(type)).sort();
  for (const did of [texts.happened, texts.happenedToMany]) expect(Object.keys(did).sort()).toEqual(others);
});

test.each<[ofApi: string, english: string, german: string, Reason]>([
  ['port 22: no answer', 'port 22: no answer', 'Port 22: keine Antwort', { code: 'no-answer', values: { port: 22 } }],
  [
    'no answer to 3 pings; Time to live exceeded; the way ends at 10.0.0.1',
    'no answer to 3 pings; Time to live exceeded; the path ends at 10.0.0.1',
    'keine Antwort auf 3 Pings; Time to live exceeded; der Pfad endet bei 10.0.0.1',
    { code: 'pings-unanswered', values: { sent: 3, complaint: 'Time to live exceeded', end: '10.0.0.1' } },
  ],
  [
    'no answer to 5 pings',
    'no answer to 5 pings',
    'keine Antwort auf 5 Pings',
    { code: 'pings-unanswered', values: { sent: 5 } },
  ],
  [
    'the name does not exist (NXDOMAIN)',
    'name does not exist (NXDOMAIN)',
    'Name existiert nicht (NXDOMAIN)',
    { code: 'dns-no-name' },
  ],
  [
    'Switch $1 is gone, and 1 device behind it',
    'Switch $1 went down, with 1 device behind it',
    'Switch $1 ausgefallen, dahinter 1 Gerät',
    { code: 'device-gone', values: { device: 'Switch $1', behind: 1 } },
  ],
  [
    '3 of 12 devices behind switch are gone: the switch, its power or its cable',
    '3 of 12 devices behind switch went down: probably the switch, its power or its cable',
    '3 von 12 Geräten hinter switch ausgefallen: vermutlich der Switch, seine Stromversorgung oder sein Kabel',
    { code: 'switch-or-cable', values: { gone: 3, of: 12, device: 'switch' } },
  ],
  [
    '2 other sites have gone dark within 3 minutes, all of the same provider, Telekom',
    '2 other sites also disconnected within 3 minutes, all with the same provider, Telekom',
    'innerhalb von 3 Minuten auch getrennt: 2 andere Standorte, alle beim selben Anbieter, Telekom',
    { code: 'other-sites-dark', values: { sites: 2, same: 2, provider: 'Telekom' } },
  ],
])('%s', (ofApi, english, inGerman, reason) => {
  expect(Reason.parse(reason)).toEqual(reason);
  expect([reasonSentence(reason), reasonText(null, reason)]).toEqual([ofApi, english]);
  expect(german.reasonText(null, reason)).toBe(inGerman);
});

const offline = (times: number, seconds: number) =>
  ({ code: 'was-offline', values: { times, seconds } }) satisfies SentencePart;
const happened = (type: ObservedType | 'new' | 'down' | 'offline', more: Partial<Observed> & { again?: true } = {}) =>
  ({ code: 'happened', values: { type, times: 1, again: false, ...more } }) satisfies SentencePart;
const ports = [
  { port: 22, protocol: 'tcp', service: 'ssh' },
  { port: 80, protocol: 'tcp', address: '10.0.0.2' },
];

test.each<[ofApi: string, english: string, german: string, ...SentencePart[]]>([
  [
    'appeared; is offline again',
    'was seen for the first time; went offline again',
    'erstmals gesehen; wieder offline',
    happened('new'),
    happened('offline', { again: true }),
  ],
  [
    'was offline for 3 min; is down again',
    'was offline for 3 min; went down again',
    'offline (3 min); wieder ausgefallen',
    offline(1, 180),
    happened('down', { again: true }),
  ],
  [
    'was offline 3 times, 1 h 5 min in all',
    'was offline 3 times, 1 h 5 min in total',
    '3-mal offline, insgesamt 1 h 5 min',
    offline(3, 3_900),
  ],
  [
    'was offline 2 times, 15 h 42 min in all',
    'was offline twice, 15 h 42 min in total',
    '2-mal offline, insgesamt 15 h 42 min',
    offline(2, 56_520),
  ],
  [
    'opened ports 22/tcp (ssh), 80/tcp at 10.0.0.2 and 4 more; opened ports 22/tcp (ssh), 80/tcp at 10.0.0.2 and closed again',
    'opened ports 22/tcp (ssh), 80/tcp at 10.0.0.2 and 4 more; opened ports 22/tcp (ssh), 80/tcp at 10.0.0.2 and closed them again',
    'Ports 22/tcp (ssh), 80/tcp an 10.0.0.2 und 4 weitere geöffnet; Ports 22/tcp (ssh), 80/tcp an 10.0.0.2 geöffnet und wieder geschlossen',
    { code: 'ports-opened', values: { ports, more: 4, end: 'kept' } },
    { code: 'ports-opened', values: { ports, more: 0, end: 'undone' } },
  ],
  [
    'address 10.0.0.1 → .2 → none',
    'address 10.0.0.1 → .2 → none',
    'Adresse 10.0.0.1 → .2 → keine',
    { code: 'address', values: { chain: ['10.0.0.1', '10.0.0.2', ''] } },
  ],
  [
    'was renamed: no name → "nas"',
    'was renamed: no name → "nas"',
    'umbenannt: kein Name → "nas"',
    { code: 'renamed', values: { chain: ['', 'nas'] } },
  ],
  [
    'was edited: owner "Ada" → "Bob", favorite yes, group cleared, location as before and 1 more',
    'was edited: owner "Ada" → "Bob", favorite yes, group cleared, location as before and 1 more',
    'bearbeitet: owner "Ada" → "Bob", favourite ja, group geleert, location wie zuvor und 1 weitere',
    {
      code: 'edited',
      values: {
        fields: [
          { field: 'devOwner', from: 'Ada', to: 'Bob' },
          { field: 'devFavorite', to: true },
          { field: 'devGroup', from: 'a', to: '' },
          { field: 'devLocation' },
        ],
        more: 1,
      },
    },
  ],
  [
    '27 devices were imported, 1 device was deleted, in 2 changes',
    '27 devices were imported, 1 device was deleted, in 2 changes',
    '27 Geräte importiert, 1 Gerät gelöscht, in 2 Änderungen',
    { code: 'many', values: { type: 'imported', count: 27, deleted: 1, changes: 2 } },
  ],
  [
    '4 devices were gone at once for 12 min',
    '4 devices were down together for 12 min',
    '4 Geräte gleichzeitig ausgefallen (12 min)',
    { code: 'were-gone', values: { times: 1, seconds: 720, devices: 4 } },
  ],
  [
    'does not answer: no answer to 5 pings',
    'is down: no answer to 5 pings',
    'ist nicht erreichbar: keine Antwort auf 5 Pings',
    happened('check-down', {
      detail: { reason: 'no answer to 5 pings' },
      reasonCode: { code: 'pings-unanswered', values: { sent: 5 } },
    }),
  ],
])('%s', (ofApi, english, inGerman, ...textCodes) => {
  const sentence: ChangeSentence = { at: '2026-11-01T08:15:00.000Z', type: 'new', text: '', count: 1, textCodes };
  expect([changeText({ textCodes }), sentenceText(sentence).replace('favourite', 'favorite')]).toEqual([
    ofApi,
    english,
  ]);
  expect(german.sentenceText(sentence)).toBe(inGerman);
  expect(german.sentenceText({ ...sentence, label: 'web' })).toBe(`web: ${inGerman}`);
});

test('a summary', () => {
  const parts = [
    { code: 'imported', values: { count: 1_204 } },
    { code: 'outage', values: { count: 1, seconds: 720 } },
    { code: 'changed', values: { count: 3 } },
  ] satisfies SummaryPart[];
  const english = '1,204 devices imported, 1 outage of 12 min, 3 devices changed.';
  const inGerman = '1,204 Geräte importiert, 1 Ausfall von 12 min, 3 Geräte geändert.';
  expect([summaryText(parts), summarySentence({ summary: '', summaryCodes: parts })]).toEqual([english, english]);
  expect(german.summarySentence({ summary: '', summaryCodes: parts })).toBe(inGerman);
  expect(german.summarySentence({ summary: '', summaryCodes: [] })).toBe('Keine Änderungen.');
});

test.each<[ObservedType, Observed, english: string, german: string]>([
  [
    'joined',
    { count: 5, detail: { macs: 'A,B,C' } },
    'was merged with A, B, C and 2 more',
    'wurde mit A, B, C und 2 weiteren zusammengeführt',
  ],
  [
    'port-opened',
    { detail: { port: 22, service: 'ssh' } },
    'opened port 22/tcp (ssh)',
    'hat Port 22/tcp (ssh) geöffnet',
  ],
  ['port-closed', { detail: { more: 3 } }, 'closed 3 more ports', 'hat 3 weitere Ports geschlossen'],
  ['check-up', { detail: { seconds: 90 } }, 'is up again after 1 min', 'ist nach 1 min wieder erreichbar'],
  [
    'certificate-ending',
    { detail: { days: -1 } },
    'has a certificate that expires today',
    'hat ein Zertifikat, das heute abläuft',
  ],
  ['agent-lost', {}, 'disconnected', 'wurde getrennt'],
  [
    'agent-lost',
    { detail: { why: 'two hosts' } },
    'keeps switching between hosts: two hosts',
    'wechselt ständig zwischen Rechnern: two hosts',
  ],
  [
    'address-changed',
    { detail: { to: '192.0.2.1' } },
    'has the public address 192.0.2.1 (was unknown)',
    'hat die öffentliche Adresse 192.0.2.1 (vorher unbekannt)',
  ],
  [
    'speed-low',
    { detail: { downMbps: 2.5, usualMbps: 90 } },
    'has slow internet: 2.5 Mbit/s (usually 90 Mbit/s)',
    'hat langsames Internet: 2.5 Mbit/s (üblich 90 Mbit/s)',
  ],
  [
    'outage',
    { count: 4, detail: { why: 'power' } },
    '4 devices went down together: power',
    '4 Geräte gleichzeitig ausgefallen: power',
  ],
  [
    'outage-over',
    { detail: { back: 1, still: 2 } },
    '1 device recovered; 2 still down',
    '1 Gerät wieder erreichbar; 2 noch ausgefallen',
  ],
  ['turn-missed', { detail: { count: 3 } }, 'missed 3 scheduled runs', 'hat 3 geplante Ausführungen verpasst'],
  [
    'internet-back',
    { detail: { seconds: 690, why: 'gateway' } },
    'is back online after 11 min (gateway)',
    'ist nach 11 min wieder online (gateway)',
  ],
])('%s with %j in English and in German', (type, event, english, inGerman) => {
  expect(observedSentence(type, event, '')).toBe(english);
  expect(german.observedSentence(type, event, '')).toBe(inGerman);
});

describe('without a known code the sentence of the API stays', () => {
  const later = { code: 'what-comes-later', values: {} } as unknown as Reason & SentencePart;

  test('a reason, whose code is optional for a reader', () => {
    expect(reasonText('what comes later', undefined)).toBe('what comes later');
    expect(reasonText('what comes later', later)).toBe('what comes later');
    expect(Reason.optional().catch(undefined).parse(later)).toBeUndefined();
  });

  test('a sentence, as a whole', () => {
    const sentence: ChangeSentence = {
      at: '2026-11-01T08:15:00.000Z',
      type: 'new',
      text: 'what comes later',
      count: 1,
    };
    expect(sentenceText(sentence)).toBe('what comes later');
    expect(sentenceText({ ...sentence, textCodes: [happened('new'), later] })).toBe('what comes later');
  });
});
