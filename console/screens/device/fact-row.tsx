/** A fact about the device, with its source and a way to change it where it stands. */
import texts from 'messages:device';
import fieldLabels from 'messages:deviceFields';
import { Pencil, Plus, UserRoundPen } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { DeviceField } from '../../../shared/device.ts';
import { confidenceText } from '../../text/confidence.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import styles from './facts.module.css';
import { InPlace, useReturnOfFocus } from './in-place.tsx';
import { TEXT_FIELDS, type TextField } from './merge-edit.ts';
import { useDeviceScreen } from './screen.ts';

const VALUE = 'flex flex-wrap items-center gap-x-2 min-w-0 [&>:first-child]:min-w-0';

/** The value that the evidence supports. */
export interface Judged {
  value: string;
  confidence: number;
}

interface Props {
  field: DeviceField;
  /** In place of the text of the field. */
  value?: ReactNode;
  /** In place of the name of the field. */
  label?: string;
  judged?: Judged | null;
}

/** Nothing for an empty field that cannot be filled in here. */
export function FactRow({ field, value, label = fieldLabels[field], judged = null }: Props) {
  const { device, mayEdit } = useDeviceScreen();
  const [isOpen, setOpen] = useState(false);
  const opener = useReturnOfFocus(isOpen);
  const text = String(device[field]);
  const isByPerson = device.setByPerson.includes(field);
  const canEdit = mayEdit && isText(field);
  if (text === '' && value === undefined && !canEdit) return null;
  if (isOpen && isText(field)) {
    return (
      <Pair label={label}>
        <InPlace field={field} onEnd={() => setOpen(false)} />
      </Pair>
    );
  }
  if (text === '' && canEdit) {
    return (
      <Pair label={label}>
        <Button
          ref={opener}
          look="quiet"
          // Buttons are higher than a line, and must not make their row higher.
          className="-my-1.75 -ms-2 px-1.75 text-muted font-normal [&_svg]:size-3.5"
          aria-label={texts.addField({ field: label })}
          onClick={() => setOpen(true)}
        >
          <Plus aria-hidden="true" />
          {texts.add}
        </Button>
      </Pair>
    );
  }
  return (
    <Pair label={label}>
      <div className={VALUE}>
        {value ?? <span data-foreign>{text}</span>}
        {!isByPerson && judged !== null && text !== '' ? (
          <span className="text-muted text-xs">{confidenceText(judged.confidence)}</span>
        ) : null}
        {isByPerson && judged !== null ? (
          <span className="inline-flex text-muted [&_svg]:size-3.5" title={texts.byPersonHint}>
            <UserRoundPen aria-hidden="true" />
            <span className="visually-hidden">{texts.byPerson}</span>
          </span>
        ) : null}
        {canEdit ? (
          <span className={styles.onHover}>
            <IconButton ref={opener} label={texts.editField({ field: label })} onClick={() => setOpen(true)}>
              <Pencil />
            </IconButton>
          </span>
        ) : null}
      </div>
      {isByPerson && judged !== null && judged.value !== text ? (
        <p className="text-muted text-xs" data-foreign>
          {texts.evidenceSays({ value: judged.value, confidence: confidenceText(judged.confidence) })}
        </p>
      ) : null}
    </Pair>
  );
}

/** An address, with a button that copies it. */
export function AddressRow({ label, text, hint }: { label: string; text: string; hint?: string | undefined }) {
  return (
    <Pair label={label}>
      <div className={VALUE}>
        <code data-foreign>{text}</code>
        <span className={styles.onHover}>
          <CopyButton label={texts.copyOf({ field: label })} text={text} />
        </span>
      </div>
      {hint === undefined ? null : <p className="text-muted text-xs">{hint}</p>}
    </Pair>
  );
}

export function Pair({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div
      className={`${styles.pair} grid relative grid-cols-[84px_minmax(0,1fr)] gap-x-3 text-sm [&>dt]:py-1 [&>dt]:text-muted [&>dd]:min-w-0 [&>dd]:py-1 [&>dd]:wrap-anywhere [&>dd]:whitespace-pre-wrap`}
    >
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function isText(field: DeviceField): field is TextField {
  return TEXT_FIELDS.some((one) => one === field);
}
