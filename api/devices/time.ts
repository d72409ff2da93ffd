/** `YYYY-MM-DD HH:MM:SS`, UTC: how a device's record holds a time. */
export function formatTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}
