/** What can be done with a schedule. */
import { Pause, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Schedule } from '../../../shared/api/schedules.ts';
import { ask } from '../../api/client.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog, useConfirmation } from '../../ui/form.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { texts } from './texts.ts';

export function ScheduleActions({ schedule }: { schedule: Schedule }) {
  const [isRemoving, setRemoving] = useState(false);
  const changing = useChange('PATCH /schedules/{schedule}');
  const { id, site, name, enabled } = schedule;
  const toggle = () =>
    changing.mutate(
      { site, params: { schedule: id }, body: { enabled: !enabled } },
      { onSuccess: () => showToast(enabled ? texts.nowPaused : texts.nowOn), onError: showProblem },
    );
  return (
    <div className="actions">
      <Button
        onClick={toggle}
        disabled={changing.isPending}
        aria-label={enabled ? texts.pauseOf(name) : texts.resumeOf(name)}
      >
        {enabled ? <Pause aria-hidden="true" /> : <Play aria-hidden="true" />}
        {enabled ? texts.pause : texts.resume}
      </Button>
      <Button onClick={() => setRemoving(true)} aria-label={texts.removeOf(name)}>
        <Trash2 aria-hidden="true" />
        {texts.remove}
      </Button>
      {isRemoving ? <RemoveDialog schedule={schedule} onClose={() => setRemoving(false)} /> : null}
    </div>
  );
}

function RemoveDialog({ schedule: { id, site, name }, onClose }: { schedule: Schedule; onClose: () => void }) {
  const form = useConfirmation({
    send: () => ask('DELETE /schedules/{schedule}', { site, params: { schedule: id } }),
    toast: texts.removed,
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title={texts.removeTitle(name)} submit={texts.remove} look="danger" onClose={onClose}>
      <p>{texts.removeWhat}</p>
    </FormDialog>
  );
}
