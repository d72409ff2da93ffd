/** The name of the device as the heading of the screen, edited in place. */

import { Pencil } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { common } from '../../text/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { useShortcut } from '../../ui/keys.ts';
import { KindIcon } from '../../ui/kind-icon.tsx';
import styles from './device.module.css';
import { texts } from './texts.ts';
import { useDeviceEditor } from './use-device.ts';

interface Props {
  site: string;
  device: OneDevice;
  mayEdit: boolean;
}

export function NameHeading({ site, device, mayEdit }: Props) {
  const [isOpen, setOpen] = useState(false);
  const pencil = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) pencil.current?.focus(); // The field that had the focus is gone.
    wasOpen.current = isOpen;
  }, [isOpen]);
  useShortcut('n', texts.rename, () => setOpen(true), { when: mayEdit && !isOpen });
  const { devName } = device;
  if (isOpen) return <Naming site={site} device={device} onEnd={() => setOpen(false)} />;
  return (
    <div className={styles.name}>
      <span className={styles.kind}>
        <KindIcon type={device.devType} isAlone />
      </span>
      <h1 data-foreign>{devName === '' ? texts.noName : devName}</h1>
      {mayEdit ? (
        <IconButton ref={pencil} label={texts.rename} onClick={() => setOpen(true)}>
          <Pencil />
        </IconButton>
      ) : null}
    </div>
  );
}

function Naming({ site, device, onEnd }: Omit<Props, 'mayEdit'> & { onEnd: () => void }) {
  /** The device as it was when the form was opened, or when a conflict was shown. */
  const [read, setRead] = useState(device);
  const [name, setName] = useState(device.devName);
  const [hasConflict, setConflict] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const editor = useDeviceEditor(site, device.key);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (name === read.devName && !hasConflict) return onEnd();
    setBusy(true);
    try {
      const { device: latest, conflicts } = await editor.edit(read, { devName: name });
      if (conflicts.length === 0) return onEnd();
      setRead(latest);
      setConflict(true);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form className={styles.naming} onSubmit={(event) => void submit(event)}>
      <div>
        <h1 className="visually-hidden">{device.devName}</h1>
        <TextField
          label={texts.name}
          isLabelHidden
          autoFocus
          value={name}
          onFocus={({ target }) => target.select()}
          onChange={({ target }) => setName(target.value)}
          onKeyDown={({ key }) => {
            if (key === 'Escape') onEnd();
          }}
          error={problem?.message}
        />
        {hasConflict ? (
          <p className={styles.warning} role="alert" data-foreign>
            {texts.conflict(texts.name)} {texts.nowIs(read.devName)}
          </p>
        ) : null}
      </div>
      <Button type="submit" look="primary" disabled={isBusy}>
        {common.save}
      </Button>
      <Button onClick={onEnd}>{common.cancel}</Button>
    </form>
  );
}
