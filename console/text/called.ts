/** The display name of a device, in the language of the page. */
import texts from 'messages:format';
import { calledBy } from '../../shared/called.ts';
import { kindText } from './kind-texts.ts';

/** Its name, or its maker and kind; empty without any. */
export function calledText(device: Parameters<typeof calledBy>[0]): string {
  return calledBy({ ...device, devType: kindText(device.devType) }, (maker, kind) =>
    (kind === '' ? texts.calledWithoutKind({ maker }) : texts.called({ maker, kind })).trim(),
  );
}
