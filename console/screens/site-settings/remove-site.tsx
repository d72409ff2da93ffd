/** Removes the site once its name is typed, and offers to restore it. */
import common from 'messages:common';
import texts from 'messages:siteSettings';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ask } from '../../api/client.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog, useConfirmation } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useRestoreSite } from '../sites/deleted-sites.tsx';

interface Props {
  site: string;
  name: string;
  /** Number of its agents; null if unknown. */
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
  const restore = useRestoreSite();
  const [typed, setTyped] = useState('');
  const form = useConfirmation({
    send: () => ask('DELETE /sites/{site}', { params: { site }, query: { confirm: name } }),
    onDone() {
      showToast(texts.removed({ name }), { label: common.undo, run: () => void restore({ id: site, name }) });
      navigate('/');
    },
  });
  const { data } = useAnswer(
    'GET /devices',
    { site, query: { limit: 1 } },
    { everyMs: 0, when: rights.may('devices:read') && !form.isPending },
  );
  return (
    <FormDialog
      form={form}
      title={texts.removeTitle({ name })}
      submit={texts.remove}
      look="danger"
      isReady={typed === name}
      onClose={onClose}
    >
      <p>
        {data?.total === undefined || agents === null
          ? texts.removeWhat
          : texts.removeCount({ devices: data.total, agents })}
      </p>
      <TextField label={texts.confirm({ name })} value={typed} onChange={({ target }) => setTyped(target.value)} />
    </FormDialog>
  );
}
