/** What is done without a request, by the function that does it in the cloud: `table-rights.ts` judges its calls of the table. */
import * as firstToken from '../../functions/access/first-token.ts';
import * as runs from '../../functions/commands/runs/turn.ts';
import * as maintenance from '../../functions/groups/upkeep.ts';
import * as hooks from '../../functions/hooks/turn.ts';
import * as outages from '../../functions/monitoring/outages/connections.ts';
import * as reports from '../../functions/sightings/ingest.ts';
import * as releases from '../../functions/sites/agents/releases/roll-out.ts';
import * as renewal from '../../functions/sites/agents/renewal.ts';
import * as deletion from '../../functions/sites/site-deletion.ts';
import * as workers from '../../local/worker.ts';
import { actingAs, asFunction, type FunctionName } from './table-rights.ts';

const doneBy =
  <Given extends unknown[], Result>(name: FunctionName, work: (...given: Given) => Result) =>
  (...given: Given): Result =>
    asFunction(name, () => work(...given));

export const makeFirstToken = doneBy('access', firstToken.makeFirstToken);
export const openIngest: typeof reports.openIngest = (...given) => actingAs('ingest', reports.openIngest(...given));
export const retirePrevious = doneBy('ingest', renewal.retirePrevious);
export const openTurns: typeof hooks.openTurns = (dependencies) => doneBy('worker', hooks.openTurns(dependencies));
export const upkeep = doneBy('worker', maintenance.upkeep);
export const removeDeleted = doneBy('worker', deletion.removeDeleted);
export const advanceRollOut = doneBy('worker', releases.advanceRollOut);
export const observeConnections = doneBy('worker', outages.observeConnections);

const takeTurn = doneBy('worker', runs.takeTurn);
/** Only the turns: the cloud has no search for unfinished runs. */
export const runWorker: typeof workers.runWorker = (context, log) =>
  workers.runWorker(context, log, (task, signal) => takeTurn(context, task, { lastsMs: 10_000, signal }));
/** It takes its tasks in the context in which it was opened. */
export const hookWorker = doneBy('worker', workers.hookWorker);
