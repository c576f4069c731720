// A range of 1,024 addresses, and subnets of single hosts.

import { axe, close, done, input, is, ok, open, signIn, start }
    from './browser.mjs';

await start();

const clean = (text) => text.replace(/\s+/g, ' ').replace(/[\u2066-\u2069]/g,
    '').trim();

for (const { link, locale, ...says } of input.who) {
    const page = await open({ locale, viewport: { width: 1440, height: 900 } });
    const texts = async (selector) => (await page.locator(selector)
        .allTextContents()).map(clean);

    await signIn(page, link);
    await page.goto(`/portal/#/host/${input.range}`);
    await page.waitForSelector('.square >> nth=3');
    ok(page.url().endsWith('#/range/198.18.0.0/22'),
        `${locale}: a range has an address of its own`);
    is(await page.locator('.square').count(), 4,
        `${locale}: 1,024 addresses are four squares`);
    is(await page.locator('.square a').count(), 1024,
        `${locale}: each address is a link`);
    is((await texts('.counts li')).join(), says.counts,
        `${locale}: how many are in each state`);
    is(await page.locator('.square .listed').count(), 2,
        `${locale}: listed addresses are cells of their own look`);
    is(clean(await page.getAttribute('.square .listed', 'aria-label')),
        says.name, `${locale}: a cell says what it is`);
    is((await texts('#listed ~ table .address')).join(),
        '198.18.0.17,198.18.3.40', `${locale}: what is listed, as a table`);
    is(await page.locator('button >> text=/Pause|Anhalten/').count(),
        says.acts, `${locale}: who may pause it`);

    await page.waitForFunction((text) => document.querySelector('.plot')
        ?.getAttribute('aria-label') === text, says.says);
    ok(true, `${locale}: the chart says what it shows`);
    await page.waitForSelector('section[aria-labelledby=history] tr >> nth=4');
    is(await page.locator('section[aria-labelledby=history] h3 + table tbody '
        + 'tr').count(), 4, `${locale}: all changes of all addresses`);
    await page.click(`.ranges >> text=${says.week}`);
    await page.waitForFunction(() => document.querySelectorAll(
        'section[aria-labelledby=history] h3 + table tbody tr').length === 2);
    ok(page.url().endsWith('?days=7'),
        `${locale}: the period is in the address`);
    await page.evaluate(() => document.querySelectorAll('main details')
        .forEach((e) => e.setAttribute('open', '')));
    await axe(page, locale);

    // by keyboard: one stop of Tab in a square, arrows within it

    await page.locator('.square >> nth=0').locator('[tabindex="0"]').focus();

    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
        await page.keyboard.press(key);
    }

    is(await page.evaluate(() => document.activeElement.dataset.place), '17',
        `${locale}: arrow keys go from cell to cell`);
    is(await page.locator('.square >> nth=0').locator('[tabindex="0"]')
        .count(), 1, `${locale}: Tab stops once in a square`);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    is(await page.evaluate(() => document.activeElement.dataset.place), '0',
        `${locale}: and no further than its edge`);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.card, .timeline');
    ok(page.url().includes(`#/host/${input.host}`),
        `${locale}: the key Enter opens a host`);

    // a subnet of single hosts, and one of IPv6

    await page.goto(`/portal/#/host/${input.single}`);
    await page.click('.place >> text=203.0.113.0/24');
    await page.waitForSelector('h1 >> text=203.0.113.0/24');
    await page.waitForSelector('.square a');
    is(await page.locator('.square a').count(), 1,
        `${locale}: a host without a range is in the square of its /24`);
    ok((await texts('.counts li')).some((text) => text === `255 ${says.none}`),
        `${locale}: how many addresses are not monitored`);
    is((await texts('#listed ~ table .name')).join(), '<b>',
        `${locale}: a name is text`);
    await axe(page, `${locale}, a subnet`);
    await page.goto('/portal/#/range/2001:db8::25');
    await page.waitForSelector('h1 >> text=2001:db8::/120');
    is((await texts('.square text'))[2], '20',
        `${locale}: rows of IPv6 have hex digits`);
    await close(page, locale);
}

await done();
