/** What people call a device that has no name. Without zod, because the console loads it with its lists. */
import { UNKNOWN_NAMES } from './words.ts';

interface Called {
  devName: string;
  devVendor: string;
  /** As people read it. */
  devType: string;
  devMac: string;
}

/** Words behind which the name of a company says nothing more to people: Cisco Systems, Inc. */
const COMPANY =
  /[,(].*|\s(?:Systems?|Technolog\w*|Electronics?|Corp\w*|Inc\b|Co\b|Company|Ltd|Limited|GmbH|AG\b|LLC|BV\b|AB\b|S\.?[AR]|International|Interactive|Computer|Communications?|Networks?|Industr\w*|Audiovisuelle\w*).*$/i;

/**
 * The name of a device; where it has none, what is known of it: `Cisco device …01:C0`. Empty when nothing is.
 * @param of puts a maker and a kind together, of which one may be empty
 */
export function calledBy(
  { devName, devVendor, devType, devMac }: Called,
  of: (maker: string, kind: string) => string = (maker, kind) => `${maker} ${kind || 'device'}`.trim(),
): string {
  const name = devName.trim();
  if (name !== '' && !UNKNOWN_NAMES.includes(name)) return name;
  const maker = devVendor.replace(COMPANY, '').trim();
  if (maker === '' && devType === '') return '';
  return [of(maker, devType), devMac === '' ? '' : `…${devMac.slice(-5)}`].filter((part) => part !== '').join(' ');
}
