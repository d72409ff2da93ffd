/**
 * The operating system of this host, as far as the agent has to tell systems apart. What depends on it takes it as an
 * argument, so that the ways of other systems can be tested here.
 */

export type Platform = 'linux' | 'macos';

/** Chosen once. */
export const PLATFORM: Platform = process.platform === 'darwin' ? 'macos' : 'linux';

/**
 * What is not known of a system because nobody has run the agent there; null where that is done before each release. To be
 * deleted by who has.
 */
export function unproven(platform = PLATFORM): string | null {
  if (platform === 'linux') return null;
  return 'what the agent does on macOS was made by documents and has never been proven there; discovery does not work on it';
}
