/** The heading of a group of devices, which hides and shows them. */
import { ChevronDown, ChevronRight } from 'lucide-react';
import { numberText } from '../../text/format.ts';
import { kindText } from '../../text/kind-texts.ts';
import styles from './device-row.module.css';
import { GridPart } from './grid-part.tsx';
import type { GroupLine } from './group-lines.ts';
import { useScreen } from './screen.ts';
import { texts } from './texts.ts';

interface Props {
  of: GroupLine;
  line: number;
  top: number;
}

export function GroupRow({ of: { group, count, isCollapsed }, line, top }: Props) {
  const { view, parents, collapse } = useScreen();
  const title =
    group === ''
      ? texts.without
      : view.by === 'parent'
        ? (parents.get(group) ?? group)
        : view.by === 'type'
          ? kindText(group)
          : group;
  return (
    <GridPart
      role="row"
      aria-rowindex={line + 2}
      className={styles.group}
      style={{ transform: `translateY(${top}px)` }}
    >
      <GridPart role="gridcell" aria-colindex={1} className={styles.groupCell}>
        <button type="button" aria-expanded={!isCollapsed} onClick={() => collapse(group)}>
          {isCollapsed ? <ChevronRight aria-hidden="true" /> : <ChevronDown aria-hidden="true" />}
          <span className={styles.groupName} data-foreign>
            {title}
          </span>
          {count === null ? null : <span className={styles.groupCount}>{numberText(count)}</span>}
        </button>
      </GridPart>
    </GridPart>
  );
}
