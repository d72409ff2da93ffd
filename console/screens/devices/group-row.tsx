/** The heading of a group of devices, which collapses it. */
import texts from 'messages:devices';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { numberText } from '../../text/format.ts';
import { kindText } from '../../text/kind-texts.ts';
import { Button } from '../../ui/button.tsx';
import styles from './device-row.module.css';
import { GridPart } from './grid-part.tsx';
import type { GroupLine } from './group-lines.ts';
import { useScreen } from './screen.ts';

interface Props {
  of: GroupLine;
  line: number;
  top: number;
}

export function GroupRow({ of: { group, count, isCollapsed }, line, top }: Props) {
  const { view, parents, collapse, canWrite, list, actions } = useScreen();
  const named = view.by === 'parent' ? parents.get(group) : view.by === 'type' ? kindText(group) : group;
  const isOfNew = view.by === 'new';
  const title = isOfNew
    ? texts.newGroups[group === '' ? 'known' : 'new']
    : group === ''
      ? texts.without
      : (named ?? group);
  return (
    <GridPart
      role="row"
      aria-rowindex={line + 2}
      className="absolute top-0 right-0 left-0 h-(--line-height) max-700:h-11 border-b border-line bg-sunken [contain:layout_style]"
      style={{ transform: `translateY(${top}px)` }}
    >
      <GridPart
        role="gridcell"
        aria-colindex={1}
        className={`${styles.groupCell} flex items-center h-full [&_svg]:flex-none [&_svg]:size-3.5 [&_svg]:text-muted`}
      >
        <button type="button" aria-expanded={!isCollapsed} onClick={() => collapse(group)}>
          {isCollapsed ? <ChevronRight aria-hidden="true" /> : <ChevronDown aria-hidden="true" />}
          <span className="truncate" data-foreign>
            {title}
          </span>
          {count === null ? null : <span className="text-muted font-normal">{numberText(count)}</span>}
        </button>
        {isOfNew && group !== '' && canWrite ? (
          <Button
            look="quiet"
            className="min-h-7 ms-auto me-1.5 py-0 text-xs text-muted"
            disabled={actions.isBusy}
            onClick={actions.acknowledgeAll}
          >
            {texts.acknowledgeAll({ count: list.counts?.new ?? 0 })}
          </Button>
        ) : null}
      </GridPart>
    </GridPart>
  );
}
