/**
 * The IEEE 1284 device id, mostly of printers: `MFG:HP;MDL:LaserJet 4200;CLS:PRINTER;`, and in DHCP
 * `Mfg=Xerox;Typ=MFP;Mod=VersaLink C405;Ser=…`. Any maker, either spelling, in any order.
 */
import type { Row } from '../rule.ts';

const PRINTER = { kind: 'printer', weight: 0.9 } as const;

export const DEVICE_ID: readonly Row[] = [
  [/(?:^|; ?)(?:Typ|Type|CLS|CLASS)[=:] ?[^;]{0,30}(?:print|mfp|mfd|multifunction|copier|fax)/i, PRINTER],
  [/(?:^|; ?)(?:Typ|Type|CLS|CLASS)[=:] ?[^;]{0,30}scan/i, 'scanner', 0.85],
  [/(?:^|; ?)(?:CMD|COMMAND SET)[=:][^;]{0,60}(?:PCL|PJL|POSTSCRIPT|ESC|ZPL|EPL|URF|PWG)/i, PRINTER],
  [/(?:^|; ?)(?:Mfg|MANUFACTURER)[=:] ?([^;]{1,60})/i, { vendor: '$1' }],
  [/(?:^|; ?)(?:Mod|MDL|MODEL)[=:] ?([^;]{1,60})/i, { model: '$1' }],
];
