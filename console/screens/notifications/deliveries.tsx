/** What a hook has told, and what it could not tell. */
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { Delivery, DeliveryState } from '../../../shared/api/hooks.ts';
import { usePages } from '../../api/pages.ts';
import { POLL_MS, useChange } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { List } from '../../ui/list.tsx';
import { Status, type Tone } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import styles from './notifications.module.css';
import { texts } from './texts.ts';

interface Props {
  site: string;
  hook: string;
  /** Whether something can be delivered at all. */
  isOn: boolean;
}

const TONES: Record<DeliveryState, Tone> = { pending: 'calm', delivered: 'good', dead: 'bad' };

export function Deliveries({ site, hook, isOn }: Props) {
  const [state, setState] = useState<DeliveryState | ''>('');
  const query = { limit: 50, ...(state === '' ? {} : { state }) };
  const isUnderWay = (one: Delivery) => one.state === 'pending';
  const pages = usePages(
    'GET /hooks/{hook}/deliveries',
    { site, params: { hook }, query },
    {
      everyMs: (read) => (read.some(({ deliveries }) => deliveries.some(isUnderWay)) ? POLL_MS.lively : POLL_MS.usual),
    },
  );
  const { mutate, isPending } = useChange('POST /hooks/{hook}/deliveries/{delivery}/repeat');
  const repeat = (delivery: string) =>
    mutate({ site, params: { hook, delivery } }, { onSuccess: () => showToast(texts.repeated), onError: showProblem });
  const columns: Column<Delivery>[] = [
    { heading: texts.when, cell: ({ at }) => <Time at={at} /> },
    { heading: texts.what, cell: (delivery) => <What {...delivery} /> },
    { heading: texts.state, cell: (delivery) => <State {...delivery} /> },
    { heading: texts.attempts, cell: ({ attempts }) => attempts },
    { heading: texts.answer, cell: (delivery) => <AnswerCell {...delivery} /> },
    {
      heading: texts.actions,
      cell: (delivery) =>
        isUnderWay(delivery) || !isOn ? null : (
          <Button
            disabled={isPending}
            aria-label={texts.repeatOf(texts.deliveryEvents[delivery.event], delivery.device ?? '')}
            onClick={() => repeat(delivery.id)}
          >
            <RotateCw aria-hidden="true" />
            {texts.repeat}
          </Button>
        ),
    },
  ];
  return (
    <>
      <div className={styles.deliveriesHead}>
        <SelectField
          label={texts.state}
          value={state}
          onChange={({ target }) => setState(target.value as DeliveryState | '')}
        >
          <option value="">{texts.anyState}</option>
          {Object.entries(texts.deliveryStates).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      </div>
      <List
        of={pages}
        pages={pages.data?.pages}
        rows={({ deliveries }) => deliveries}
        keyOf={({ id }) => id}
        label={texts.deliveries}
        columns={columns}
        empty={
          state === ''
            ? { title: texts.deliveriesNone, hint: texts.deliveriesNoneHow }
            : { title: texts.deliveriesNoMatch }
        }
        unreadable={texts.unreadableDeliveries}
      />
    </>
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
