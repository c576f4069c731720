// Debian's Chromium and how the tests start it.

import { createRequire } from 'node:module';

export const require = createRequire(`${process.env.NODE_PATH}/`);
export const { chromium } = require('playwright-core');
export const options = {
    executablePath: process.env.RBL_CHROMIUM
        || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']
};
