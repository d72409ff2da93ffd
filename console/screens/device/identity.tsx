/** What the device is: by whom that is said, how sure it is, and what was observed of it. */
import { Pencil, UserRoundPen } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { DeviceEvidence } from '../../../shared/api/device-evidence.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { KINDS } from '../../../shared/recognition/kind-table.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { confidenceText } from '../../text/confidence.ts';
import { fieldLabels } from '../../text/device-fields.ts';
import { sourceTexts } from '../../text/observation-texts.ts';
import { IconButton } from '../../ui/button.tsx';
import { KindIcon } from '../../ui/kind-icon.tsx';
import { Card } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { EditDialog } from './edit-dialog.tsx';
import styles from './identity.module.css';
import { identityTexts as texts } from './identity-texts.ts';
import { LookAlikes } from './look-alikes.tsx';

interface Props {
  site: string;
  device: OneDevice;
  mayEdit: boolean;
}

type Field = 'devType' | 'devVendor' | 'devModel' | 'devName';

/** What the evidence says of a field, for people. */
interface Said {
  value: string;
  confidence: number;
  because: readonly { source: keyof typeof sourceTexts; value: string }[];
}

export function Identity({ site, device, mayEdit }: Props) {
  const [edited, setEdited] = useState<Exclude<Field, 'devVendor'> | null>(null);
  const answer = useAnswer(
    'GET /devices/{mac}/evidence',
    { site, params: { mac: device.key } },
    { everyMs: POLL_MS.calm },
  );
  const judged = answer.data?.judgement;
  const said: Record<Field, Said | null> = {
    devType: judged?.kind ? { ...judged.kind, value: KINDS[judged.kind.value].label } : null,
    devVendor: judged?.vendor ?? null,
    devModel: judged?.model ?? null,
    devName: judged?.name ?? null,
  };
  const row = (field: Field) => (
    <Row
      field={field}
      device={device}
      said={said[field]}
      onEdit={mayEdit && field !== 'devVendor' ? () => setEdited(field) : undefined}
    />
  );
  return (
    <Card title={texts.title}>
      <dl className={styles.rows}>
        {row('devType')}
        {row('devVendor')}
        {row('devModel')}
        {row('devName')}
      </dl>
      <Answered of={answer}>
        {(evidence) => (
          <>
            <LookAlikes {...{ site, device, mayEdit }} alikes={evidence.looksLike} />
            <Observations of={evidence} />
          </>
        )}
      </Answered>
      {edited === null ? null : (
        <EditDialog site={site} device={device} first={edited} onClose={() => setEdited(null)} />
      )}
    </Card>
  );
}

interface RowProps {
  field: Field;
  device: OneDevice;
  said: Said | null;
  onEdit: (() => void) | undefined;
}

function Row({ field, device, said, onEdit }: RowProps) {
  const value = device[field];
  const isByPerson = device.setByPerson.includes(field);
  return (
    <div className={styles.row}>
      <dt>{fieldLabels[field]}</dt>
      <dd>
        <div className={styles.value}>
          {field === 'devType' && value !== '' ? <KindIcon type={value} /> : null}
          {value === '' ? <span className={styles.muted}>{texts.notKnown}</span> : <span data-foreign>{value}</span>}
          <Certainty value={value} isByPerson={isByPerson} said={said} />
          {onEdit === undefined ? null : (
            <IconButton label={texts.editField(fieldLabels[field])} onClick={onEdit}>
              <Pencil />
            </IconButton>
          )}
        </div>
        {isByPerson && said !== null && said.value !== value ? (
          <div className={styles.muted} data-foreign>
            {texts.evidenceSays(said.value, confidenceText(said.confidence))}
          </div>
        ) : null}
        {said === null ? null : <Why field={field} because={said.because} />}
      </dd>
    </div>
  );
}

function Certainty({ value, isByPerson, said }: { value: string; isByPerson: boolean; said: Said | null }): ReactNode {
  if (isByPerson) {
    return (
      <span className={styles.chip} title={texts.byPersonHint}>
        <UserRoundPen aria-hidden="true" />
        {texts.byPerson}
      </span>
    );
  }
  if (said === null || value === '') return null;
  return <span className={styles.chip}>{confidenceText(said.confidence)}</span>;
}

function Why({ field, because }: { field: Field; because: Said['because'] }) {
  return (
    <details className={styles.why}>
      <summary>
        {texts.why}
        <span className="visually-hidden"> ({fieldLabels[field]})</span>
      </summary>
      <ul>
        {because.map(({ source, value }) => (
          <li key={`${source} ${value}`}>
            {sourceTexts[source]}: <code data-foreign>{value}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The device may lie: what it says of itself is shown as its words, and nothing is done with it but to show it. */
function Observations({ of: { observations } }: { of: DeviceEvidence }) {
  if (observations.length === 0) return <p className={styles.muted}>{texts.nothingObserved}</p>;
  return (
    <details className={styles.why}>
      <summary>{texts.observations(observations.length)}</summary>
      <p className={styles.muted}>{texts.ownWords}</p>
      <Table
        label={texts.observations(observations.length)}
        rows={observations}
        keyOf={({ by, source, value }) => `${by} ${source} ${value}`}
        columns={[
          {
            heading: texts.source,
            cell: ({ source, by, since }) => (
              <>
                {sourceTexts[source]}
                <div className={styles.muted}>
                  {by === 'scans' ? texts.byScans : by} · <Time at={since} />
                </div>
              </>
            ),
          },
          { heading: texts.says, cell: ({ value }) => <code data-foreign>{value}</code> },
        ]}
      />
    </details>
  );
}
