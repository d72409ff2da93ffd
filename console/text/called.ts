/** What a device is called, in the language of the page. */
import { calledBy } from '../../shared/called.ts';
import { kindText } from './kind-texts.ts';
import { inLanguage } from './language.ts';

const join = inLanguage<((maker: string, kind: string) => string) | undefined>(undefined, (maker, kind) =>
  kind !== '' ? `${maker} ${kind}`.trim() : `${maker}-Gerät`,
);

/** Its name, or what is known of it; empty when nothing is. */
export function calledText(device: Parameters<typeof calledBy>[0]): string {
  return calledBy({ ...device, devType: kindText(device.devType) }, join);
}
