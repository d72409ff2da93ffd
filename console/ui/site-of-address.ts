/** The site of an address such as `/sites/home/devices`; null for one about no site or all sites. */
export function siteOfAddress(address: string): string | null {
  return /^\/sites\/([^/?]+)/.exec(address)?.[1] ?? null;
}
