/** The result of one check of the doctor. */
export interface Finding {
  /** What was looked at, such as `certificate`. */
  check: string;
  state: 'ok' | 'warning' | 'problem';
  /** What was found, as a part of a sentence. */
  message: string;
  /** What to do about it; null when all is well, or when nothing can be done. */
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

/** The message of an error, together with its code if the message does not contain it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : error;
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
