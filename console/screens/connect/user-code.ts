/** The code that the command line shows: two groups of four letters. */

/** As the API takes it; null for what cannot be one. */
export function userCodeIn(text: string): string | null {
  const letters = text.toUpperCase().replace(/[\s-]/g, '');
  return /^[A-Z]{8}$/.test(letters) ? `${letters.slice(0, 4)}-${letters.slice(4)}` : null;
}
