/** Removes the site, once its name has been typed. */
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
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
  const { startedAt, isPending } = removal;
  const { data } = useAnswer(
    'GET /devices',
    { site, query: { limit: 1 } },
    { everyMs: 0, when: rights.may('devices:read') && startedAt === null },
  );
  const seconds = useSecondsSince(isPending ? startedAt : null);
  return (
    <FormDialog
      form={removal}
      title={texts.removeTitle(name)}
      submit={startedAt === null || isPending ? texts.remove : texts.goOn}
      look="danger"
      isReady={typed === name}
      onClose={onClose}
    >
      <p>
        {data?.total === undefined || agents === null ? texts.removeWhat : texts.removeCount(data.total, agents)}{' '}
        {texts.removeCopy}
      </p>
      <TextField
        label={texts.confirm(name)}
        readOnly={startedAt !== null}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      {isPending ? <p role="status">{texts.removing(seconds)}</p> : null}
    </FormDialog>
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
