/**
 * Runs on the agent's host of the lab: brings its connections to the broker, which is outside. `<port> <socket>`
 * It is no TypeScript and imports nothing of ours, because Node.js runs it there as it stands.
 */
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

const [port, path] = process.argv.slice(2);
createServer((inner) => {
  const outer = connect({ path });
  const over = () => {
    inner.destroy();
    outer.destroy();
  };
  pipeline(inner, outer, over);
  pipeline(outer, inner, over);
}).listen(Number(port), '127.0.0.1', () => console.log('ready'));
