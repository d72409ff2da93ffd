/** What can be done with a hook, and the dialogs that it needs. */
import { KeyRound, Pencil, Power, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Delivery, Hook } from '../../../shared/api/hooks.ts';
import { useChange } from '../../api/queries.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { NewSecretDialog, RemoveDialog, SecretDialog } from './hook-dialogs.tsx';
import { EditHook } from './hook-form.tsx';
import styles from './notifications.module.css';
import { TestResult } from './test-result.tsx';
import { texts } from './texts.ts';

interface Props {
  site: string;
  hook: Hook;
  onRemoved?: () => void;
}

type Shown = 'nothing' | 'edit' | 'new-secret' | 'remove' | { secret: string };

export function HookActions({ site, hook, onRemoved }: Props) {
  const [shown, show] = useState<Shown>('nothing');
  const [test, setTest] = useState<Delivery | null>(null);
  const testing = useChange('POST /hooks/{hook}/test');
  const changing = useChange('PATCH /hooks/{hook}');
  const params = { hook: hook.id };
  const close = () => show('nothing');

  const toggle = () =>
    changing.mutate(
      { site, params, body: { enabled: !hook.enabled } },
      {
        onSuccess: ({ enabled }) => showToast(enabled ? texts.enabled : texts.disabled),
        onError: showProblem,
      },
    );

  return (
    <div className={styles.actionBox}>
      <div className="actions">
        {hook.enabled ? (
          <Button
            disabled={testing.isPending}
            onClick={() => testing.mutate({ site, params }, { onSuccess: setTest, onError: showProblem })}
          >
            <Send aria-hidden="true" />
            {texts.test}
          </Button>
        ) : null}
        <Button onClick={() => show('edit')}>
          <Pencil aria-hidden="true" />
          {common.edit}
        </Button>
        <Button onClick={toggle} disabled={changing.isPending}>
          <Power aria-hidden="true" />
          {hook.enabled ? texts.disable : texts.enable}
        </Button>
        {hook.format === 'json' ? (
          <Button onClick={() => show('new-secret')}>
            <KeyRound aria-hidden="true" />
            {texts.newSecret}
          </Button>
        ) : null}
        <Button onClick={() => show('remove')}>
          <Trash2 aria-hidden="true" />
          {texts.remove}
        </Button>
      </div>
      <div role="status" className="wrap">
        {test === null ? null : <TestResult key={test.id} site={site} hook={hook.id} started={test} />}
      </div>
      {shown === 'edit' ? <EditHook site={site} hook={hook} onClose={close} /> : null}
      {shown === 'new-secret' ? (
        <NewSecretDialog site={site} hook={hook} onMade={(secret) => show({ secret })} onClose={close} />
      ) : null}
      {shown === 'remove' ? (
        <RemoveDialog site={site} hook={hook} onRemoved={onRemoved ?? close} onClose={close} />
      ) : null}
      {typeof shown === 'object' ? <SecretDialog secret={shown.secret} onClose={close} /> : null}
    </div>
  );
}
