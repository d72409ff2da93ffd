/** A fact about the device, with its source and a way to change it where it stands. */
import texts from 'messages:device';
import fieldLabels from 'messages:deviceFields';
import { Pencil, UserRoundPen } from 'lucide-react';
import type { ReactNode } from 'react';
import type { DeviceField } from '../../../shared/device.ts';
import { confidenceText } from '../../text/confidence.ts';
import { IconButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import styles from './facts.module.css';
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

/** Nothing for an empty field. */
export function FactRow({ field, value, label = fieldLabels[field], judged = null }: Props) {
  const { device, mayEdit, edit } = useDeviceScreen();
  const text = String(device[field]);
  const isByPerson = device.setByPerson.includes(field);
  if (text === '' && value === undefined) return null;
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
        {mayEdit && isText(field) ? (
          <span className={styles.onHover}>
            <IconButton label={texts.editField({ field: label })} icon={<Pencil />} onClick={() => edit(field)} />
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
      className={`${styles.pair} grid relative grid-cols-[104px_minmax(0,1fr)] gap-x-3 text-sm [&>dt]:py-1 [&>dt]:text-muted [&>dd]:min-w-0 [&>dd]:py-1 [&>dd]:wrap-anywhere [&>dd]:whitespace-pre-wrap`}
    >
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function isText(field: DeviceField): field is TextField {
  return TEXT_FIELDS.some((one) => one === field);
}
