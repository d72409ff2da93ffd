/**
 * The operating system of this host, as far as the agent has to tell systems apart. What depends on it takes it as an
 * argument, so that the ways of other systems can be tested here.
 */

export type Platform = 'linux' | 'macos' | 'windows';

export function platformOf(name: string): Platform {
  if (name === 'win32') return 'windows';
  return name === 'darwin' ? 'macos' : 'linux';
}

/** Chosen once. */
export const PLATFORM: Platform = platformOf(process.platform);

/**
 * What is not known of a system because nobody has run the agent there; null where that is done before each release. To be
 * deleted by who has.
 */
export function unproven(platform = PLATFORM): string | null {
  const how = 'was made by documents and has never been proven there';
  if (platform === 'windows')
    return `what the agent does on Windows ${how}; arp-scan, broadcasts and IPv6 pings are left out`;
  if (platform === 'macos') return `what the agent does on macOS ${how}; discovery does not work on it`;
  return null;
}
