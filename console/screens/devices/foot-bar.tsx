/** Below the list: the number of devices and of selected ones, and the actions on them for the mouse. */
import common from 'messages:common';
import texts from 'messages:devices';
import sameTexts from 'messages:same';
import { X } from 'lucide-react';
import { Link } from 'wouter';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { numberText } from '../../text/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import styles from './foot-bar.module.css';
import { useScreen } from './screen.ts';
import { verbsFor } from './verbs.tsx';

export function FootBar() {
  const { site, list, grid, actions, tools, canWrite, isNarrow } = useScreen();
  const { total } = list;
  const selected = grid.selected.size;
  const { run } = tools;
  return (
    <div className={styles.bar} data-selected={selected > 0 || undefined}>
      {/* Screen readers say the number when it changes. */}
      <span role="status" className={`${styles.number} text-muted`}>
        {selected > 0 ? texts.selectedOf({ selected, total }) : common.devices({ count: total })}
        {actions.isBusy ? ` · ${texts.working}` : ''}
      </span>
      {canWrite && selected < total ? (
        <Button look="quiet" onClick={actions.selectAll} disabled={actions.isBusy}>
          {texts.selectAll({ count: numberText(total) })}
        </Button>
      ) : null}
      {selected > 0 ? <BulkActions /> : null}
      <div className="flex flex-wrap items-center gap-2 ms-auto text-muted [&_progress]:w-24 [&_progress]:accent-accent">
        {run === null ? (
          selected === 0 && !isNarrow && <SameLine site={site} />
        ) : (
          <>
            <progress max={run.count} value={run.done} aria-label={texts.runs[run.task](run)} />
            <span role="status">{texts.runs[run.task](run)}</span>
            <Button look="quiet" onClick={tools.stop}>
              {texts.runs.stop}
            </Button>
          </>
        )}
      </div>
    </div>
  );
}

function BulkActions() {
  const screen = useScreen();
  const { grid, actions, tools, view, canRun } = screen;
  const verbs = verbsFor(screen, actions.chosen(), { isArchived: view.status === 'archived' });
  const commands = [verbs.wake, verbs.scan].map((verb) => ({ ...verb, isDisabled: tools.run !== null }));
  const shown: MenuItem[] = [
    ...[verbs.edit, verbs.favourite, verbs.acknowledge, verbs.archive],
    ...(canRun ? commands : []),
    verbs.delete,
  ];
  return (
    <div
      className="flex flex-wrap items-center gap-0.5 max-1100:[&_button>span]:unseen [&_button]:px-2 [&_svg]:text-muted max-700:[&_button]:min-w-10 max-700:[&_button]:min-h-10"
      role="toolbar"
      aria-label={texts.withSelected}
    >
      {shown.map(({ label, icon, isDisabled, run }) => (
        <Button key={label} look="quiet" disabled={isDisabled} onClick={run}>
          {icon}
          <span>{label}</span>
        </Button>
      ))}
      <IconButton label={texts.clearSelection} icon={<X />} onClick={() => grid.select([])} />
    </div>
  );
}

/** Beside the list of devices: how many seem to be duplicates, if any. */
function SameLine({ site }: { site: string }) {
  const { data } = useAnswer('GET /devices/same', { site }, { everyMs: POLL_MS.calm });
  const count = (data?.same ?? []).reduce((sum, { others }) => sum + others.length, 0);
  if (count === 0) return null;
  return (
    <p className="px-2.5 text-muted">
      {sameTexts.line({ count })} <Link href={`/sites/${site}/same`}>{sameTexts.look}</Link>
    </p>
  );
}
