// The browser of the portal's tests: Debian's Chromium, driven by
// playwright-core.  A program calls ok() and done(); it prints one JSON object
// a line for t/lib/RblBrowser.pm: {ok, name, why}, or {note}.
//
// RBL_BROWSER is the address of a browser that several programs share
// (t/browser.pl).  Without it, or if that browser does not answer, a program
// launches its own.
//
// Each page is watched: no message on its console, no report of its policy, no
// request to another origin.

import { readFileSync } from 'node:fs';

import { chromium, options, require } from './chromium.mjs';

const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
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

// How long a condition may take, in milliseconds; a slow machine needs it.
export const patience = 120000 * (process.env.RBL_PATIENCE || 1);

let browser;
let ended = false;

async function connect(address) {
    try {
        const shared = await chromium.connect(address);

        shared.on('disconnected', () => ended
            || say({ note: 'The shared Chromium has died.' }));
        return shared;
    } catch (error) {
        say({ note: 'The shared Chromium does not answer, this program launches'
            + ` its own: ${error.message.split('\n')[0]}` });
        return null;
    }
}

export async function start() {
    const address = process.env.RBL_BROWSER;

    browser = address && await connect(address)
        || await chromium.launch(options);
}

// Closes the browser, or only the contexts of this program if it is shared.
export async function done() {
    ended = true;
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
    context.setDefaultTimeout(patience);

    return page;
}

// What `get` returns as soon as it is true, otherwise null after some time.
export async function until(get) {
    const end = Date.now() + patience;

    while (Date.now() < end) {
        const value = await get();

        if (value) {
            return value;
        }

        await new Promise((go) => setTimeout(go, 100));
    }

    return null;
}

// The text of a file that was downloaded: a shared browser keeps the file.
export async function downloaded(download) {
    const parts = [];

    for await (const part of await download.createReadStream()) {
        parts.push(part);
    }

    return Buffer.concat(parts).toString();
}

// Copies by calling `copy` and compares the clipboard.  All programs that share
// the browser share its clipboard: another one may write to it in between.
export async function copies(page, copy, want, name) {
    let got;

    await page.context().grantPermissions(['clipboard-read',
        'clipboard-write']);

    for (let i = 0; i < 5 && got !== want; i++) {
        await copy();
        got = await page.evaluate(() => navigator.clipboard.readText());
    }

    is(got, want, name);
}

// Presses Tab until what has the focus has this text or label.  It begins again
// at the start of a page that is drawn anew meanwhile.
export async function tabTo(page, text) {
    for (const end = Date.now() + patience; Date.now() < end;) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate(() => {
            const e = document.activeElement;
            return ((e.labels && e.labels.length ? e.labels[0].textContent
                : e.textContent) || e.getAttribute('aria-label') || '')
                .replace(/\s+/g, ' ').trim();
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

// Signs out by the small menu of the user.
export async function signOut(page) {
    await page.click('.who > button');
    await page.click('#who >> text="Sign out"');
}

export async function close(page, name) {
    is(page.faults.join('\n'), '', `${name}: nothing on the console, no report,`
        + ' no other origin');
    await page.context().close();
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa',
    'best-practice'];

// What axe finds on a page.  Its source is large: each document gets it once.
export async function axe(page, name, skip = []) {
    // a script of the test, not of the page: it needs no policy

    if (!await page.evaluate(() => Boolean(globalThis.axeOfTest))) {
        await page.evaluate(`(() => {
            const module = { exports: {} };
            ${axeSource}
            globalThis.axeOfTest = module.exports;
        })()`);
    }

    const found = await page.evaluate((runOnly) => globalThis.axeOfTest.run(
        document, { ...runOnly, resultTypes: ['violations'],
            selectors: false }),
    { runOnly: tags, rules: Object.fromEntries(skip.map((id) => [id,
        { enabled: false }])) });

    is(found.violations.map(({ id, nodes }) =>
        `${id}: ${nodes.map(({ html }) => html).join(' ')}`).join('\n'), '',
    `${name}: axe`);
}
