/** What the doctor says of one thing. */
export interface Finding {
  /** What was looked at, such as `certificate`. */
  check: string;
  state: 'ok' | 'warning' | 'problem';
  /** What was found, as part of a sentence. */
  message: string;
  /** What to do about it; null when it is in order, or nothing can be done. */
  hint: string | null;
}

export function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message, hint: null };
}

export function warning(check: string, message: string, hint: string | null = null): Finding {
  return { check, state: 'warning', message, hint };
}

export function problem(check: string, message: string, hint: string | null = null): Finding {
  return { check, state: 'problem', message, hint };
}

/** The message of an error, with its code where only that tells what happened. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : error;
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
