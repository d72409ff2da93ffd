/** Runs before each file of unit tests: what they may not do fails, so that they stay quick and run anywhere. */
import { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';

function refuse(what: string): () => never {
  return () => {
    throw new Error(`A unit test must not ${what}: see test/unit-tests.ts`);
  };
}

Object.assign(ChildProcess.prototype, { spawn: refuse('start a process') });
Server.prototype.listen = refuse('listen on a socket');
Socket.prototype.connect = refuse('open a connection');
