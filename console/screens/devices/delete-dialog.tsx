/** Asks before devices are deleted, with their number. */
import common from 'messages:common';
import texts from 'messages:devices';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { numberText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Answered } from '../../ui/state.tsx';
import { titleOf } from './device.ts';
import { countRemoved } from './device-changes.ts';
import { useScreen } from './screen.ts';

interface Props {
  keys: readonly string[];
  onClose: () => void;
}

export function DeleteDialog({ keys, onClose }: Props) {
  const { site, list, grid, actions } = useScreen();
  const [isDeleting, setDeleting] = useState(false);
  const opened = useId();
  const count = useQuery({
    queryKey: ['devices to delete', opened],
    queryFn: () => countRemoved(site, keys),
    gcTime: 0,
  });
  const only = keys.length === 1 ? list.find(keys[0] ?? '') : undefined;
  async function remove(): Promise<void> {
    setDeleting(true);
    await actions.remove(keys);
    grid.select([]);
    onClose();
  }
  return (
    <Dialog title={texts.deleteTitle({ count: keys.length })} onClose={onClose}>
      <Answered of={count}>
        {(found) => (
          <>
            <p data-foreign>
              {only === undefined ? texts.deleteMany({ count: found }) : texts.deleteOne({ name: titleOf(only) })}{' '}
              {texts.deleteUndo}
            </p>
            <DialogActions>
              <Button onClick={onClose}>{common.cancel}</Button>
              <Button look="danger" autoFocus disabled={isDeleting || found === 0} onClick={() => void remove()}>
                {isDeleting ? texts.working : texts.deleteNow({ count: numberText(found) })}
              </Button>
            </DialogActions>
          </>
        )}
      </Answered>
    </Dialog>
  );
}
