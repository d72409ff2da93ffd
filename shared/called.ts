/** A display name for devices without a name. Without zod, because the console loads it with its lists. */
import { UNKNOWN_NAMES } from './words.ts';

interface Called {
  devName: string;
  devVendor: string;
  /** As people read it. */
  devType: string;
  devMac: string;
}

/** The part of a company name that means nothing to people: Cisco Systems, Inc. */
const COMPANY =
  /[,(].*|\s(?:Systems?|Technolog\w*|Electronics?|Corp\w*|Inc\b|Co\b|Company|Ltd|Limited|GmbH|AG\b|LLC|BV\b|AB\b|S\.?[AR]|International|Interactive|Computer|Communications?|Networks?|Industr\w*|Audiovisuelle\w*).*$/i;

/**
 * The name of a device, or else a description such as `Cisco device …01:C0`; empty when nothing is known of it.
 * @param of combines a maker and a kind, of which one may be empty
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
