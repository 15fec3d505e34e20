// The reporter of `node --test`, loaded by the parent process, which runs nothing of the tree. It writes one line for
// each event that matters: an authentication code and a JSON array. The key is in a file that is gone before the first
// test starts, so a test that writes to the parent's output writes noise.
import { createHmac } from 'node:crypto';
import { readFileSync, unlinkSync } from 'node:fs';

const place = process.env.DONE_RECEIPT_KEY;
delete process.env.DONE_RECEIPT_KEY;
const key = readFileSync(place);
unlinkSync(place);

let count = 0;
function line(...event) {
  const body = JSON.stringify([count++, ...event]);
  return `${createHmac('sha256', key).update(body).digest('hex')} ${body}\n`;
}

function say(data) {
  const error = data.details?.error;
  const words = String((error?.cause?.stack ?? error?.cause?.message ?? error?.message) || error).slice(0, 300);
  process.stderr.write(`${data.name}: ${words}\n`);
}

export default async function* reporter(source) {
  for await (const { type, data } of source) {
    const file = data.file ?? '';
    if (type === 'test:enqueue') {
      yield line('plan', data.nesting, file, data.name);
    } else if (type === 'test:start') {
      yield line('start', data.nesting, file, data.name);
    } else if (type === 'test:pass' || type === 'test:fail') {
      const passed = type === 'test:pass';
      const todo = data.todo !== undefined && data.todo !== false;
      const skip = data.skip !== undefined && data.skip !== false;
      if (!passed && !todo) say(data);
      const state = skip ? 'skipped' : todo ? (passed ? 'xpassed' : 'xfailed') : passed ? 'passed' : 'failed';
      yield line(state, data.nesting, file, data.name, data.details?.type === 'suite' ? 'suite' : 'test');
    }
  }
  yield line('end', 0, '', '');
}
