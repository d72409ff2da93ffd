/** The ways in which a command can end, and their exit codes. */
import { ApiError, ConnectionError, InvalidInputError, UnexpectedAnswerError } from '../../client/errors.ts';
import { codeOf } from '../../shared/errno.ts';
import { ERROR_MEANINGS, type ErrorCode } from '../../shared/errors.ts';
import { isLoopback } from './loopback.ts';

export const EXIT_CODES = { failure: 1, usage: 2, auth: 3, notFound: 4, agentOffline: 5 } as const;
export type Ending = keyof typeof EXIT_CODES;

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

/** A refusal in which fields of the request are called as the user knows them, such as `<ip>` or `--mode`. */
export function withNames(error: unknown, names: ReadonlyMap<string, string>): unknown {
  if (!(error instanceof ApiError) || error.code !== 'validation_failed') return error;
  const { status, code, fieldsOmitted, requestId } = error;
  const named = (path: string) => names.get(path) ?? path;
  const fields = error.fields.map(({ path, message }) => ({ path: named(path), message }));
  // A message about one field begins with its path.
  const [path = '', ...rest] = error.message.split(': ');
  return new ApiError([named(path), ...rest].join(': '), { status, code, fields, fieldsOmitted, requestId });
}

/** What a failed request means to the user; null for an error that is none of a request, but a defect. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof Failure) return error;
  if (error instanceof ApiError) return new Failure(ENDINGS[error.code] ?? 'failure', refusalText(error));
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

/** What the API says whatever is wrong with a token, so that nobody learns more by guessing. */
const NOT_AUTHORIZED = ERROR_MEANINGS.forbidden.example;

function refusalText({ message, fields, fieldsOmitted }: ApiError): string {
  if (message === NOT_AUTHORIZED) {
    const lacks = fields.find(({ path }) => path === 'header.authorization');
    if (lacks === undefined) return 'This token is unknown here, or was revoked or has expired: lanreach login';
    return `This token may not do that: ${lacks.message}. What it may do: lanreach whoami`;
  }
  // The message of a single field is already part of the main message.
  const others = fields.filter((field) => !message.includes(field.message));
  const lines = [message, ...others.map((field) => `  ${field.path === '' ? 'body' : field.path}: ${field.message}`)];
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
