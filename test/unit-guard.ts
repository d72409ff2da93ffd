/** Before each file of unit tests: programs, databases and the network fail, so that they stay quick and run anywhere. */
import { ChildProcess } from 'node:child_process';
import { Socket as UdpSocket } from 'node:dgram';
import { Server, Socket } from 'node:net';

function refuse(what: string): () => never {
  return () => {
    throw new Error(
      `A unit test must not ${what}. A test that needs it is named *.system.test.ts: see CONTRIBUTING.md`,
    );
  };
}

Object.assign(ChildProcess.prototype, { spawn: refuse('start a process') });
Server.prototype.listen = refuse('listen on a socket');
Socket.prototype.connect = refuse('open a connection');
UdpSocket.prototype.bind = refuse('listen on a socket');
UdpSocket.prototype.send = refuse('send a packet');
