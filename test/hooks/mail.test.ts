/** E-mail as a format of hooks: against an SMTP server on this host with TLS and a login. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Mail } from '../../functions/hooks/mail.ts';
import { mailSettings } from '../../functions/hooks/mail-settings.ts';
import { openMailer } from '../../functions/hooks/mailer.ts';
import { openApiClient } from '../api-client.ts';
import { fixturesOf } from '../support/fixtures.ts';
import { headersOf, LOGIN, type MailServer, startMailServer } from '../support/mail-server.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTestAuthority, type TestAuthority } from '../support/test-authority.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'local.js');

let authority: TestAuthority;
beforeAll(async () => {
  authority = await makeTestAuthority();
});

const MAIL: Mail = {
  ...{ to: 'me@example.org', subject: 'home: nas is down', messageId: '<1@example.net>', inReplyTo: null },
  ...{ text: 'home: nas is down.\n', html: '<p>home: nas is down.</p>' },
  headers: { 'Auto-Submitted': 'auto-generated' },
};

interface Sending {
  url?: string;
  tls?: 'required' | 'off';
  user?: string | null;
  password?: string;
  ca?: string | null;
}

function mailerFor(
  { port }: Pick<MailServer, 'port'>,
  { user = LOGIN.user, password = LOGIN.password, ...more }: Sending = {},
) {
  const { url = 'smtp://127.0.0.1', tls: security = 'required', ca = authority.certificate } = more;
  const values = { SMTP_URL: `${url}:${port}`, SMTP_FROM: 'lan@example.net', SMTP_TLS: security };
  const settings = mailSettings({ ...values, ...(user === null ? {} : { SMTP_USER: user }) }, async () => password);
  if (settings === null) throw new Error('no settings');
  let at = 1_790_000_000_000;
  const mailer = openMailer(settings, ca === null ? {} : { ca });
  return {
    send: (mail: Partial<Mail> = {}, timeoutMs = 20_000) =>
      mailer.send({ ...MAIL, ...mail }, { now: () => new Date(at), timeoutMs }),
    wait(ms: number) {
      at += ms;
    },
  };
}

describe('a mail', () => {
  test('is delivered over TLS after a login, to its one recipient', async () => {
    await using server = await startMailServer(authority);
    expect(await mailerFor(server).send()).toEqual({ isDelivered: true, status: 250 });
    expect(server.received).toMatchObject([
      { from: 'lan@example.net', to: ['me@example.org'], isSecure: true, user: LOGIN.user },
    ]);
    const source = server.received[0]?.source ?? '';
    expect(headersOf(source)).toMatchObject({
      ...{ from: 'LanReach <lan@example.net>', to: 'me@example.org', subject: 'home: nas is down' },
      ...{ 'message-id': '<1@example.net>', 'auto-submitted': 'auto-generated' },
      'content-type': expect.stringContaining('multipart/alternative'),
    });
    expect(source).toContain('Content-Type: text/plain; charset=utf-8');
    expect(source).toContain('Content-Type: text/html; charset=utf-8');
    // Also where TLS begins with the connection.
    await using other = await startMailServer(authority, { secure: true });
    expect(await mailerFor(other, { url: 'smtps://127.0.0.1' }).send()).toMatchObject({ isDelivered: true });
    expect(other.received).toMatchObject([{ isSecure: true }]);
  });

  test('goes in clear only where the operator has switched TLS off, and then without a login', async () => {
    await using server = await startMailServer(authority, { disabledCommands: ['STARTTLS'], authOptional: true });
    const reason = 'the mail server offers no TLS';
    expect(await mailerFor(server).send()).toMatchObject({ isDelivered: false, reason });
    expect([server.received, server.tried.login]).toEqual([[], 0]);
    expect(await mailerFor(server, { tls: 'off', user: null }).send()).toMatchObject({ isDelivered: true });
    expect(server.received).toMatchObject([{ isSecure: false }]);
  });

  test('is not sent to a server whose certificate no authority has signed', async () => {
    await using server = await startMailServer(authority);
    const reason = expect.stringContaining('certificate is not trusted');
    expect(await mailerFor(server, { ca: null }).send()).toMatchObject({ isDelivered: false, reason });
    expect([server.received, server.tried.login]).toEqual([[], 0]);
  });

  test.each([
    ['greylisting', { status: 451, reason: 'the mail server answered 451 4.7.1 Greylisted, try again later' }, false],
    ['no such user', { status: 550, reason: 'the mail server answered 550 5.1.1 No such user here' }, true],
    ['rejects content', { status: 554, reason: expect.stringContaining('554') }, true],
    ['refuses at MAIL', { status: 553, reason: expect.not.stringMatching(/[\r\n]/) }, true],
    ['cuts at data', { status: null, reason: expect.stringContaining('no connection to the mail server') }, false],
  ] as const)('that meets "%s" is retried, unless the answer is final', async (unkind, expected, isFinal) => {
    await using server = await startMailServer(authority);
    server.unkind = unkind;
    const outcome = await mailerFor(server).send();
    expect(outcome).toMatchObject({ isDelivered: false, ...expected });
    expect('isFinal' in outcome && outcome.isFinal === true).toBe(isFinal);
    expect(server.received).toEqual([]);
    server.unkind = null;
    expect(await mailerFor(server).send()).toMatchObject({ isDelivered: true });
  });

  test('has a deadline, and to no server is a failure', async () => {
    await using server = await startMailServer(authority);
    server.unkind = 'hangs';
    const outcome = await mailerFor(server).send({}, 1_500);
    expect(outcome).toMatchObject({ isDelivered: false, reason: 'no answer of the mail server within 1.5 s' });
    const reason = expect.stringContaining('no connection');
    expect(await mailerFor({ port: 1 }).send()).toMatchObject({ isDelivered: false, reason });
  });

  test('with a wrong password is not tried again at once, and no reason repeats the password', async () => {
    await using server = await startMailServer(authority);
    const mailer = mailerFor(server, { password: 'wrong-password' });
    for (let i = 0; i < 3; i++) {
      const outcome = await mailer.send();
      expect(outcome).toMatchObject({ isDelivered: false, reason: expect.stringContaining('rejected the user name') });
      expect(JSON.stringify(outcome)).not.toContain('wrong-password');
    }
    expect(server.tried.login).toBe(1);
    mailer.wait(15 * 60_000);
    await mailer.send();
    expect(server.tried.login).toBe(2);
  });
});

test('from the program: the device goes down and comes back, one thread; nothing shows the password', async () => {
  await using server = await startMailServer(authority);
  await using folder = makeTestFolder();
  const [ca, password] = [join(folder.path, 'ca.pem'), join(folder.path, 'password')];
  await Promise.all([writeFile(ca, authority.certificate), writeFile(password, `${LOGIN.password}\n`)]);
  const program = await startServerProcess(PROGRAM, folder.path, 'token-of-a-test-0123', {
    ...{ SMTP_URL: `smtp://127.0.0.1:${server.port}`, SMTP_FROM: 'lan@example.net', SMTP_USER: LOGIN.user },
    ...{ SMTP_PASSWORD_FILE: password, NODE_EXTRA_CA_CERTS: ca, PUBLIC_URL: 'https://lan.example.net' },
  });
  await using api = {
    ...openApiClient(program.url, program.token),
    [Symbol.asyncDispose]: async () => void (await program.stop()),
  };
  const { addSite, importCsv } = fixturesOf(api, []);
  const site = await addSite('devMac,devName,devStatus,devAlertDown\n00:1E:06:00:00:01,"n<a>s",online,1');
  const body = { url: 'mailto:Me+lan@EXAMPLE.org', format: 'email', events: ['down', 'online'] };
  const added = await api.request('POST', '/hooks', { site, body });
  expect([added.status, added.json]).toMatchObject([201, { url: 'mailto:Me+lan@example.org', format: 'email' }]);
  const { id } = added.json as { id: string };
  expect((await api.request('POST', `/hooks/${id}/test`, { site })).json).toMatchObject({
    state: 'delivered',
    status: 250,
  });
  for (const [isPresent, count] of [
    [0, 2],
    [1, 3],
  ] as const) {
    await importCsv(`devMac,devPresentLastScan\n00:1E:06:00:00:01,${isPresent}`, site);
    await expect.poll(() => server.received.length).toBe(count);
  }
  const [tested = {}, down = {}, up = {}] = server.received.map(({ source }) => headersOf(source));
  expect(tested.subject).toBe(`${site}: this is a test of LanReach`);
  expect(down.subject).toBe(`${site}: n<a>s (00:1E:06:00:00:01) is down`);
  expect(up.subject).toBe(`Re: ${down.subject}`);
  expect([up['in-reply-to'], up.references]).toEqual([down['message-id'], down['message-id']]);
  expect(down['message-id']).toMatch(new RegExp(`^<${id}_\\d+_\\w+@example\\.net>$`));
  expect(down['list-unsubscribe']).toBe(`<https://lan.example.net/console/#/sites/${site}/notifications/${id}>`);
  expect(server.received.map(({ to }) => to)).toEqual(Array.from({ length: 3 }, () => ['Me+lan@example.org']));
  expect(server.received[1]?.source).toContain('n&#60;a&#62;s');
  const texts = await Promise.all(
    ['/hooks', `/hooks/${id}/deliveries`, '/audit'].map(
      async (path) => (await api.request('GET', path, { site })).text,
    ),
  );
  const encoded = Buffer.from(`\0${LOGIN.user}\0${LOGIN.password}`).toString('base64');
  for (const text of [...texts, program.log()])
    expect([text.includes(LOGIN.password), text.includes(encoded)]).toEqual([false, false]);
  expect(texts[2]).toContain('"host":"example.org"');
});
