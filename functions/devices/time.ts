/** `YYYY-MM-DD HH:MM:SS`, UTC: how a device's record holds a time. */
export function formatTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

/** The time of such a text (Unix, ms); 0 for one that is none. */
export function readTime(text: string): number {
  const at = Date.parse(`${text.replace(' ', 'T')}Z`);
  return Number.isNaN(at) ? 0 : at;
}
