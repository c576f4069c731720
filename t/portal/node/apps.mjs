// Applications, by keyboard.

import { execFileSync } from 'node:child_process';

import { axe, close, copies, done, input, is, ok, open, signIn, start, until }
    from './browser.mjs';

// Moves the focus by Tab until it is on an element with this name.
async function tab(page, role, name) {
    for (let i = 0; i < 120; i++) {
        await page.keyboard.press('Tab');

        const at = await page.evaluate(() => {
            const e = document.activeElement;

            return e.getAttribute('aria-label')
                || [...(e.labels || [])].map((l) => l.textContent).join(' ')
                || e.textContent;
        });

        if (name.test(at.trim())
            && await page.evaluate((r) => document.activeElement.matches(r),
                role))
        {
            return true;
        }
    }

    return ok(false, `Tab reaches ${name}`);
}

async function press(page, name) {
    await tab(page, 'button, a, summary', name) && await page.keyboard.press(
        'Enter');
}

function curl(line) {
    return execFileSync('sh', ['-c', line], { encoding: 'utf8' });
}

async function session(cookie, options) {
    const page = await open(options);

    await page.context().addCookies([{ url: input.url, ...cookie }]);
    return page;
}

// The texts that the table of the graph has: [time, requests, errors].
async function numbers(page) {
    return page.$$eval('.graph tbody tr', (rows) => rows.map((row) =>
        [...row.children].map((cell) => cell.textContent)));
}

await start();

const page = await session(input.owner, { expected: /status of 400/ });
let token = '';

{
    await page.goto('/portal/');
    await page.waitForSelector('header nav');
    await press(page, /^API$/);
    await page.waitForSelector('main .apps');
    ok(/in 24 hours$/.test((await page.textContent('main h1')).trim()),
        'how much the applications were used');
    ok(/1 application/.test(await page.textContent('main h1 + p')),
        'how many applications there are');
    ok(/No refusal is recorded/.test(await page.textContent('main')),
        'and that nothing was refused');

    await press(page, /^New application$/);
    await tab(page, 'input', /^Name$/);
    await page.keyboard.type('Monitoring <1>');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.made');
    is(await page.evaluate(() => document.activeElement.textContent),
        'The new token', 'the focus is on what was made');

    await axe(page, 'the new token');

    if (process.env.RBL_PICTURES) {
        await page.screenshot({ fullPage: true,
            path: `${process.env.RBL_PICTURES}/apps-made.png` });
    }

    const codes = await page.$$eval('.made code', (all) =>
        all.map((code) => code.textContent));

    token = codes[0];
    ok(/^[0-9a-f]{64}$/.test(token), 'the token is shown');
    ok(/^whsec_/.test(codes[1]), 'the secret is shown');
    is(codes.length, 6, 'with four ways to use it');
    ok(codes.slice(2).every((code) =>
        code.includes(`${input.account}:${token}`)
        && code.includes(new URL(input.url).origin)),
    'each with the account, the token and this address');

    await copies(page, async () => {
        await press(page, /^Copy: Token$/);
        await page.waitForSelector('.made [role=status]:not(:empty)');
    }, token, 'it is copied');

    ok(/192\.0\.2\.1/.test(curl(codes[2].replace('listings', 'hosts'))),
        'the line for curl works');
    ok(/^(OK|UNKNOWN|CRITICAL) - /.test(curl(`${codes[3].replace(/exit \d/g,
        'true')}`)), 'so does the plugin for Nagios');
    ok(/^-?\d+$/.test(curl(codes[4].split(',').slice(1).join(','))),
        'so does the parameter for Zabbix');
    ok(/404/.test(curl(`${codes[2].replace('listings', 'nothing')}`)),
        'a path that is none is refused');
    ok(/Invalid page/.test(curl(codes[2].replace('listings.json',
        'hosts.json?page=x'))), 'a bad request is refused');
}

// what the page shows of it

{
    await press(page, /^Open the application$/);
    await page.waitForSelector('.graph canvas');
    ok(!(await page.content()).includes(token),
        'the token is gone with the page');
    await page.reload();
    await page.waitForSelector('.graph canvas');
    await page.waitForFunction(() => /[1-9]\d* error/.test(
        document.querySelector('[aria-labelledby=app-errors] [role=status]')
            .textContent));
    await page.waitForFunction(() => /24 hours: [1-9]\d* requests, [1-9]/.test(
        document.querySelector('.plot').getAttribute('aria-label')));
    ok(true, 'the graph says how many requests and errors there were');

    await press(page, /^The numbers as a table$/);
    await page.waitForSelector('.graph tbody tr');
    const rows = await numbers(page);

    is(rows.length, 24, 'the table has 24 hours');
    ok(rows.reduce((sum, row) => sum + Number(row[1]), 0) >= 4,
        'with the requests', JSON.stringify(rows));
    ok(rows.reduce((sum, row) => sum + Number(row[2]), 0) >= 1,
        'and the errors', JSON.stringify(rows));
    ok(/Invalid page/.test(await page.textContent(
        '[aria-labelledby=app-errors] table')), 'the error log has the error');

    await tab(page, 'select', /^Status$/);
    await page.keyboard.type('503');
    await page.waitForFunction(() => !document.querySelector(
        '[aria-labelledby=app-errors] table'));
    ok(true, 'the error log has none of another status');
    await page.selectOption('#app-code', '400');
    await page.waitForSelector('[aria-labelledby=app-errors] table');
    ok(true, 'and those of this one');

    await page.reload();
    await page.waitForSelector('.graph canvas');
    is(await page.inputValue('#app-code'), '400',
        'the status is in the address');
    await page.selectOption('#app-code', '');
    await page.waitForFunction(() => !/code=/.test(location.hash));
    await page.waitForSelector('[aria-labelledby=app-errors] table');
    await press(page, /^13 months$/);
    await page.waitForFunction(() => /^13 months/.test(
        document.querySelector('.plot')?.getAttribute('aria-label')));
    await press(page, /^The numbers as a table$/);
    await page.waitForSelector('.graph tbody tr');
    is((await numbers(page)).length, 396, 'the table of 13 months');
    ok(page.url().endsWith('?range=days_396'), 'the range is in the address');
    await press(page, /^24 hours$/);
    await page.waitForFunction(() => /^24 hours/.test(
        document.querySelector('.plot').getAttribute('aria-label')));
    // the table may be loaded again meanwhile
    await until(async () => {
        await page.locator('.refusals summary', { hasText: 'Invalid page' })
            .first().focus();
        await page.keyboard.press('Enter');
        return page.$('.refusals details[open]');
    });
    ok(/GET \/3\.0\/hosts\.json.*127\.0\.0\.1/s.test(await page.textContent(
        '.refusals details[open]')),
    'a refusal opens, with its request and address');
}

// all applications

{
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto('/portal/#/apps');
    await page.waitForSelector('.apps tbody tr');
    await page.waitForSelector('.graph canvas');
    ok(/^[1-9]\d* requests in 24 hours$/.test(
        (await page.textContent('main h1')).trim()), 'the verdict',
    await page.textContent('main h1'));
    ok(/[1-9]\d* refused \(\d+ %\) · 2 applications/.test(
        await page.textContent('main h1 + p')), 'with what was refused',
    await page.textContent('main h1 + p'));

    for (const seen of ['main h1', '.graph canvas', '.refusals tbody tr',
        '.apps tbody tr:last-child'])
    {
        const box = await page.locator(seen).first().boundingBox();

        ok(box.y >= 0 && box.y + box.height <= 900,
            `seen without scrolling: ${seen}`, JSON.stringify(box));
    }

    for (const row of ['.refusals tbody tr', '.apps tbody tr']) {
        const { height } = await page.locator(row).first().boundingBox();

        ok(height >= 34 && height <= 38, `a row of 36 pixels: ${row}`,
            String(height));
    }

    const [first] = await page.$$eval('.apps tbody tr', (rows) => rows.map(
        (row) => [...row.children].map((cell) => cell.textContent.trim())));

    is(first[0], 'Monitoring <1>', 'that with refusals comes first');
    is(first[5], 'this hour', 'when it was last used');
    ok(Number(first[2]) >= 4 && Number(first[3]) >= 1,
        'with its requests and errors', first.join(' | '));
    ok(/Monitoring <1>.*40[04]/s.test(await page.textContent(
        '.refusals tbody tr')), 'a refusal names its application');
    await axe(page, 'applications');

    if (process.env.RBL_PICTURES) {
        await page.screenshot({
            path: `${process.env.RBL_PICTURES}/apps-used.png` });
    }

    await press(page, /^31 days$/);
    await page.waitForSelector('h1 >> text=requests in 31 days');
    ok(page.url().endsWith('#/apps?range=days_31'),
        'the range of the list is in the address');

    for (let i = 0; i < 12; i++) {
        curl(`curl -su ${input.account}:${token} `
            + `"${input.url}3.0/hosts.json?page=x"`);
    }

    await until(async () => {
        await page.reload();
        await page.waitForSelector('main h1');
        return /1 application fails: most of its requests are refused/.test(
            await page.textContent('main h1'));
    });
    ok(await page.$('h1.bad') !== null && /fails/.test(
        await page.textContent('.apps tbody tr .failing')),
    'an application whose requests are mostly refused is told');
    await page.goto('/portal/#/apps?range=days_31');
    await page.locator('.apps th a').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('[aria-labelledby=app-errors] table');
    ok(/\/apps\/AP[0-9a-f]{32}\?range=days_31$/.test(page.url()),
        'its page has the same range');
    await page.evaluate(() => {
        location.hash = location.hash.replace(/\?.*/, '');
    });
    await page.waitForFunction(() => /^24 hours/.test(
        document.querySelector('.plot')?.getAttribute('aria-label')));
}

// the pixels of the graph

async function pixels() {
    return page.evaluate(() => {
        const canvas = document.querySelector('.graph canvas');
        const { width, height } = canvas;
        const copy = new OffscreenCanvas(width, height).getContext('2d',
            { willReadFrequently: true });

        copy.drawImage(canvas, 0, 0);

        const { data } = copy.getImageData(0, 0, width, height);
        const rgb = (text) => text.match(/\d+/g).slice(0, 3).map(Number);
        const style = (e, property) =>
            rgb(getComputedStyle(document.querySelector(e))[property]);
        const far = (a, b) => Math.hypot(...a.map((v, i) => v - b[i]));
        const paper = style('.graph', 'backgroundColor');
        const count = (colour) => {
            let n = 0;

            for (let i = 0; i < data.length; i += 4) {
                n += data[i + 3] > 250
                    && far([data[i], data[i + 1], data[i + 2]], colour) < 8;
            }

            return n;
        };
        const requests = style('.legend .requests', 'color');
        const errors = style('.legend .errors', 'color');
        const text = style('.graph', 'color');

        return { requests: count(requests), errors: count(errors),
            text: count(text), contrast: Math.min(far(requests, paper),
                far(errors, paper), far(text, paper), far(requests, errors)) };
    });
}

await page.reload();
await page.waitForSelector('.graph canvas');

for (const scheme of ['dark', 'light']) {
    const drawn = ['requests', 'errors', 'text'];
    let seen;

    await page.emulateMedia({ colorScheme: scheme });
    await until(async () => {
        seen = await pixels();
        return drawn.every((what) => seen[what] > 10);
    });

    for (const what of drawn) {
        ok(seen[what] > 10, `${scheme}: the graph draws ${what}`,
            JSON.stringify(seen));
    }

    ok(seen.contrast > 100, `${scheme}: in colours that differ`,
        JSON.stringify(seen));
}

// access

{
    await tab(page, 'textarea', /^Allowed networks$/);
    await page.keyboard.type('127.0.0.1/8');
    await press(page, /^Save the networks$/);
    await page.waitForSelector('.banner');
    ok(/The network is 127\.0\.0\.0\/8/.test(await page.textContent('.banner')),
        'a wrong network is explained');
    is(await page.inputValue('#app-allow'), '127.0.0.1/8',
        'and what was typed stays');
    await page.fill('#app-allow', '127.0.0.0/8\n2001:db8::/32');
    await page.focus('#app-allow');
    await press(page, /^Save the networks$/);
    await page.waitForFunction(() => !document.querySelector('.banner'));
    ok(true, 'the right ones are saved');

    await tab(page, 'input', /^Requests an hour$/);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('1000');
    await press(page, /^Save the limits$/);
    await page.waitForFunction(() =>
        [...document.querySelectorAll('[role=status]')].some((e) =>
            /Saved/.test(e.textContent)));
    ok(true, 'the limits are saved');
}

// tokens

{
    await press(page, /^Make a new token$/);
    await page.waitForSelector('.made');
    await page.waitForFunction(() => document.querySelectorAll(
        '[aria-labelledby=app-tokens] tbody tr').length === 2);
    ok(true, 'a second token');

    const second = await page.textContent('.made code');

    ok(/192\.0\.2\.1/.test(curl(`curl -su ${input.account}:${second} `
        + `${input.url}3.0/hosts.json`)), 'it works');
    await page.goto('/portal/#/apps');
    await page.waitForSelector('.apps');
    ok(!(await page.content()).includes(second), 'and is gone');
    await page.goBack();
    await page.waitForSelector('[aria-labelledby=app-tokens] table');
    ok(!(await page.content()).includes(second), 'also on the way back');

    await press(page, /^Revoke the token /);
    ok(/Really revoke the token/.test(await page.evaluate(() =>
        document.activeElement.getAttribute('aria-label'))),
    'one press does not revoke it');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelectorAll(
        '[aria-labelledby=app-tokens] tbody tr').length === 1);
    is(await page.evaluate(() => document.activeElement.id), 'app-tokens',
        'the second does, and the focus stays here');
    ok(/401/.test(curl(`curl -su ${input.account}:${token} `
        + `${input.url}3.0/hosts.json`)), 'the first token is over');
}

// its end

{
    await tab(page, 'input', /^To confirm, type its name/);
    await page.keyboard.type('Monitoring');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.banner');
    ok(/not the name/.test(await page.textContent('.banner')),
        'the name must be right');
    await page.focus('#app-typed');
    await page.keyboard.press('End');
    await page.keyboard.type(' <1>');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /revoked/.test(
        document.querySelector('main .state').textContent));
    is(await page.$$eval('main form', (forms) => forms.length), 0,
        'a revoked application has nothing to change');
    await close(page, 'the journey');
}

// a viewer

{
    const other = await session(input.viewer);

    await other.goto('/portal/#/apps');
    await other.waitForSelector('main .apps');
    is(await other.$('a[href="#/apps/new"]'), null, 'a viewer adds none');
    await other.goto(`/portal/#/apps/${input.first}`);
    await other.waitForSelector('[aria-labelledby=app-access] dl');
    is(await other.$$eval('main form', (forms) => forms.length), 0,
        'and changes none');
    await close(other, 'a viewer');
}

// a sign-in that is not recent

{
    const late = await session(input.late, { expected: /status of 401/ });

    await late.goto('/portal/#/apps/new');
    await late.waitForSelector('#app-name');
    await late.fill('#app-name', 'Typed late');
    await late.focus('#app-name');
    await late.keyboard.press('Enter');
    await late.waitForSelector('.banner');
    ok(/new sign-in link/.test(await late.textContent('.banner')),
        'a new sign-in link is needed');
    is(await late.inputValue('#app-name'), 'Typed late',
        'what was typed stays');

    const tab2 = await late.context().newPage();

    await signIn(tab2, input.link);
    await tab2.waitForSelector('header nav');
    await late.bringToFront();
    await late.focus('#app-name');
    await late.keyboard.press('Enter');
    await late.waitForSelector('.made');
    ok(true, 'after a sign-in in another tab it works');
    await close(late, 'a late user');
}

await done();
