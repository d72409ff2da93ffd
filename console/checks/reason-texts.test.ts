import { expect, test } from 'vitest';
import { germanReason } from './reason-texts.ts';

test.each([
  ['port 443 does not answer within 5 s', 'Port 443 antwortet nicht innerhalb von 5 s'],
  ['port 22: the connection was refused', 'Port 22: die Verbindung wurde abgelehnt'],
  ['port 22: what comes later', 'Port 22: what comes later'],
  ['no answer to 3 pings; Time to live exceeded', 'keine Antwort auf 3 Pings; Time to live exceeded'],
  ['none of the answers is 10.0.0.1: 10.0.0.2, fe80::1', 'keine der Antworten ist 10.0.0.1: 10.0.0.2, fe80::1'],
  ['the gateway answers, the internet behind it does not', 'das Gateway antwortet, das Internet dahinter nicht'],
  ['the gateway fritz.box is gone, and 1 device behind it', 'das Gateway fritz.box ist weg, dahinter 1 Gerät'],
  ['Switch $1 is gone, and 12 devices behind it', 'Switch $1 ist weg, dahinter 12 Geräte'],
  [
    '2 other sites have gone dark within 3 minutes, all of the same provider, Telekom',
    'innerhalb von 3 Minuten auch ausgefallen: 2 andere Standorte, alle beim selben Anbieter, Telekom',
  ],
  ['1 other site has gone dark within 3 minutes', 'innerhalb von 3 Minuten auch ausgefallen: 1 anderer Standort'],
  ['what comes later', 'what comes later'],
])('%s', (english, german) => expect(germanReason(english)).toBe(german));
