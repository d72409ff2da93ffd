/** The switch and the menu of a schedule. */
import texts from 'messages:schedules';
import { ListChecks, Trash2 } from 'lucide-react';
import type { Schedule } from '../../../shared/api/schedules.ts';
import { ask } from '../../api/client.ts';
import { useChange } from '../../api/queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Menu } from '../../ui/menu.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';

export function OnSwitch({ schedule, mayChange }: { schedule: Schedule; mayChange: boolean }) {
  const changing = useChange('PATCH /schedules/{schedule}');
  const { id, site, name, enabled } = schedule;
  const toggle = () =>
    changing.mutate(
      { site, params: { schedule: id }, body: { enabled: !enabled } },
      { onSuccess: () => showToast(enabled ? texts.nowPaused : texts.nowOn), onError: showProblem },
    );
  return (
    <span className="inline-flex w-fit">
      <CheckField
        role="switch"
        label={<span className="visually-hidden">{texts.onOff({ name })}</span>}
        checked={changing.isPending ? !enabled : enabled}
        disabled={!mayChange || changing.isPending}
        onChange={toggle}
      />
    </span>
  );
}

export function ScheduleMenu({ schedule: { id, site, name } }: { schedule: Schedule }) {
  const runs = `/sites/${site}/runs?actor=schedule:${id}`;
  const removal = (close: () => void) => (
    <ConfirmDialog
      title={texts.removeTitle({ name })}
      submit={texts.removeNow}
      send={() => ask('DELETE /schedules/{schedule}', { site, params: { schedule: id } })}
      toast={texts.removed}
      onClose={close}
    >
      <p>{texts.removeWhat}</p>
    </ConfirmDialog>
  );
  return (
    <Menu
      label={texts.more({ name })}
      items={[
        { label: texts.runs, icon: <ListChecks aria-hidden="true" />, to: runs },
        { label: texts.remove, icon: <Trash2 aria-hidden="true" />, isDanger: true, dialog: removal },
      ]}
    />
  );
}
