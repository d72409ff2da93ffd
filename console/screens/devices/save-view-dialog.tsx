/** Gives what is shown a name, under which it stands in the list of views. */
import common from 'messages:common';
import texts from 'messages:devices';
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { MAX_NAME, saveView } from './saved-views.ts';

/** @param query of the address, columns included */
export function SaveViewDialog({ site, query, onClose }: { site: string; query: string; onClose: () => void }) {
  const [name, setName] = useState('');
  const wanted = name.trim();

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (wanted === '') return;
    saveView(site, wanted, query);
    showToast(texts.viewSaved({ name: wanted }));
    onClose();
  }

  return (
    <Dialog title={texts.saveViewTitle} onClose={onClose}>
      <form onSubmit={submit}>
        <TextField
          label={texts.viewName}
          hint={texts.saveViewHint}
          maxLength={MAX_NAME}
          autoFocus
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <DialogActions>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary" disabled={wanted === ''}>
            {common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
