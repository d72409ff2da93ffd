/** A dialog that confirms a change before it is sent. */
import type { ComponentProps } from 'react';
import { FormDialog, useConfirmation } from './form.tsx';

interface Props<Answer> extends Pick<ComponentProps<typeof FormDialog>, 'title' | 'submit' | 'onClose' | 'children'> {
  send: () => Promise<Answer>;
  toast?: string;
  /** Default: `onClose`. */
  onDone?: (answer: Answer) => void;
}

export function ConfirmDialog<Answer>({ send, onClose, onDone = onClose, toast, ...dialog }: Props<Answer>) {
  const form = useConfirmation({ send, onDone, toast });
  return <FormDialog form={form} look="danger" onClose={onClose} {...dialog} />;
}
