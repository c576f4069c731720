// The overview: hosts by weight, the chart of days with its numbers, what is
// not right, what is to be done, hosts by list and by group.

import { axe, close, done, input, is, ok, open, signIn, start }
    from './browser.mjs';

await start();

const clean = (text) => text.replace(/\s+/g, ' ').trim();

// How many pixels of a canvas are not its background.
const drawn = (page, n) => page.evaluate((which) => {
    const canvas = document.querySelectorAll('.graph canvas')[which];
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width,
        canvas.height);

    return data.filter((value, i) => i % 4 === 3 && value > 0).length;
}, n);

for (const { link, locale, ...says } of input.who) {
    const page = await open({ locale, viewport: { width: 1440, height: 900 } });
    const texts = async (selector) => (await page.locator(selector)
        .allTextContents()).map(clean);

    await signIn(page, link);
    await page.waitForSelector('.graph canvas');
    is((await texts('.weights li')).join(', '), says.weights.join(', '),
        `${locale}: hosts by weight, and since yesterday`);
    is(await page.locator('.graph canvas').count(), 2,
        `${locale}: hosts and listings have axes of their own`);

    const section = clean(await page.textContent(
        'section[aria-labelledby=trend]'));

    ok(section.includes(says.since),
        `${locale}: since when there are numbers`, section);
    ok(section.includes(says.unknown),
        `${locale}: that hosts were unknown on a day`, section);
    is((await texts('.ranges [aria-current]')).join(), clean((await texts(
        '.ranges a'))[1]), `${locale}: 30 days at first`);
    await page.locator('.graph summary').click();
    await page.waitForSelector('.graph tbody tr');
    is(await page.locator('.graph tbody tr').count(), 21,
        `${locale}: the table has all days that are known`);
    is((await texts('.graph tbody tr:nth-child(2) td')).join(), '20,1,2,1,0',
        `${locale}: the numbers of yesterday`);
    ok(await drawn(page, 0) > 100 && await drawn(page, 1) > 100,
        `${locale}: both charts are drawn`);
    await axe(page, `${locale}, open table`);

    await page.locator('.ranges a').first().click();
    await page.waitForFunction((text) => document.querySelector(
        'section[aria-labelledby=trend]').textContent.replace(/\s+/g, ' ')
        .includes(text), says.says);
    ok(page.url().endsWith('#/overview?days=7'),
        `${locale}: the range is in the address`);
    is(await page.getAttribute('.graph .plot', 'aria-label'), says.says,
        `${locale}: the chart says what it shows`);

    const rows = page.locator('table', { has: page.locator(
        `a[href="#/lists/${input.list}"]`) }).locator('tbody tr');

    is(await rows.count(), 8, `${locale}: eight lists`);
    is((await rows.first().locator('td').allTextContents()).slice(0, 3)
        .map(clean).join(), says.first, `${locale}: the heaviest list`);
    is((await texts('.care li')).join('; '), says.care.join('; '),
        `${locale}: what is not right`);

    const todo = page.locator('section[aria-labelledby=todo] tbody tr');

    is((await todo.locator('th a').allTextContents()).map(clean).sort().join(),
        '192.0.2.1,192.0.2.2', `${locale}: what is to be done`);
    is((await page.locator('section[aria-labelledby=by-group] tbody tr')
        .first().locator('td').allTextContents()).map(clean).join(),
        says.group, `${locale}: hosts by group, and who is notified`);
    ok(clean(await page.textContent('main')).includes(says.more),
        `${locale}: how many more lists there are`);
    await page.emulateMedia({ media: 'print' });
    ok(await page.locator('.graph canvas').first().isVisible(),
        `${locale}: the chart is printed`);
    await close(page, locale);
}

await done();
