/** An SMTP server on this host, with STARTTLS and a login, that can be as unkind as others are. It keeps what it is sent. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { TestAuthority } from './test-authority.ts';

export interface ReceivedMail {
  from: string;
  to: string[];
  isSecure: boolean;
  user: string;
  /** As it came, with CR LF. */
  source: string;
}

type Unkindness =
  | 'greylisting'
  | 'no such user'
  | 'rejects content'
  | 'cuts at data'
  | 'hangs'
  | 'refuses at MAIL'
  | null;

export interface MailServer extends AsyncDisposable {
  port: number;
  received: ReceivedMail[];
  /** How often each of these was tried. */
  tried: { login: number; recipient: string[] };
  unkind: Unkindness;
}

export const LOGIN = { user: 'lanreach', password: 'pass word-ÄÖ' };

/** @param options of the server, such as those that leave out STARTTLS */
export async function startMailServer(
  { broker: { key, cert } }: Pick<TestAuthority, 'broker'>,
  options: SMTPServerOptions = {},
): Promise<MailServer> {
  const refusal = (message: string, responseCode: number) => Object.assign(new Error(message), { responseCode });
  const server = new SMTPServer({
    ...{ key, cert, authOptional: false, disableReverseLookup: true, logger: false, closeTimeout: 100 },
    onAuth({ username, password }, _session, callback) {
      mail.tried.login++;
      const isRight = username === LOGIN.user && password === LOGIN.password;
      if (isRight) return callback(null, { user: username });
      return callback(refusal(`5.7.8 not accepted: ${password}`, 535));
    },
    onMailFrom(_address, _session, callback) {
      callback(mail.unkind === 'refuses at MAIL' ? refusal('5.7.1 Sender address\r\n250 rejected', 553) : null);
    },
    onRcptTo({ address }, _session, callback) {
      mail.tried.recipient.push(address);
      if (mail.unkind === 'greylisting') return callback(refusal('4.7.1 Greylisted, try again later', 451));
      if (mail.unkind === 'no such user') return callback(refusal('5.1.1 No such user here', 550));
      if (mail.unkind === 'hangs') return;
      callback();
    },
    onData(stream, session, callback) {
      if (mail.unkind === 'cuts at data') {
        stream.resume();
        for (const { _socket: socket } of server.connections as Set<{ _socket: { destroy(): void } }>) socket.destroy();
        return;
      }
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (mail.unkind === 'rejects content') return callback(refusal('5.7.1 Message rejected as spam', 554));
        const { mailFrom, rcptTo } = session.envelope;
        mail.received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          isSecure: session.secure,
          user: String(session.user),
          source: Buffer.concat(chunks).toString(),
        });
        callback();
      });
    },
    ...options,
  } as SMTPServerOptions);
  server.on('error', () => {}); // Of connections that clients have ended.
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const mail: MailServer = {
    port: (server.server.address() as AddressInfo).port,
    received: [],
    tried: { login: 0, recipient: [] },
    unkind: null,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mail;
}

/** The headers of a mail, unfolded, by their names in lower case; each once. */
export function headersOf(source: string): Record<string, string> {
  const [head = ''] = source.split('\r\n\r\n', 1);
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const pairs = lines.map((line) => /^([\w-]+): (.*)$/s.exec(line)?.slice(1) ?? ['malformed', line]);
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name.toLowerCase(), value]));
}
