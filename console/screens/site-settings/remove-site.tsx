/** Removes the site, once its name has been typed. */
import { type FormEvent, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from './site-settings.module.css';
import { texts } from './texts.ts';
import { useRemoval } from './use-removal.ts';

interface Props {
  site: string;
  name: string;
  /** How many agents it has; null when they are not known. */
  agents: number | null;
}

export function RemoveSite(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div>
        <Button look="danger" onClick={() => setOpen(true)}>
          {texts.removeButton}
        </Button>
      </div>
      {isOpen ? <RemoveDialog {...props} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function RemoveDialog({ site, name, agents, onClose }: Props & { onClose: () => void }) {
  const [, navigate] = useLocation();
  const rights = useRights();
  const [typed, setTyped] = useState('');
  const removal = useRemoval(site, name, () => {
    showToast(texts.removed(name));
    navigate('/');
  });
  const { data } = useAnswer(
    'GET /devices',
    { site, query: { limit: 1 } },
    { everyMs: 0, when: rights.may('devices:read') && removal.startedAt === null },
  );
  const seconds = useSecondsSince(removal.isUnderWay ? removal.startedAt : null);

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (typed === name) void removal.remove();
  }

  return (
    <Dialog title={texts.removeTitle(name)} onClose={removal.isUnderWay ? () => {} : onClose}>
      <form className={styles.form} onSubmit={submit}>
        <p>
          {data?.total === undefined || agents === null ? texts.removeWhat : texts.removeCount(data.total, agents)}{' '}
          {texts.removeCopy}
        </p>
        <TextField
          label={texts.confirm(name)}
          autoFocus
          readOnly={removal.startedAt !== null}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        {removal.isUnderWay ? <p role="status">{texts.removing(seconds)}</p> : null}
        {removal.error === null ? null : <ProblemBox error={removal.error} />}
        <DialogActions>
          <Button onClick={onClose} disabled={removal.isUnderWay}>
            {common.cancel}
          </Button>
          <Button type="submit" look="danger" disabled={typed !== name || removal.isUnderWay}>
            {removal.startedAt === null || removal.isUnderWay ? texts.remove : texts.goOn}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** 0 for null. */
function useSecondsSince(at: number | null): number {
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (at === null) return undefined;
    const timer = window.setInterval(() => setNow(Date.now()), 1_000);
    return () => window.clearInterval(timer);
  }, [at]);
  return at === null ? 0 : Math.max(0, Math.round((now - at) / 1000));
}
