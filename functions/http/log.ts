import type { Log } from '../../shared/log.ts';

/** JSON lines on standard output, which is the log in Lambda. */
export const consoleLog: Log = {
  info: (fields, message) => write('info', fields, message),
  warn: (fields, message) => write('warn', fields, message),
  error: (fields, message) => write('error', fields, message),
};

function write(level: string, fields: object, msg: string): void {
  process.stdout.write(
    `${JSON.stringify({ time: new Date().toISOString(), level, msg, ...describeErrors(fields) })}\n`,
  );
}

function describeErrors(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? describe(value) : value]),
  );
}

function describe({ name, message, stack, cause }: Error): object {
  return { name, message, stack, ...(cause instanceof Error ? { cause: describe(cause) } : {}) };
}
