import fc from 'fast-check';
import MailComposer from 'nodemailer/lib/mail-composer';
import { describe, expect, test } from 'vitest';
import type { SiteReport } from '../../shared/api/reports.ts';
import { headersOf } from '../../test/support/mail-server.ts';
import { type Mail, mailFor, type SentEvent, threadsAfter } from './mail.ts';

const AT = new Date('2026-11-02T08:15:00Z');
const NAS = { mac: '00:1E:06:AA:BB:01', key: '00:1E:06:AA:BB:01', name: 'nas' };

function eventOf(more: Partial<SentEvent>): SentEvent {
  const about = { id: '1.0', at: AT.toISOString(), recordedAt: AT.toISOString(), site: 'home', actor: 'home:main' };
  return { ...about, type: 'down', device: NAS, changes: {}, cause: 'sighting', ...more };
}

function mail(more: Partial<SentEvent> = {}, others: Partial<Parameters<typeof mailFor>[2]> = {}): Mail {
  const given = { webhookId: '0123456789ab_1_1', hook: '0123456789ab', url: 'mailto:me@example.org', secret: '' };
  const where = { at: AT, console: 'https://lan.example.net/console/', timeZone: 'Europe/Berlin', threads: {} };
  return mailFor('me@example.org', 'lan@example.net', { ...given, ...where, event: eventOf(more), ...others });
}

const source = async ({ to, headers, inReplyTo, ...rest }: Mail) => {
  const answered = inReplyTo === null ? {} : { inReplyTo, references: inReplyTo };
  const composed = { ...rest, ...answered, headers, to: { name: '', address: to }, from: 'lan@example.net' };
  return (await new MailComposer({ ...composed, newline: '\r\n' }).compile().build()).toString();
};

test('says what happened, when by the clock of the site, and where to look', () => {
  const { subject, text, html, headers } = mail();
  expect(subject).toBe('home: nas (00:1E:06:AA:BB:01) is down');
  expect(text).toContain('Monday, 2 November 2026 at 09:15:00 CET');
  expect(text).toContain('https://lan.example.net/console/#/sites/home/devices/00%3A1E%3A06%3AAA%3ABB%3A01');
  expect(html).toContain('<h1 style="font-size:18px;margin:0 0 8px">home: nas (00:1E:06:AA:BB:01) is down.</h1>');
  expect(headers).toMatchObject({ 'Auto-Submitted': 'auto-generated', 'List-Id': '<home.lanreach.example.net>' });
  expect(mail({}, { console: null }).text).not.toContain('http');
});

test('no name, reason or provider adds a header, a recipient, or a tag of HTML', async () => {
  const known = Object.keys(headersOf(await source(mail())));
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.constantFrom(
      'a\r\nBcc: you@example.org',
      'a\n\nX: y',
      '<img src=x onerror=alert(1)>',
      '"><script>',
      '\u2028Bcc: x',
      '=?utf-8?q?=0D=0ABcc:x?=',
    ),
  );
  await fc.assert(
    fc.asyncProperty(hostile, hostile, async (name, why) => {
      const events: Partial<SentEvent>[] = [
        { device: { ...NAS, name } },
        { type: 'internet-lost', device: null, subject: { kind: 'internet', id: name, name }, detail: { why } },
      ];
      for (const event of events) {
        const made = mail(event);
        expect(made.subject).not.toMatch(/[\r\n\p{Cc}\p{Zl}\p{Zp}]/u);
        const headers = headersOf(await source(made));
        expect(Object.keys(headers)).toEqual(known);
        expect(headers.to).toBe('me@example.org');
        expect(made.html.match(/<\/?[a-z!]\w*/gi)).toEqual(
          mail(
            event.device === null ? { ...event, detail: {}, subject: { kind: 'internet', id: 'x', name: 'x' } } : {},
          ).html.match(/<\/?[a-z!]\w*/gi),
        );
      }
    }),
    { numRuns: 150 },
  );
});

describe('a thread', () => {
  const outage = { device: null, subject: { kind: 'outage' as const, id: '17', name: '' }, count: 5 };

  test('begins with an outage, and its end answers with the same subject', async () => {
    const down = { ...outage, type: 'outage' as const, detail: { why: 'the gateway is gone' } };
    const begun = mail(down);
    const threads = threadsAfter({}, eventOf(down), 'ab_1_1');
    const over = eventOf({ ...outage, type: 'outage-over', detail: { back: 5, seconds: 60 } });
    const ended = mail(over, { threads, webhookId: 'ab_2_1' });
    expect(ended).toMatchObject({ subject: `Re: ${begun.subject}`, inReplyTo: '<ab_1_1@example.net>' });
    expect(headersOf(await source(ended))).toMatchObject({
      'in-reply-to': '<ab_1_1@example.net>',
      references: '<ab_1_1@example.net>',
    });
    expect(threadsAfter(threads, over, 'ab_2_1')).toEqual({});
    expect(mail(over).inReplyTo).toBeNull();
  });

  test('is one for each of what is down, of the last fifty', () => {
    let threads = {};
    for (let i = 0; i < 60; i++)
      threads = threadsAfter(threads, eventOf({ device: { ...NAS, key: `~${i}` } }), String(i));
    expect(Object.keys(threads)).toHaveLength(50);
    expect(mail({ type: 'online', device: { ...NAS, key: '~59' } }, { threads }).inReplyTo).toBe('<59@example.net>');
    expect(mail({ type: 'online', device: { ...NAS, key: '~1' } }, { threads }).inReplyTo).toBeNull();
  });
});

test('a report has its numbers in both parts, in its language', () => {
  const site: SiteReport = {
    ...{ site: 'home', name: 'Zuhause', timeZone: 'Europe/Berlin', since: '2026-09-30T22:00:00.000Z' },
    ...{ until: '2026-10-31T23:00:00.000Z', summary: '', devices: 40, isPartial: false, speed: null },
    ...{ newDevices: [{ ...NAS, name: '<b>', at: AT.toISOString(), vendor: 'Maker', ip: '10.0.0.2' }], newCount: 31 },
    downtimes: [
      {
        ...{ kind: 'outage', id: '1', name: '', since: '2026-10-03T10:00:00.000Z', until: null, seconds: 7_260 },
        ...{ count: 5, why: 'x', cause: 'power', reasonCode: undefined },
      },
    ],
    ...{ downtimeCount: 1, ports: [], portCount: 0 },
    availability: [{ kind: 'device', id: 'a', name: 'nas', uptimePercent: 99.999, knownPercent: 100, times: 1 }],
  };
  const { subject, text, html } = mail({
    ...{ type: 'report', cause: 'report', device: null },
    report: { title: 'Oktober 2026', period: '2026-10', language: 'de', site },
  });
  expect(subject).toBe('home: Bericht, Oktober 2026');
  for (const part of [text, html.replaceAll('&#160;', ' ')]) {
    for (const text of ['vermutlich Stromausfall', '2 h 1 min, dauert an', '99,99 %', '30 weitere'])
      expect(part).toContain(text);
    expect(part).toContain('Keine Geschwindigkeitstests.');
  }
  expect(text).toContain('https://lan.example.net/console/#/report?period=2026-10&sites=home');
  expect(html).toContain('&#60;b&#62;');
});
