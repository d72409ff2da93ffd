/** What a device is called, in the language of the page. */
import texts from 'messages:format';
import { calledBy } from '../../shared/called.ts';
import { kindText } from './kind-texts.ts';

/** Its name, or what is known of it; empty when nothing is. */
export function calledText(device: Parameters<typeof calledBy>[0]): string {
  return calledBy({ ...device, devType: kindText(device.devType) }, (maker, kind) =>
    (kind === '' ? texts.calledWithoutKind({ maker }) : texts.called({ maker, kind })).trim(),
  );
}
