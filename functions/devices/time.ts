/** The format of times in device records: `YYYY-MM-DD HH:MM:SS`, UTC. */
export const formatTime = (at: Date): string => at.toISOString().slice(0, 19).replace('T', ' ');

/** Unix, ms; 0 for an invalid text. */
export function readTime(text: string): number {
  const at = Date.parse(`${text.replace(' ', 'T')}Z`);
  return Number.isNaN(at) ? 0 : at;
}
