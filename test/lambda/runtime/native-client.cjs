/**
 * Preloaded into a function's process. The runtime's client has one part in C++, which asks for the next event and sends
 * a buffered answer; this does the same with Node's own HTTP client, so that nobody needs a compiler.
 *
 * It also stands for the platform where that can be seen from inside: it takes over variables that have been changed.
 */
'use strict';
const { Agent, request } = require('node:http');
const Module = require('node:module');

const API = new URL(`http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/`);
// One connection: an answer has left before the next event is asked for.
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function send(method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, API), { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.once('end', () => resolve({ text, headers: response.headers }));
      response.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

const client = {
  async next() {
    const { text, headers } = await send('GET', 'invocation/next', {});
    Object.assign(process.env, JSON.parse(headers['lanreach-environment'] ?? '{}'));
    return { bodyJson: text, headers };
  },
  done(id, body) {
    return post(`invocation/${id}/response`, {}, body);
  },
  error(id, body, cause) {
    return post(`invocation/${id}/error`, { 'Lambda-Runtime-Function-XRay-Error-Cause': cause.slice(0, 1000) }, body);
  },
};

function post(path, headers, body) {
  const bytes = Buffer.from(body);
  send('POST', path, { 'Content-Type': 'application/json', 'Content-Length': bytes.length, ...headers }, bytes).catch(
    () => process.exit(1), // Nobody is there any more for whom it would run.
  );
}

const load = Module._load;
Module._load = (name, ...rest) => {
  if (name !== './rapid-client.node') return load(name, ...rest);
  return client;
};
