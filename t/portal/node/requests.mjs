// By keyboard alone: an operator requests an account, an owner and a plan; what
// becomes of it, with a daemon and without one.  A viewer only sees it.  The
// tables of operators fit in any window, and a long name can be read.

import { axe, close, done, input, is, ok, open, signIn, start, tabTo }
    from './browser.mjs';

async function press(page, text) {
    await tabTo(page, text);
    await page.keyboard.press('Enter');
}

const text = async (page, selector = 'main') =>
    (await page.textContent(selector)).replace(/\s+/g, ' ');
const long = `<b onclick=x>${'name'.repeat(60)}`;

// Opens the form and types into its fields.
async function fill(page, form, fields) {
    await press(page, form);

    for (const [label, value] of Object.entries(fields)) {
        await tabTo(page, label);
        await page.keyboard.type(value);
    }
}

async function send(page) {
    await press(page, 'Queue the request');
}

async function away(page) {
    await fill(page, 'New account', { Name: long,
        'E-mail address of the owner': 'boss@example.test' });
    await send(page);
    await page.waitForSelector('.requests >> text=waits for a daemon; queued');
    ok(/15 minutes after the request is done/.test(await text(page)),
        'the link of the owner is shown');
    ok((await text(page, '.copied')).includes('/portal/#/link/AC'),
        'with its address');
    ok((await text(page, '.requests')).includes(`Account \u2068${long}`)
        || (await text(page, '.requests')).includes(long),
    'the name is a text');
    ok(await page.locator('.requests time').count() > 0,
        'it says since when it waits');
    await axe(page, 'a request that waits');
}

async function carried(page) {
    await page.waitForSelector('.requests >> text=is done');
    await page.waitForSelector('h1 >> text=3 accounts');
    ok(true, 'a daemon has carried out what waited');
    await press(page, 'New account');
    await tabTo(page, 'Name');
    await page.keyboard.type('Next');
    await tabTo(page, 'Plan');
    await page.keyboard.type('Small');
    await send(page);
    await page.waitForSelector('h1 >> text=4 accounts');
    await page.waitForSelector('td >> text=Small');
    ok(true, 'an account on a plan is made');
}

async function manage(page) {
    await page.goto(`/portal/#/accounts/${input.account}`);
    await page.waitForSelector('summary >> text=Another owner');
    await fill(page, 'Another owner',
        { 'E-mail address of the owner': 'new@example.test' });
    await send(page);
    await page.waitForSelector('.requests >> text=is done');
    await page.waitForSelector('.copied');
    ok(true, 'an account gets an owner');
    await tabTo(page, 'E-mail address of the owner');
    await page.keyboard.type('new@example.test');
    await send(page);
    await page.waitForSelector('.requests >> text=another user of the account');
    ok(true, 'not twice, and the screen says why');
    await press(page, 'Another plan');
    await tabTo(page, 'Plan');
    await page.keyboard.type('Large');
    await send(page);
    await page.waitForSelector('.facts dd >> text=Large');
    ok(true, 'an account gets another plan');
    await axe(page, 'an account of operators');
}

async function fits(page) {
    for (const width of [320, 480, 800, 1000, 1280]) {
        await page.setViewportSize({ width, height: 800 });

        for (const [screen, sign] of [['accounts', 'tbody tr'],
            ['lists?off=1', 'tbody tr'], ['audit', 'tbody tr'],
            [`accounts/${input.account}`, '.facts']])
        {
            await page.goto(`/portal/#/${screen}`);
            await page.waitForSelector(`main ${sign}`);

            const { scroll, inner } = await page.evaluate(() => ({
                scroll: document.documentElement.scrollWidth,
                inner: innerWidth }));

            ok(scroll <= inner, `${screen}, ${width}: no sideways scroll`,
                `${scroll} > ${inner}`);

            if (process.env.RBL_PICTURES) {
                await page.screenshot({ fullPage: true, path: `${process.env
                    .RBL_PICTURES}/${screen.length > 20 ? 'account'
                    : screen.split('?')[0]}-${width}.png` });
            }
        }
    }

    await page.setViewportSize({ width: 1280, height: 800 });
}

async function names(page) {
    await page.goto('/portal/#/audit');

    const one = page.locator('td a[href^="#/audit/target/AC"]').filter({
        hasText: 'namename' }).last();

    ok((await one.getAttribute('title')).includes(long),
        'a long name is the title of its link');
    await one.click();
    await page.waitForSelector('h1 ~ p bdi >> text=namename');
    is(await page.locator('h1 ~ p bdi').first().textContent(), long,
        'and its page has all of it');
}

await start();

const page = await open();

await signIn(page, input.owner);
await press(page, 'Accounts');
await page.waitForSelector(`h1 >> text=${input.away ? 2 : 3} accounts`);

if (input.away) {
    await away(page);
} else {
    await carried(page);
    await manage(page);
    await fits(page);
    await names(page);
}

await close(page, 'an owner');

const viewer = await open();

await signIn(viewer, input.viewer);
await press(viewer, 'Accounts');
await viewer.waitForSelector('.requests li');
is(await viewer.locator('main summary, td >> text=Manage').count(), 0,
    'a viewer sees requests, and makes none');
await close(viewer, 'a viewer');
await done();
