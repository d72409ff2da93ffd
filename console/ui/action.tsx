/** What can be done with something, said once: a menu, buttons and keys show it. */
import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { useShortcut } from './keys.ts';

export interface Action {
  label: string;
  icon?: ReactNode;
  /** At the end of the line of a menu. */
  hint?: ReactNode;
  /** Of {@link KEYS}. */
  keys?: string;
  isDanger?: boolean;
  isDisabled?: boolean;
  /** For a link, in place of `run`. */
  to?: string;
  run?: () => void;
  /** What it opens, in place of `run`. */
  dialog?: (close: () => void) => ReactNode;
}

/** Does an action, and has the dialog that one of them has opened. */
export function usePerform(actions: readonly Action[]) {
  const [opened, open] = useState<string | null>(null);
  return {
    perform: ({ label, run, dialog }: Action) => (dialog === undefined ? run?.() : open(label)),
    dialog: actions.find(({ label }) => label === opened)?.dialog?.(() => open(null)) ?? null,
  };
}

/** @param look of the first; the others are plain */
export function ActionButtons({ actions, look = 'plain' }: { actions: readonly Action[]; look?: 'plain' | 'primary' }) {
  const { perform, dialog } = usePerform(actions);
  return (
    <>
      {actions.map((action, at) => (
        <Button
          key={action.label}
          look={action.isDanger ? 'danger' : at === 0 ? look : 'plain'}
          disabled={action.isDisabled}
          onClick={() => perform(action)}
        >
          {action.icon}
          {action.label}
          {action.keys === undefined ? null : <ActionKey action={action} onPress={() => perform(action)} />}
        </Button>
      ))}
      {dialog}
    </>
  );
}

function ActionKey({
  action: { keys = '', label, isDisabled = false },
  onPress,
}: {
  action: Action;
  onPress: () => void;
}) {
  useShortcut(keys, label, onPress, { when: !isDisabled });
  return null;
}
