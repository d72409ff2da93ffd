/** The menu of a check. */
import texts from 'messages:checks';
import { Pause, Play, Trash2 } from 'lucide-react';
import type { Check } from '../../../shared/api/checks.ts';
import { ask } from '../../api/client.ts';
import { useChange } from '../../api/queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';

export function CheckActions({ site, check, onRemoved }: { site: string; check: Check; onRemoved?: () => void }) {
  const changing = useChange('PATCH /checks/{check}');
  const { id, label, enabled } = check;
  const question = { site, params: { check: id } };
  const toggle = () =>
    changing.mutate(
      { ...question, body: { enabled: !enabled } },
      { onSuccess: () => showToast(enabled ? texts.paused : texts.resumed), onError: showProblem },
    );
  const removal = (close: () => void) => (
    <ConfirmDialog
      title={texts.removeTitle({ label })}
      submit={texts.remove}
      send={() => ask('DELETE /checks/{check}', question)}
      toast={texts.removed}
      onDone={onRemoved ?? close}
      onClose={close}
    >
      <p>{texts.removeWhat}</p>
    </ConfirmDialog>
  );
  return (
    <Menu
      label={texts.actionsOf({ label })}
      items={[
        {
          label: enabled ? texts.pause : texts.resume,
          icon: enabled ? <Pause aria-hidden="true" /> : <Play aria-hidden="true" />,
          isDisabled: changing.isPending,
          run: toggle,
        },
        { label: texts.remove, icon: <Trash2 aria-hidden="true" />, isDanger: true, dialog: removal },
      ]}
    />
  );
}
