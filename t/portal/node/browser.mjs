// The browser of the portal's tests: Debian's Chromium, driven by
// playwright-core.  A program calls ok() and done(); it prints one JSON object
// a line for t/lib/RblBrowser.pm: {ok, name, why}.
//
// Each page is watched: no message on its console, no report of its policy, no
// request to another origin.

import { createRequire } from 'node:module';

const require = createRequire(`${process.env.NODE_PATH}/`);
const { chromium } = require('playwright-core');

const axeSource = require('axe-core').source;
export const input = JSON.parse(process.env.RBL_INPUT);

export function say(line) {
    process.stdout.write(`${JSON.stringify(line)}\n`);
}

export function ok(good, name, why = '') {
    say({ ok: !!good, name, why: good ? '' : String(why) });
    return !!good;
}

export function is(got, want, name) {
    return ok(got === want, name, `got ${JSON.stringify(got)}, want `
        + JSON.stringify(want));
}

let browser;

export async function start() {
    browser = await chromium.launch({
        executablePath: process.env.RBL_CHROMIUM || '/usr/bin/chromium',
        args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']
    });
}

export async function done() {
    await browser.close();
    say({ done: true });
}

// A page in a context of its own: options of playwright, and `expected`, a
// pattern of console messages that are part of the test.
export async function open({ expected, ...options } = {}) {
    const context = await browser.newContext({ locale: 'en-GB',
        baseURL: input.url, ...options });
    const page = await context.newPage();
    const origin = new URL(input.url).origin;

    page.faults = [];
    page.on('console', (message) => {
        const text = message.text();

        if (message.type() !== 'debug' && !(expected && expected.test(text))) {
            page.faults.push(`console: ${text}`);
        }
    });
    page.on('pageerror', (error) => page.faults.push(`error: ${error}`));
    page.on('request', (request) => {
        const url = new URL(request.url());

        if (url.protocol !== 'data:' && url.origin !== origin) {
            page.faults.push(`request: ${url}`);
        }
    });
    await page.addInitScript(() => addEventListener('securitypolicyviolation',
        (event) => console.error(`policy: ${event.violatedDirective}`)));
    page.setDefaultTimeout(60000);

    return page;
}

// Presses Tab until what has the focus has this text or label.
export async function tabTo(page, text) {
    for (let i = 0; i < 60; i++) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate(() => {
            const e = document.activeElement;
            return (e.labels && e.labels.length ? e.labels[0].textContent
                : e.textContent).replace(/\s+/g, ' ').trim();
        });

        if (at.startsWith(text)) {
            return;
        }
    }

    throw new Error(`Tab does not reach "${text}"`);
}

// Opens a sign-in link and uses it.
export async function signIn(page, link) {
    await page.goto(link.includes('#') ? link : `/portal/#/link/${link}`);
    await page.press('.sign-in button', 'Enter');
    await page.waitForSelector('header nav');
}

export async function close(page, name) {
    is(page.faults.join('\n'), '', `${name}: nothing on the console, no report,`
        + ' no other origin');
    await page.context().close();
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa',
    'best-practice'];

// What axe finds on a page.
export async function axe(page, name) {
    // a script of the test, not of the page: it needs no policy

    const found = await page.evaluate(`(() => {
        const module = { exports: {} };
        ${axeSource}
        return (module.exports.run || axe.run)(document,
            { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'],
                selectors: false });
    })()`);

    is(found.violations.map(({ id, nodes }) =>
        `${id}: ${nodes.map(({ html }) => html).join(' ')}`).join('\n'), '',
    `${name}: axe`);
}
