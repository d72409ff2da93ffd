/** Moves a device to another parent without a mouse. */
import texts from 'messages:map';
import { type FormEvent, useDeferredValue, useEffect, useRef, useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { StatusShape } from '../../ui/status.tsx';
import styles from './map.module.css';
import { TONES } from './naming.ts';
import { INTERNET, type TopologyDevice, titleOf, withAllBehind } from './tree.ts';
import { search } from './view.ts';

interface Props {
  devices: readonly TopologyDevice[];
  /** Null: the dialog starts with choosing one. */
  device: TopologyDevice | null;
  onMove: (key: string, parent: string) => void;
  onClose: () => void;
}

export function MoveDialog({ devices, device, onMove, onClose }: Props) {
  const [moving, setMoving] = useState(device);
  if (moving === null) {
    const choices = devices.filter(({ key }) => key !== INTERNET).map(choiceOf);
    const onChoose = (key: string) => setMoving(devices.find((one) => one.key === key) ?? null);
    return (
      <Dialog title={texts.move} onClose={onClose}>
        <Picker key="device" label={texts.whichDevice} choices={choices} onChoose={onChoose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={texts.moveDevice({ name: titleOf(moving) })} onClose={onClose}>
      <Picker
        key="parent"
        label={texts.newParent}
        hint={texts.parentHint}
        choices={parentsFor(devices, moving)}
        onChoose={(parent) => {
          onMove(moving.key, parent);
          onClose();
        }}
      />
    </Dialog>
  );
}

interface Choice {
  key: string;
  title: string;
  detail: string;
  device: TopologyDevice | null;
}

const MAX_SHOWN = 50;

interface PickerProps {
  label: string;
  hint?: string;
  choices: readonly Choice[];
  onChoose: (key: string) => void;
}

function Picker({ label, hint, choices, onChoose }: PickerProps) {
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.setAttribute('autofocus', ''); // Otherwise the dialog focuses its first button.
    input.current?.focus();
  }, []);
  const found = choicesFor(choices, wanted);

  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    // The deferred list may lag behind the input.
    const [first] = choicesFor(choices, text);
    if (text.trim() !== '' && first !== undefined) onChoose(first.key);
  }

  return (
    <form onSubmit={onSubmit}>
      <TextField
        ref={input}
        type="search"
        label={label}
        value={text}
        maxLength={256}
        onChange={({ target }) => setText(target.value)}
      />
      <ul className="grid gap-0.5 max-h-80 mt-3 overflow-y-auto">
        {found.slice(0, MAX_SHOWN).map(({ key, title, detail, device }) => (
          <li key={key}>
            <button
              type="button"
              className={`${styles.choice} flex items-center gap-2 w-full min-h-8.5 px-2.5 py-1 border border-transparent rounded-control bg-transparent text-start cursor-pointer hover:bg-hover focus-visible:-outline-offset-2 [&_span]:truncate`}
              onClick={() => onChoose(key)}
            >
              {device === null ? null : <StatusShape tone={TONES[device.status]} />}
              <span title={title} data-foreign>
                {title}
              </span>
              <span className={styles.detail} data-foreign>
                {detail}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-muted" role="status">
        {found.length === 0
          ? texts.noneFits
          : found.length > MAX_SHOWN
            ? texts.firstOf({ shown: MAX_SHOWN, all: found.length })
            : hint}
      </p>
    </form>
  );
}

/** Devices with a MAC address that are no descendants; existing parents come first. */
function parentsFor(devices: readonly TopologyDevice[], moving: TopologyDevice): Choice[] {
  const infrastructure = new Set(devices.map(({ parent }) => parent));
  const behind = withAllBehind(devices, moving.key);
  const choices = devices
    .filter(({ key }) => !key.startsWith('~') && key !== moving.parent && !behind.has(key))
    .map(choiceOf)
    .toSorted((a, b) => Number(infrastructure.has(b.key)) - Number(infrastructure.has(a.key)));
  const hasInternet = moving.parent === INTERNET || choices.some(({ key }) => key === INTERNET);
  return [
    ...(moving.parent === '' ? [] : [{ key: '', title: texts.noParent, detail: '', device: null }]),
    ...(hasInternet ? [] : [{ key: INTERNET, title: texts.internet, detail: '', device: null }]),
    ...choices,
  ];
}

function choiceOf(device: TopologyDevice): Choice {
  const title = titleOf(device);
  return { key: device.key, title, detail: device.ip === title ? '' : device.ip, device };
}

function choicesFor(choices: readonly Choice[], text: string): readonly Choice[] {
  const blank = { ip: '', type: '', status: 'offline', parent: '', parentPort: '' } as const;
  const found = search(
    choices.map(({ key, title, device }) => device ?? { ...blank, key, name: title }),
    text,
  );
  return found === null ? choices : choices.filter(({ key }) => found.has(key));
}
