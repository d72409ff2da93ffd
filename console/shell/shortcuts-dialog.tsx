/** The list of the keys that work at the moment. */
import texts from 'messages:shell';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField } from '../ui/field.tsx';
import { KeyCaps } from '../ui/key-caps.tsx';
import { type Shortcut, useShortcuts, useSingleKeys } from '../ui/keys.ts';

export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const shortcuts = distinct(useShortcuts());
  const [areSingleKeysOn, setSingleKeys] = useSingleKeys();
  const here = shortcuts.filter(({ isGlobal }) => !isGlobal);
  return (
    <Dialog title={texts.keys.title} onClose={onClose} isWide>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(300px,100%),1fr))] gap-y-5 gap-x-8">
        {here.length === 0 ? null : <Group title={texts.keys.here} shortcuts={here} />}
        <Group title={texts.keys.everywhere} shortcuts={shortcuts.filter(({ isGlobal }) => isGlobal)} />
      </div>
      <div className="mt-4 pt-3 border-t border-line [&_p]:text-muted [&_p]:text-sm">
        <CheckField
          label={texts.keys.singleKeys}
          checked={areSingleKeysOn}
          onChange={({ target }) => setSingleKeys(target.checked)}
        />
        <p>{texts.keys.singleKeysHint}</p>
      </div>
    </Dialog>
  );
}

function Group({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="grid gap-0.5 mt-2 [&>div]:flex [&>div]:items-center [&>div]:gap-3 [&>div]:min-h-7.5 [&_dt]:flex-none [&_dt]:min-w-21">
        {shortcuts.map(({ keys, label }) => (
          <div key={`${keys} ${label}`}>
            <dt>
              <KeyCaps keys={keys} />
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The rows of a list may all declare the same key. */
function distinct(shortcuts: readonly Shortcut[]): Shortcut[] {
  return [...new Map(shortcuts.map((one) => [`${one.keys} ${one.label}`, one])).values()];
}
