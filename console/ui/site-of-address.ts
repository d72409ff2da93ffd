/** The site of an address such as `/sites/home/devices`; null when it is about none or about all. */
export function siteOfAddress(address: string): string | null {
  return /^\/sites\/([^/?]+)/.exec(address)?.[1] ?? null;
}
