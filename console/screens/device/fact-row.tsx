/** A fact about the device: what it is, by whom that is said, and a way to change it where it stands. */
import texts from 'messages:device';
import fieldLabels from 'messages:deviceFields';
import { Pencil, Plus, UserRoundPen } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import type { DeviceField } from '../../../shared/device.ts';
import { confidenceText } from '../../text/confidence.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import styles from './facts.module.css';
import { InPlace, useReturnOfFocus } from './in-place.tsx';
import { TEXT_FIELDS, type TextField } from './merge-edit.ts';

const VALUE = 'flex flex-wrap items-center gap-x-2 min-w-0 [&>:first-child]:min-w-0';

/** What the evidence says of a field, for people. */
export interface Said {
  value: string;
  confidence: number;
}

interface Props {
  site: string;
  device: OneDevice;
  field: DeviceField;
  mayEdit: boolean;
  /** In place of the text of the field. */
  value?: ReactNode;
  /** In place of the name of the field. */
  label?: string;
  said?: Said | null;
}

/** Nothing for a field that is empty, and that nobody can fill in here. */
export function FactRow({ site, device, field, mayEdit, value, label = fieldLabels[field], said = null }: Props) {
  const [isOpen, setOpen] = useState(false);
  const opener = useReturnOfFocus(isOpen);
  const text = String(device[field]);
  const isByPerson = device.setByPerson.includes(field);
  const canEdit = mayEdit && isText(field);
  if (text === '' && value === undefined && !canEdit) return null;
  if (isOpen && isText(field)) {
    return (
      <Pair label={label}>
        <InPlace site={site} device={device} field={field} onEnd={() => setOpen(false)} />
      </Pair>
    );
  }
  if (text === '' && canEdit) {
    return (
      <Pair label={label}>
        <Button
          ref={opener}
          look="quiet"
          // Buttons are higher than a line, and must not make its row higher than the others.
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
        {isByPerson || said === null || text === '' ? null : (
          <span className="text-muted text-xs">{confidenceText(said.confidence)}</span>
        )}
        {isByPerson && said !== null ? (
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
      {isByPerson && said !== null && said.value !== text ? (
        <p className="text-muted text-xs" data-foreign>
          {texts.evidenceSays({ value: said.value, confidence: confidenceText(said.confidence) })}
        </p>
      ) : null}
    </Pair>
  );
}

/** An address, which people take elsewhere. */
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
