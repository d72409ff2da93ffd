/** What a hook has told, and what it could not tell. */
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { Delivery, DeliveryState } from '../../../shared/api/hooks.ts';
import { usePages } from '../../api/pages.ts';
import { POLL_MS, useChange } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Status, type Tone } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import styles from './hooks.module.css';
import { texts } from './texts.ts';

interface Props {
  site: string;
  hook: string;
  /** Whether something can be delivered at all. */
  isOn: boolean;
}

type Choice = DeliveryState | '';

const TONES: Record<DeliveryState, Tone> = { pending: 'calm', delivered: 'good', dead: 'bad' };

export function Deliveries({ site, hook, isOn }: Props) {
  const [state, setState] = useState<Choice>('');
  const query = { limit: 50, ...(state === '' ? {} : { state }) };
  const pages = usePages(
    'GET /hooks/{hook}/deliveries',
    { site, params: { hook }, query },
    {
      everyMs: (read) =>
        read.some(({ deliveries }) => deliveries.some((one) => one.state === 'pending'))
          ? POLL_MS.lively
          : POLL_MS.usual,
    },
  );
  return (
    <>
      <div className={styles.deliveriesHead}>
        <SelectField label={texts.state} value={state} onChange={({ target }) => setState(target.value as Choice)}>
          <option value="">{texts.anyState}</option>
          {Object.entries(texts.deliveryStates).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      </div>
      <Answered of={pages}>
        {({ pages: read }) => (
          <>
            <UnreadableNote title={texts.unreadableDeliveries} entries={read.flatMap((page) => page.unreadable)} />
            <DeliveryTable
              {...{ site, hook, isOn }}
              deliveries={read.flatMap(({ deliveries }) => deliveries)}
              isFiltered={state !== ''}
            />
            <MoreButton of={pages} />
          </>
        )}
      </Answered>
    </>
  );
}

interface TableProps extends Props {
  deliveries: readonly Delivery[];
  isFiltered: boolean;
}

function DeliveryTable({ site, hook, isOn, deliveries, isFiltered }: TableProps) {
  const { mutate, isPending } = useChange('POST /hooks/{hook}/deliveries/{delivery}/repeat');
  const repeat = (delivery: string) =>
    mutate({ site, params: { hook, delivery } }, { onSuccess: () => showToast(texts.repeated), onError: showProblem });
  if (deliveries.length === 0) {
    return (
      <Empty title={isFiltered ? texts.deliveriesNoMatch : texts.deliveriesNone}>
        {isFiltered ? null : <p>{texts.deliveriesNoneHow}</p>}
      </Empty>
    );
  }
  return (
    <Table
      label={texts.deliveries}
      rows={deliveries}
      keyOf={({ id }) => id}
      columns={[
        {
          heading: texts.when,
          cell: ({ at }) => (
            <span className="nowrap">
              <Time at={at} />
            </span>
          ),
        },
        { heading: texts.what, cell: (delivery) => <What {...delivery} /> },
        { heading: texts.state, cell: (delivery) => <State {...delivery} /> },
        { heading: texts.attempts, cell: ({ attempts }) => attempts },
        { heading: texts.answer, cell: (delivery) => <AnswerCell {...delivery} /> },
        {
          heading: texts.actions,
          cell: ({ id, state, event, device }) =>
            state === 'pending' || !isOn ? null : (
              <Button
                disabled={isPending}
                aria-label={texts.repeatOf(texts.deliveryEvents[event], device ?? '')}
                onClick={() => repeat(id)}
              >
                <RotateCw aria-hidden="true" />
                {texts.repeat}
              </Button>
            ),
        },
      ]}
    />
  );
}

function What({ event, device, repeats }: Delivery) {
  return (
    <div className={`${styles.cell} ${styles.what}`}>
      <strong>{texts.deliveryEvents[event]}</strong>
      {device === null ? null : (
        <span data-foreign title={device}>
          {device}
        </span>
      )}
      {repeats === null ? null : <span className="muted">{texts.repeats}</span>}
    </div>
  );
}

function State({ state, nextAttemptAt, endedAt }: Delivery) {
  return (
    <div className={`${styles.cell} nowrap`}>
      <Status tone={TONES[state]}>{texts.deliveryStates[state]}</Status>
      {state === 'pending' && nextAttemptAt !== null ? (
        <span className="muted">
          {texts.next} <Time at={nextAttemptAt} />
        </span>
      ) : null}
      {endedAt === null ? null : (
        <span className="muted">
          <Time at={endedAt} />
        </span>
      )}
    </div>
  );
}

function AnswerCell({ status, reason, attempts }: Delivery) {
  return (
    <div className={`${styles.cell} ${styles.answer}`}>
      {status === null || reason?.includes(String(status)) ? null : <span>{texts.status(status)}</span>}
      {reason === null ? null : (
        <span data-foreign title={reason}>
          {reason}
        </span>
      )}
      {status === null && reason === null && attempts === 0 ? <span>{texts.noAnswer}</span> : null}
    </div>
  );
}
