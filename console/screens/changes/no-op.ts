/** Changes after which all is as it was. */
import type { ChangeGroup, SentencePart } from '../../../shared/api/changes.ts';

/** Without groups of which nothing is left. */
export function withoutNoOps(groups: readonly ChangeGroup[]): ChangeGroup[] {
  return groups
    .map((group) => {
      const sentences = group.sentences.filter(({ textCodes }) => !textCodes?.length || !textCodes.every(isNoOp));
      return { ...group, sentences };
    })
    .filter(({ sentences }) => sentences.length > 0);
}

function isNoOp(part: SentencePart): boolean {
  switch (part.code) {
    case 'address':
    case 'public-address':
    case 'renamed':
      return part.values.chain.length > 1 && part.values.chain[0] === part.values.chain.at(-1);
    case 'edited':
      return (
        part.values.more === 0 &&
        part.values.fields.length > 0 &&
        part.values.fields.every(({ to }) => to === undefined)
      );
    case 'ports-opened':
    case 'ports-closed':
      return part.values.end === 'undone';
    default:
      return false;
  }
}
