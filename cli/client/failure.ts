/** The ways in which a command can end, and their exit codes. */
import type { Command } from 'commander';
import { ApiError, ConnectionError, InvalidInputError, UnexpectedAnswerError } from '../../client/errors.ts';
import { codeOf } from '../../shared/errno.ts';
import type { ErrorCode, FieldError } from '../../shared/errors.ts';
import { isLoopback } from './loopback.ts';

export const EXIT_CODES = { failure: 1, usage: 2, auth: 3, notFound: 4, agentOffline: 5 } as const;
type Ending = keyof typeof EXIT_CODES;

/** An expected failure. Its message is shown without a stack. */
export class Failure extends Error {
  override name = 'Failure';
  readonly ending: Ending;

  constructor(ending: Ending, message: string, options?: ErrorOptions) {
    super(message, options);
    this.ending = ending;
  }
}

/** Why a file that the user has named cannot be read. */
export function unreadableFile(path: string, error: Error): Failure {
  const why: Readonly<Record<string, string>> = {
    ENOENT: `There is no file ${path}`,
    EISDIR: `${path} is a folder and no file`,
    EACCES: `You may not read the file ${path}`,
  };
  return new Failure('usage', why[codeOf(error)] ?? `Cannot read ${path}: ${error.message}`, { cause: error });
}

const names = new WeakMap<Command, ReadonlyMap<string, string>>();

/** Says what a command calls fields of its request, where that does not follow from the names of its options. */
export function nameFields(command: Command, fields: ReadonlyMap<string, string>): void {
  names.set(command, fields);
}

/** A field of a request as the command line calls it, such as `<ip>` or `--mode`; else as it is. */
function nameOf(field: string, command: Command | null): string {
  if (command === null) return field;
  const last =
    field
      .split('.')
      .filter((part) => !/^\d+$/.test(part))
      .at(-1) ?? field;
  const given = names.get(command)?.get(last);
  if (given !== undefined) return given;
  const option = command.options.find((one) => essenceOf(one.attributeName()) === essenceOf(last));
  if (option?.long) return option.long;
  const argument = command.registeredArguments.find((one) => essenceOf(one.name()) === essenceOf(last));
  return argument === undefined ? field : `<${argument.name()}>`;
}

/** `everySeconds` of the API is `--every`, `networks` is `--network`, `expiresAt` is `--expires`. */
function essenceOf(name: string): string {
  const bare = name.replaceAll('-', '').toLowerCase();
  return bare
    .replace(/^dev(?:last)?(?=.)/, '')
    .replace(/(?:seconds|at|mac)$/, '')
    .replace(/s$/, '');
}

/**
 * What a failed request means to the user; null for an error that is none of a request, but a defect.
 * @param command the one that has made the request
 */
export function failureOf(error: unknown, command: Command | null = null): Failure | null {
  if (error instanceof Failure) return error;
  if (error instanceof ApiError) return new Failure(ENDINGS[error.code] ?? 'failure', refusalText(error, command));
  if (error instanceof ConnectionError) return new Failure('failure', connectionText(error));
  if (error instanceof InvalidInputError) return new Failure('usage', error.message);
  if (error instanceof UnexpectedAnswerError) {
    // A gateway before the API may want the token for itself.
    return new Failure([401, 403].includes(error.status) ? 'auth' : 'failure', error.message);
  }
  return null;
}

/** Errors that scripts may want to distinguish; all others are plain failures. */
const ENDINGS: Partial<Record<ErrorCode, Ending>> = {
  validation_failed: 'usage',
  unsupported_format: 'usage',
  forbidden: 'auth',
  site_forbidden: 'auth',
  not_found: 'notFound',
  agent_offline: 'agentOffline',
  agent_silent: 'agentOffline',
};

const LACKS_SCOPE = /^the token lacks the scope (.+)$/;
/** What a person needs a scope for. */
const MEANINGS: Readonly<Record<string, string>> = {
  'devices:read': 'see devices',
  'devices:write': 'change devices',
  'nettools:run': 'run commands on the LAN',
  admin: 'manage sites, agents and tokens',
};

/** The API gives one answer for every fault of a token, so that guessing reveals nothing. */
function tokenText(fields: readonly FieldError[]): string {
  const lacks = fields.find(({ path }) => path === 'header.authorization');
  if (lacks === undefined) return 'This token is unknown here, or was revoked. Sign in again: lanreach login';
  const [, scope] = LACKS_SCOPE.exec(lacks.message) ?? [];
  const meaning = MEANINGS[scope ?? ''];
  const what =
    meaning === undefined ? `may not do that: ${lacks.message}` : `may not ${meaning}: it lacks the scope ${scope}`;
  return `This token ${what}. What it may do: lanreach whoami`;
}

function refusalText({ code, message, fields, fieldsOmitted }: ApiError, command: Command | null): string {
  if (code === 'forbidden') return tokenText(fields);
  // A message about one field begins with its path.
  const [about = '', ...rest] = message.split(': ');
  const isAboutField = rest.length > 0 && fields.some(({ path }) => path === about);
  const first = isAboutField ? [nameOf(about, command), ...rest].join(': ') : message;
  // The message of a single field is already part of the main message.
  const others = fields.filter((field) => !message.includes(field.message));
  const lines = [
    first,
    ...others.map(({ path, message: why }) => `  ${path === '' ? 'body' : nameOf(path, command)}: ${why}`),
  ];
  if (fieldsOmitted > 0) lines.push(`  … and ${fieldsOmitted} more`);
  return lines.join('\n');
}

function connectionText({ url, code, message }: ConnectionError): string {
  if (code === 'ECONNREFUSED') {
    const hint = isLoopback(url)
      ? 'is it running? Start it with: npm start, or systemctl start lanreach-server'
      : 'is the URL correct, and is the API running?';
    return `Nothing answers at ${url}: ${hint}`;
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return `Cannot reach ${url}: the server does not speak TLS at that port; should the URL begin with http://?`;
  }
  return message;
}
