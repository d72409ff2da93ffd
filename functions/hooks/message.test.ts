import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HookEvent, type HookFormat, HookMessage } from '../../shared/api/hook-events.ts';
import { SigningSecret } from '../../shared/api/hook-terms.ts';
import { requestFor, sentenceFor } from './message.ts';
import { makeSigningSecret, signedHeaders } from './signature.ts';

const AT = new Date('2026-11-01T08:15:00.500Z');
const NAS = { mac: '00:1E:06:AA:BB:01', key: '00:1E:06:AA:BB:01', name: 'nas' };
const EVENT: HookEvent = {
  ...{ id: '1763800000002.0', at: '2026-11-01T08:15:00.000Z', recordedAt: '2026-11-01T08:15:00.000Z' },
  ...{ type: 'down', site: 'home', device: NAS, actor: 'home:main', cause: 'sighting' },
  changes: { devPresentLastScan: { from: 1, to: 0 } },
};
const notification = (event: Partial<HookEvent> = {}, secret = makeSigningSecret()) => ({
  webhookId: 'msg_1',
  event: { ...EVENT, ...event },
  url: 'https://example.org/send?token=t0ken&user=u1&chat_id=-100',
  secret,
  at: AT,
  console: null,
});
const PHONE = { mac: '', key: '~1', name: 'phone' };
const unnamed = { device: { mac: '24:0A:C4:4D:01:1C', key: '24:0A:C4:4D:01:1C', name: '(unknown)' } };
const named = (name: string) => ({ device: { mac: '', key: '~1', name } });
const about = (kind: 'agent' | 'site', id: string) => ({ device: null, subject: { kind, id, name: id } });
const NAS_OF_HOME = 'home: nas (00:1E:06:AA:BB:01)';

describe('services that notify people', () => {
  const console = 'https://lan.example.org/console/';
  const link = `${console}#/sites/home/devices/00%3A1E%3A06%3AAA%3ABB%3A01`;
  const text = 'home: nas (00:1E:06:AA:BB:01) is down.';
  const bodyOf = (format: Exclude<HookFormat, 'email'>, event: Partial<HookEvent> = {}) =>
    JSON.parse(requestFor(format, { ...notification(event), console }).body);

  test('get what they ask for, and what the URL holds for them', () => {
    const telegram = { chat_id: '-100', text: `${text}\n${link}`, disable_notification: false };
    expect(bodyOf('telegram')).toMatchObject(telegram);
    expect(bodyOf('gotify')).toMatchObject({ title: 'LanReach: home', message: text, priority: 8 });
    expect(bodyOf('gotify').extras['client::notification'].click.url).toBe(link);
    expect(bodyOf('pushover')).toMatchObject({ token: 't0ken', user: 'u1', message: text, url: link, priority: 1 });
    expect(bodyOf('pushover', { type: 'online' }).priority).toBe(0);
  });

  test('Apprise gets the title, the text and the tag, and says by 204 and 424 that it has failed', () => {
    const url = 'https://apprise.example.org/notify/home?tag=family';
    const { headers, body, failures } = requestFor('apprise', { ...notification(), url });
    const wanted = { title: 'LanReach: home', body: text, type: 'failure', format: 'text', tag: 'family' };
    expect(JSON.parse(body)).toEqual(wanted);
    expect(headers).toMatchObject({ accept: 'application/json' });
    expect([failures?.[204]?.isFinal, failures?.[424]?.isFinal]).toEqual([undefined, true]);
    expect(bodyOf('apprise', { type: 'check-up' })).toMatchObject({ type: 'success' });
    expect(bodyOf('apprise', { type: 'renamed' })).not.toHaveProperty('tag');
  });

  test('get a card in Teams, in which a name is only text', () => {
    const [{ contentType, content }] = bodyOf('teams', named('[x](https://evil.example) **y**')).attachments;
    expect(contentType).toBe('application/vnd.microsoft.card.adaptive');
    expect(content.body[1].text).toBe('home: \\[x\\](https://evil.example) \\*\\*y\\*\\* is down.');
    expect(content.actions).toMatchObject([{ type: 'Action.OpenUrl', url: expect.stringContaining('#/sites/home') }]);
  });
});

describe('json', () => {
  test('has the form that the contract says', () => {
    const { body, headers } = requestFor('json', notification());
    expect(HookMessage.parse(JSON.parse(body))).toEqual({ type: 'device.down', timestamp: EVENT.at, data: EVENT });
    expect(headers).toMatchObject({ 'webhook-id': 'msg_1', 'webhook-timestamp': '1793520900' });
  });

  test.each<[Partial<HookEvent>, string]>([
    [{ type: 'outage', device: null, subject: { kind: 'outage', id: '1', name: '' } }, 'outage.outage'],
    [{ type: 'site-dark', device: null, subject: { kind: 'site', id: 'home', name: 'home' } }, 'site.site-dark'],
    [{ type: 'check-down', subject: { kind: 'check', id: '1', name: 'shop' } }, 'device.check-down'],
    [{ type: 'imported', device: null, count: 4 }, 'device.imported'],
    [{ type: 'test', device: null }, 'test'],
  ])('of %j has the type %s', (event, type) => {
    expect(HookMessage.parse(JSON.parse(requestFor('json', notification(event)).body)).type).toBe(type);
  });

  test('is signed so that a receiver that follows the specification accepts it, and nothing that was changed', () => {
    const Byte = fc.uint8Array({ minLength: 24, maxLength: 64 });
    fc.assert(
      fc.property(Byte, fc.string(), (bytes, name) => {
        const secret = `whsec_${Buffer.from(bytes).toString('base64')}`;
        expect(SigningSecret.safeParse(secret).success).toBe(true);
        const { body, headers } = requestFor('json', notification(named(name), secret));
        expect(isAccepted(secret, headers, body)).toBe(true);
        expect(isAccepted(secret, headers, `${body} `)).toBe(false);
        expect(isAccepted(secret, { ...headers, 'webhook-id': 'other' }, body)).toBe(false);
        expect(isAccepted(secret, { ...headers, 'webhook-timestamp': '1' }, body)).toBe(false);
        expect(isAccepted(makeSigningSecret(), headers, body)).toBe(false);
      }),
    );
  });

  test('has the signature of the example in the specification', () => {
    const headers = signedHeaders(
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      new Date(1614265330_000),
      '{"test": 2432232314}',
    );
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});

/** How a receiver checks a delivery: https://github.com/standard-webhooks/standard-webhooks, "Verifying signatures". */
function isAccepted(secret: string, headers: Record<string, string>, body: string): boolean {
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  const mac = createHmac('sha256', Buffer.from(secret.split('_')[1] ?? '', 'base64'));
  return (headers['webhook-signature'] ?? '').split(' ').includes(`v1,${mac.update(signed, 'utf8').digest('base64')}`);
}

describe('messages for people', () => {
  test('cannot call everybody, whatever a device is called', () => {
    const slack = JSON.parse(requestFor('slack', notification(named('<!channel> & <@U1>'))).body);
    expect(slack.text).toBe('home: &lt;!channel&gt; &amp; &lt;@U1&gt; is down.');
    const discord = JSON.parse(requestFor('discord', notification(named('@everyone **x**'))).body);
    expect(discord).toEqual({ content: 'home: @everyone \\*\\*x\\*\\* is down.', allowed_mentions: { parse: [] } });
  });

  test('say nothing that a person would not see, in any format', () => {
    const hidden = `\u{e0001}\u200b\u3164${'\u0301'.repeat(9)}`;
    for (const format of ['json', 'slack', 'discord', 'ntfy'] as const) {
      const seen = requestFor(format, notification(named(`nas${'\u0301'.repeat(4)}`))).body;
      expect(requestFor(format, notification(named(`nas${hidden}`))).body).toBe(seen);
    }
  });

  test('are one line and short, whatever a device is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3_000 }), (name) => {
        const text = sentenceFor({ ...EVENT, ...named(name) });
        expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(text.length).toBeLessThanOrEqual(1_000);
      }),
    );
  });

  test('ntfy gets a title, a high priority when a device is down, and a link to the console, if its address is known', () => {
    const { headers, body } = requestFor('ntfy', notification());
    expect(headers).toMatchObject({ title: 'LanReach: home', priority: 'high', tags: 'warning' });
    expect(headers).not.toHaveProperty('click');
    expect(body).toBe('home: nas (00:1E:06:AA:BB:01) is down.');
    const clickOf = (event: Partial<HookEvent>) =>
      requestFor('ntfy', { ...notification(event), console: 'https://lan.example.org/console/' }).headers.click;
    expect(clickOf({})).toBe('https://lan.example.org/console/#/sites/home/devices/00%3A1E%3A06%3AAA%3ABB%3A01');
    expect(clickOf({ type: 'found', device: null })).toBe('https://lan.example.org/console/#/sites/home/events');
  });

  test.each<[Partial<HookEvent>, string]>([
    [{ type: 'ip-changed', changes: { devLastIP: { from: '::1', to: '::2' } } }, 'has another address: ::1 → ::2.'],
    [{ type: 'edited', device: null, count: 40, deleted: 40 }, 'home: 40 devices were deleted.'],
    [{ type: 'test', device: null }, 'home: this is a test of LanReach.'],
    [{ type: 'found', device: null, count: 1 }, 'home: 1 device was found by the first look at the network.'],
    [{ type: 'new', changes: {}, ip: '10.7.1.2', vendor: 'Espressif' }, `${NAS_OF_HOME} is new: 10.7.1.2, Espressif.`],
    [
      { type: 'new', ...unnamed, changes: {}, ip: '10.77.1.28', vendor: 'Espressif' },
      'home: a device by Espressif (24:0A:C4:4D:01:1C) is new: 10.77.1.28.',
    ],
    [{ type: 'new', ...unnamed, changes: {} }, 'home: a device without a name (24:0A:C4:4D:01:1C) is new.'],
    [
      { type: 'new', device: null, count: 5, devices: [NAS, unnamed.device, PHONE, PHONE] },
      'home: 5 devices are new: nas, 24:0A:C4:4D:01:1C, phone, 2 others.',
    ],
    [{ type: 'conflict', changes: { devConflict: { from: '', to: 'as X' } } }, `${NAS_OF_HOME} has a conflict: as X.`],
    [{ type: 'conflict', changes: { devConflict: { from: 'x', to: '' } } }, ') has no conflict any more, before: x.'],
    [named('\n'), 'home: a device without a name is down.'],
    [{ type: 'port-opened', detail: { port: 8, protocol: 'tcp', service: 'x' } }, ') has opened port 8/tcp (x).'],
    [
      {
        ...{ type: 'outage', device: null, count: 5, members: [NAS, PHONE, PHONE, PHONE, PHONE] },
        detail: { cause: 'power', why: '5 of the 6 devices that were there are gone: power, or the wire to them' },
      },
      'home: 5 devices are gone at once: 5 of the 6 devices that were there are gone: power, or the wire to them (nas, phone, phone, 2 others).',
    ],
    [
      {
        ...{ type: 'outage-over', device: null, count: 5, members: [PHONE] },
        detail: { seconds: 720, back: 4, still: 1 },
      },
      'home: 4 devices are back after 12 min; 1 still gone (phone).',
    ],
    [{ type: 'agent-lost', ...about('agent', 'attic') }, 'home: the agent attic is not connected any more.'],
    [
      { type: 'site-dark', ...about('site', 'home'), detail: { why: 'x' } },
      'home has gone dark: none of its agents is connected: x.',
    ],
    [{ type: 'check-down', device: null, count: 2, devices: [PHONE] }, 'home: 2 checks fail: phone, 1 other.'],
  ])('%j', (event, expected) => {
    expect(sentenceFor({ ...EVENT, ...event })).toContain(expected);
  });
});

describe('a digest', () => {
  const group = (name: string, text: string) => ({
    ...{ device: { ...NAS, name }, subject: null, count: 1 },
    sentences: [{ at: EVENT.at, type: 'renamed' as const, text, count: 1 }],
  });
  const digest = (changes: ReturnType<typeof group>[], more = 0): Partial<HookEvent> => ({
    ...{ type: 'digest', device: null, cause: 'digest' },
    digest: { since: EVENT.at, until: EVENT.at, summary: '2 devices changed.', changes, more },
  });

  test('is a line about all of it, and one about each thing', () => {
    const event = digest([group('<nas>', 'came online'), group('(unknown)', 'went offline; x')], 3);
    expect(requestFor('ntfy', notification(event)).body).toBe(
      'home: 2 devices changed.\n• <nas>: came online\n• 00:1E:06:AA:BB:01: went offline; x\n… and 3 more',
    );
    expect(JSON.parse(requestFor('slack', notification(event)).body).text).toContain('• &lt;nas&gt;: came online');
    expect(HookMessage.parse(JSON.parse(requestFor('json', notification(event)).body))).toMatchObject({
      type: 'digest',
      data: { digest: { more: 3 } },
    });
    expect(requestFor('ntfy', notification({ ...digest([]) })).body).toBe('home: 2 devices changed.');
  });

  test('is as long as its receivers take, whatever devices are called', () => {
    const Text = fc.string({ unit: 'grapheme', maxLength: 500 });
    fc.assert(
      fc.property(fc.array(fc.tuple(Text, Text), { maxLength: 20 }), (texts) => {
        const event = digest(texts.map(([name, text]) => group(name, text)));
        for (const format of ['slack', 'discord', 'ntfy'] as const) {
          const { body } = requestFor(format, notification(event));
          const sent = format === 'ntfy' ? body : Object.values(JSON.parse(body))[0];
          expect(Buffer.byteLength(String(sent))).toBeLessThan(2_000);
          const lines = String(sent).split('\n');
          const shown = lines.filter((line) => line.startsWith('•')).length;
          const [, others = '0'] = /^… and (\d+) more$/.exec(lines.at(-1) ?? '') ?? [];
          expect(shown + Number(others)).toBe(texts.length);
        }
      }),
    );
  });
});
