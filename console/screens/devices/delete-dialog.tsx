/** Asks before devices are deleted, with their number. */
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { numberText } from '../../text/format.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Answered } from '../../ui/state.tsx';
import { texts } from './texts.ts';
import type { Changes } from './use-changes.ts';

interface Props {
  keys: readonly string[];
  /** The name, when it is one. */
  name: string | null;
  changes: Changes;
  onDelete: () => Promise<void>;
  onClose: () => void;
}

export function DeleteDialog({ keys, name, changes, onDelete, onClose }: Props) {
  const [isDeleting, setDeleting] = useState(false);
  const opened = useId();
  const count = useQuery({
    queryKey: ['devices to delete', opened],
    queryFn: () => changes.countRemoved(keys),
    gcTime: 0,
  });
  return (
    <Dialog title={texts.deleteTitle(keys.length)} onClose={onClose}>
      <Answered of={count}>
        {(found) => (
          <>
            <p data-foreign>
              {name === null ? texts.deleteMany(found) : texts.deleteOne(name)} {texts.deleteUndo}
            </p>
            <DialogActions>
              <Button onClick={onClose}>{common.cancel}</Button>
              <Button
                look="danger"
                autoFocus
                disabled={isDeleting || found === 0}
                onClick={() => {
                  setDeleting(true);
                  void onDelete();
                }}
              >
                {isDeleting ? texts.working : texts.deleteNow(numberText(found))}
              </Button>
            </DialogActions>
          </>
        )}
      </Answered>
    </Dialog>
  );
}
