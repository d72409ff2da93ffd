/** One device in the table. The grid handles its keys and clicks. */
import fieldLabels from 'messages:deviceFields';
import texts from 'messages:devices';
import { Star } from 'lucide-react';
import { memo } from 'react';
import { brandOf } from '../../../shared/called.ts';
import { kindText } from '../../text/kind-texts.ts';
import { Chip } from '../../ui/chip.tsx';
import { stateWord, toneOf } from '../../ui/device-state.tsx';
import { KindIcon } from '../../ui/kind-icon.tsx';
import { StatusShape } from '../../ui/status.tsx';
import { COLUMNS, type ColumnName, Latency } from './columns.tsx';
import { type Device, isSeenNow, pathOf, stateOf, titleOf } from './device.ts';
import styles from './device-row.module.css';
import { GridPart } from './grid-part.tsx';
import type { Presence } from './use-presence.ts';
import type { Draft, InPlaceField } from './use-row-edit.ts';
import { RowActions } from './verbs.tsx';

interface RowProps {
  site: string;
  device: Device;
  /** Its place among the devices that are shown. */
  index: number;
  /** Its place among all rows, for screen readers. */
  line: number;
  top: number;
  columns: readonly ColumnName[];
  /** On a phone, where a row is a card of two lines. */
  isNarrow: boolean;
  isActive: boolean;
  isSelected: boolean;
  canWrite: boolean;
  /** Among the new devices on top, which wait for a name. */
  isUnnamed: boolean;
  /** Whether there is a column for the actions, and whether the row shows them. */
  hasActions: boolean;
  showsActions: boolean;
  /** Null while the row is not edited. */
  draft: Draft | null;
  onDraft: (draft: Draft) => void;
  parents: ReadonlyMap<string, string>;
  presence: Presence | null;
}

export const DeviceRow = memo(function DeviceRow(props: RowProps) {
  const { device, index, line, top, columns, isNarrow, isActive, isSelected, canWrite, draft } = props;
  const first = canWrite ? 2 : 1;
  return (
    <GridPart
      role="row"
      aria-rowindex={line + 2}
      aria-selected={canWrite ? isSelected : undefined}
      data-index={index}
      data-active={isActive || undefined}
      // While the row is edited, Tab goes through its inputs only.
      tabIndex={isActive && draft === null ? 0 : -1}
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
    >
      {canWrite ? (
        <GridPart
          role="gridcell"
          aria-colindex={1}
          data-does="select"
          className="grid place-items-center h-full cursor-pointer"
        >
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isSelected}
            readOnly
            aria-label={texts.selectOne({ name: titleOf(device) })}
          />
        </GridPart>
      ) : null}
      {isNarrow ? (
        <GridPart
          role="gridcell"
          aria-colindex={first}
          className={`${styles.two} min-w-0 ${props.isUnnamed ? 'pe-12' : 'pe-2'}`}
        >
          <NameCell {...props} />
        </GridPart>
      ) : (
        columns.map((name, i) => (
          <GridPart
            key={name}
            role="gridcell"
            aria-colindex={first + i}
            className={`${styles.cell} min-w-0 ${name === 'status' ? '' : 'px-2'} [unicode-bidi:isolate] truncate [&>time]:text-muted`}
          >
            {name === 'name' ? <NameCell {...props} /> : <Cell {...props} name={name} />}
          </GridPart>
        ))
      )}
      {props.hasActions ? (
        <GridPart
          role="gridcell"
          aria-colindex={first + (isNarrow ? 1 : columns.length)}
          // In a narrow window they stay at the visible edge, above the columns.
          className="sticky flex end-0 items-center justify-end pe-1.5 bg-inherit [&>button]:min-h-7 [&>button]:min-w-7 [&>button]:p-1 [&>button]:text-muted max-700:[&>button]:min-h-11 max-700:[&>button]:min-w-11"
        >
          {props.showsActions && draft === null ? (
            <RowActions device={device} isShort={isNarrow} isUnnamed={props.isUnnamed} />
          ) : null}
        </GridPart>
      ) : null}
    </GridPart>
  );
});

function Cell({ name, device, draft, onDraft, parents, presence }: RowProps & { name: ColumnName }) {
  const { edits, show } = COLUMNS[name];
  if (draft === null || edits === undefined) return show(device, { parents, presence });
  return <EditInput field={edits} draft={draft} onDraft={onDraft} />;
}

function NameCell(props: RowProps) {
  const { site, device, isNarrow, isUnnamed, draft, onDraft } = props;
  if (draft !== null) return <EditInput field="devName" draft={draft} onDraft={onDraft} />;
  const title = titleOf(device);
  // What stands for a missing name has the maker and the kind already.
  const what = device.devName === '' ? [] : [brandOf(device.devVendor), kindText(device.devType)];
  const about = what.filter((part) => part !== '').join(' · ');
  return (
    <div className="flex items-center gap-2.5 min-w-0">
      {isNarrow ? <StatusShape tone={toneOf(stateOf(device))} /> : null}
      <span
        className={`${styles.tile} grid flex-none place-items-center size-7 rounded-control bg-sunken text-muted max-700:size-9 [&_svg]:size-5`}
      >
        <KindIcon type={device.devType} isAlone />
      </span>
      <span className={`${styles.words} flex flex-1 items-baseline gap-2 min-w-0`}>
        <span className="flex items-center gap-1.5 min-w-0">
          <a
            href={`#${pathOf(site, device)}`}
            tabIndex={-1}
            className={`${device.devName === '' ? `${styles.nameless} text-muted font-[450]` : `${styles.link} text-text font-[550]`} min-w-0 leading-6 no-underline truncate hover:underline max-700:text-md`}
            title={title}
            data-foreign
          >
            {title || texts.nameless}
          </a>
          {device.devFavorite === 1 ? (
            <span className="grid flex-none text-accent [&_svg]:size-3" role="img" aria-label={texts.favourite}>
              <Star fill="currentColor" aria-hidden="true" />
            </span>
          ) : null}
          {device.devIsNew === 1 && device.devIsArchived === 0 && !isUnnamed ? (
            <Chip tone="new" isLow>
              {texts.isNew}
            </Chip>
          ) : null}
        </span>
        {isNarrow ? (
          <Facts {...props} />
        ) : about === '' ? null : (
          <span
            className={`${styles.about} flex-[1_1_0] min-w-0 text-muted text-xs truncate`}
            title={about}
            data-foreign
          >
            {about}
          </span>
        )}
      </span>
    </div>
  );
}

/** The second line on a phone. */
function Facts({ device, isUnnamed, presence }: RowProps) {
  return (
    <div className={`${styles.facts} flex items-center gap-2 min-w-0 text-muted text-xs whitespace-nowrap`}>
      <span className={isSeenNow(device) || isUnnamed ? 'unseen' : ''}>{stateWord(stateOf(device))}</span>
      <code>{device.devLastIP || device.devMac}</code>
      <span className={`${styles.clip} block truncate`} data-foreign>
        {brandOf(device.devVendor) || kindText(device.devType)}
      </span>
      <Latency of={presence?.latency?.isHigh ? presence.latency : null} />
    </div>
  );
}

const MAX_LENGTH = 4_000;

interface EditProps extends Pick<RowProps, 'onDraft'> {
  field: InPlaceField;
  draft: Draft;
}

function EditInput({ field, draft, onDraft }: EditProps) {
  return (
    <input
      className={`${styles.edit} w-full min-h-6.5 px-1.5 py-px border border-control-line rounded-control bg-surface`}
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
