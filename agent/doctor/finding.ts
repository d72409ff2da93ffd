/** The deadline of each check over the network. */
export const ANSWER_WITHIN_MS = 5_000;

export interface Finding {
  /** The subject, such as `certificate`. */
  check: string;
  state: 'ok' | 'warning' | 'problem';
  /** A part of a sentence. */
  message: string;
  /** What to do about it; null when nothing need or can be done. */
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
