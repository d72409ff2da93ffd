/** One device in the table. Its keys and clicks are those of the grid around it. */

import { Star } from 'lucide-react';
import { memo } from 'react';
import { Link } from 'wouter';
import { statusOf } from '../../../shared/device-status.ts';
import { fieldLabels } from '../../text/device-fields.ts';
import { DeviceStateFact } from '../../ui/device-state.tsx';
import { KindIcon } from '../../ui/kind-icon.tsx';
import type { ColumnName } from './columns.tsx';
import { COLUMNS } from './columns.tsx';
import { type Device, titleOf } from './device.ts';
import styles from './device-row.module.css';
import type { Draft, InPlaceField } from './draft.ts';
import { GridPart } from './grid-part.tsx';
import { texts } from './texts.ts';

export interface RowProps {
  site: string;
  device: Device;
  index: number;
  top: number;
  columns: readonly ColumnName[];
  /** On a phone, where a row has two lines in place of columns. */
  isNarrow: boolean;
  isActive: boolean;
  isSelected: boolean;
  canWrite: boolean;
  /** The values that are being edited in this row. */
  draft: Draft | null;
  onDraft: (draft: Draft) => void;
  parents: ReadonlyMap<string, string>;
}

export const DeviceRow = memo(function DeviceRow(props: RowProps) {
  const { device, index, top, columns, isNarrow, isActive, isSelected, canWrite, draft } = props;
  const first = canWrite ? 2 : 1;
  return (
    <GridPart
      role="row"
      aria-rowindex={index + 2}
      aria-selected={canWrite ? isSelected : undefined}
      data-index={index}
      // While the row is edited, Tab goes through its inputs only.
      tabIndex={isActive && draft === null ? 0 : -1}
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
    >
      {canWrite ? (
        <GridPart role="gridcell" aria-colindex={1} data-does="select" className={styles.select}>
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isSelected}
            readOnly
            aria-label={texts.selectOne(titleOf(device))}
          />
        </GridPart>
      ) : null}
      {isNarrow ? (
        <GridPart role="gridcell" aria-colindex={first} className={styles.two}>
          <NameCell {...props} />
          <Facts device={device} />
        </GridPart>
      ) : (
        columns.map((name, i) => (
          <GridPart
            key={name}
            role="gridcell"
            aria-colindex={first + i}
            data-field={COLUMNS[name].edits}
            className={styles.cell}
          >
            {name === 'name' ? <NameCell {...props} /> : <Cell {...props} name={name} />}
          </GridPart>
        ))
      )}
    </GridPart>
  );
});

function Cell({ name, device, draft, onDraft, parents }: RowProps & { name: ColumnName }) {
  const { edits, show } = COLUMNS[name];
  if (draft === null || edits === undefined) return show(device, parents);
  return <EditInput field={edits} draft={draft} onDraft={onDraft} />;
}

function NameCell({ site, device, canWrite, draft, onDraft }: RowProps) {
  const title = titleOf(device);
  if (draft !== null) return <EditInput field="devName" draft={draft} onDraft={onDraft} />;
  const isFavourite = device.devFavorite === 1;
  return (
    <div className={styles.name}>
      {canWrite ? (
        <button
          type="button"
          data-does="favourite"
          tabIndex={-1}
          className={styles.star}
          aria-pressed={isFavourite}
          aria-label={texts.favouriteOne(title)}
        >
          <Star fill={isFavourite ? 'currentColor' : 'none'} aria-hidden="true" />
        </button>
      ) : isFavourite ? (
        <span className={styles.star} role="img" aria-label={texts.favourite}>
          <Star fill="currentColor" aria-hidden="true" />
        </span>
      ) : null}
      <span className={styles.kind}>
        <KindIcon type={device.devType} isAlone />
      </span>
      <Link
        href={`/sites/${site}/devices/${encodeURIComponent(device.key)}`}
        tabIndex={-1}
        className={device.devName === '' ? styles.nameless : styles.link}
        title={title}
        data-foreign
      >
        {title || texts.nameless}
      </Link>
      {device.devIsNew === 1 && device.devIsArchived === 0 ? <span className={styles.badge}>{texts.isNew}</span> : null}
    </div>
  );
}

/** The second line on a phone. */
function Facts({ device }: { device: Device }) {
  return (
    <div className={styles.facts}>
      <DeviceStateFact status={statusOf(device)} watch={device.watch} />
      <code>{device.devName === '' ? device.devMac : device.devLastIP}</code>
      <span className={styles.clip} data-foreign>
        {device.devType || device.devVendor}
      </span>
    </div>
  );
}

interface EditProps {
  field: InPlaceField;
  draft: Draft;
  onDraft: (draft: Draft) => void;
}

const MAX_LENGTH = 4_000;

function EditInput({ field, draft, onDraft }: EditProps) {
  return (
    <input
      className={styles.edit}
      name={field}
      aria-label={fieldLabels[field]}
      list={field === 'devName' ? undefined : `devices-${field}`}
      maxLength={MAX_LENGTH}
      autoComplete="off"
      spellCheck={false}
      value={draft[field]}
      onChange={({ target }) => onDraft({ ...draft, [field]: target.value })}
    />
  );
}
