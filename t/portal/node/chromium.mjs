// Debian's Chromium and how the tests start it.  Without windows it needs a
// third of the CPU time; the package chromium-headless-shell has that one.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

export const require = createRequire(`${process.env.NODE_PATH}/`);
export const { chromium } = require('playwright-core');
export const options = {
    executablePath: process.env.RBL_CHROMIUM
        || ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
            .find((path) => existsSync(path)),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']
};
