/** A display name for devices without a name, and for makers. Without zod, because the console loads it with its lists. */
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
  /[,(].*|\s(?:Systems?\b|Technolog\w*|Techn?ik\b|Electr(?:ic|onics?)\b|Corp\w*|Inc(?:orporated)?\b|Intl?\b|Co\b|Company|Ltd|Limited|GmbH|AG\b|LLC|PTE\b|B\.?V\b|AB\b|S\.?[AR]\b|S\.?R\.?L\b|SAS\b|International|Interactive|Computer|Communications?|Networks?|Industr\w*|Audiovisuelle\w*|Digital|Trading|Manufacturing|Precision|Semiconductor\w*|Cloud Computing|Mobil(?:e|ity)\b|Labs\b|Europe).*$/i;
/** Where the company is: Hangzhou Hikvision. */
const CITY =
  /^(?:Beijing|Chongqing|Dongguan|Guang(?:dong|zhou)|Hangzhou|Hui ?Zhou|Shanghai|Shenzhen|Zhejiang)\s+(?=\S)/i;
/** Makers that people know by another name, by its beginning in lower case. */
const BRANDS: Readonly<Record<string, string>> = {
  ...{ asustek: 'ASUS', azurewave: 'AzureWave', 'china mobile': 'China Mobile', 'giga-byte': 'Gigabyte' },
  ...{ 'hewlett packard enterprise': 'HPE', 'hewlett packard': 'HP', 'hon hai': 'Foxconn', huawei: 'Huawei' },
  ...{ 'micro-star': 'MSI', nokia: 'Nokia', philips: 'Philips', 'robert bosch': 'Bosch', routerboard: 'MikroTik' },
  ...{ samsung: 'Samsung', 'seiko epson': 'Epson', 'super micro': 'Supermicro', 'tp-link': 'TP-Link' },
};

/** A maker as people call it, such as `AVM`; a name that is no company's stays as it is. */
export function brandOf(vendor: string): string {
  const lower = vendor.toLowerCase();
  const known = Object.keys(BRANDS).find((start) => lower.startsWith(start));
  if (known !== undefined) return BRANDS[known] ?? vendor;
  const short = vendor.replace(CITY, '').replace(COMPANY, '').trim() || vendor;
  // Longer words in capitals are no abbreviations: NETGEAR.
  return short.replace(/\b\p{Lu}{5,}\b/gu, ([first = '', ...rest]) => first + rest.join('').toLowerCase());
}

/** A device's name, else such as `Cisco device …01:C0`, or empty. @param of a maker and a kind; one may be empty */
export function calledBy(
  { devName, devVendor, devType, devMac }: Called,
  of: (maker: string, kind: string) => string = (maker, kind) => `${maker} ${kind || 'device'}`.trim(),
): string {
  const name = devName.trim();
  if (name !== '' && !UNKNOWN_NAMES.includes(name)) return name;
  const maker = brandOf(devVendor);
  if (maker === '' && devType === '') return '';
  return [of(maker, devType), devMac === '' ? '' : `…${devMac.slice(-5)}`].filter((part) => part !== '').join(' ');
}
