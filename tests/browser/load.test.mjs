// 64 clients at once: no error, and the memory of the server does not grow. LOAD_SECONDS says for how long.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { test } from 'node:test';
import { sample, serve } from './harness.mjs';

const paths = ['/api/model', '/api/open?id=m0', '/api/children?id=m0', '/api/node?id=n5', '/api/search?text=query', '/api/review', '/app.js'];
const clients = 64;
const maxGrowth = 64 << 20;

const memory = (pid) => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

function fetchPath(url, agent, cookie) {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { cookie } }, (response) => {
      let size = 0;
      response.on('data', (chunk) => (size += chunk.length));
      response.on('end', () => resolve({ status: response.statusCode, size, headers: response.headers }));
    }).on('error', reject);
  });
}

test('64 clients get answers', async (t) => {
  const server = await serve(sample('bert12.torchscript.onnx'));
  t.after(server.stop);
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const first = await fetchPath(server.url, agent, '');
  const cookie = first.headers['set-cookie'][0].split(';')[0];
  for (const path of paths) assert.equal((await fetchPath(new URL(path, server.url), agent, cookie)).status, 200);
  const before = memory(server.pid);
  const end = Date.now() + 1000 * Number(process.env.LOAD_SECONDS ?? 5);
  let answers = 0;
  const work = async (number) => {
    for (let i = number; Date.now() < end; ++i) {
      const { status, size } = await fetchPath(new URL(paths[i % paths.length], server.url), agent, cookie);
      assert.equal(status, 200);
      assert.ok(size > 0);
      ++answers;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, i) => work(i)));
  t.diagnostic(`${answers} answers, memory grew by ${(memory(server.pid) - before) >> 10} KB`);
  assert.ok(answers > clients);
  assert.ok(memory(server.pid) - before < maxGrowth);
  agent.destroy();
});
