// Starts the Chromium that the programs of one run share (t/browser.pl) and
// prints its address.  Ends with its standard input, that is, also when the run
// is killed.

import { chromium, options } from './chromium.mjs';

const server = await chromium.launchServer({ ...options, host: '127.0.0.1' });

let status = 1;

server.on('close', () => process.exit(status));
process.stdin.on('end', () => {
    status = 0;
    server.close();
}).resume();
process.stdout.write(`${server.wsEndpoint()}\n`);
