/** What people have called devices like this one: an offer, which one button takes over. */
import type { DeviceEdit } from '../../../shared/api/device-edits.ts';
import type { LooksLike } from '../../../shared/api/device-evidence.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { KindIcon } from '../../ui/kind-icon.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import styles from './device.module.css';
import { texts } from './texts.ts';
import { useDeviceEditor } from './use-device.ts';

interface Props {
  site: string;
  device: OneDevice;
  mayEdit: boolean;
}

export function LookAlikes({ site, device, mayEdit }: Props) {
  const editor = useDeviceEditor(site, device.key);
  const question = { site, params: { mac: device.key } };
  const { data } = useAnswer('GET /devices/{mac}/evidence', question, { everyMs: POLL_MS.calm });
  const offers = (data?.looksLike ?? []).filter((alike) => Object.keys(editTo(device, alike)).length > 0);

  async function takeOver(alike: LooksLike): Promise<void> {
    const edit = editTo(device, alike);
    try {
      await editor.set(edit);
      const undo = () => void editor.set(undoOf(device, edit)).catch(showProblem);
      showToast(texts.takenOver(nameOf(alike)), { label: common.undo, run: undo });
    } catch (error) {
      showProblem(error);
    }
  }

  return offers.map((alike) => (
    <div key={nameOf(alike)} className={styles.offer}>
      <KindIcon type={alike.type} />
      <div>
        <div data-foreign>{texts.looksLike(nameOf(alike), alike.sites)}</div>
        {alike.because.length === 0 ? null : (
          <div className={styles.hint} data-foreign>
            {texts.alikeBecause(alike.because.join(', '))}
          </div>
        )}
      </div>
      {mayEdit ? <Button onClick={() => void takeOver(alike)}>{texts.takeOver}</Button> : null}
    </div>
  ));
}

function nameOf({ type, vendor, model }: LooksLike): string {
  return [type, vendor, model].filter((part) => part !== '').join(', ');
}

/** The fields that would be others; the vendor is known by the MAC. */
function editTo(device: OneDevice, { type, model }: LooksLike): DeviceEdit {
  return {
    ...(type === '' || type === device.devType ? {} : { devType: type }),
    ...(model === '' || model === device.devModel ? {} : { devModel: model }),
  };
}

/** What nobody had set goes back to recognition. */
function undoOf(device: OneDevice, edit: DeviceEdit): DeviceEdit {
  const before = (field: 'devType' | 'devModel') => (device.setByPerson.includes(field) ? device[field] : '');
  return {
    ...(edit.devType === undefined ? {} : { devType: before('devType') }),
    ...(edit.devModel === undefined ? {} : { devModel: before('devModel') }),
  };
}
