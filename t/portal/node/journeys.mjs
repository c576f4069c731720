// By keyboard alone: which of my ranges is worst, and since when; mute one list
// for one group until Friday.

import { axe, close, done, input, is, ok, open, start, tabTo }
    from './browser.mjs';

await start();

const clean = (text) => text.replace(/\s+/g, ' ').replace(/[\u2066-\u2069]/g,
    '').trim();

// A page on which one has signed in; what one does there.
async function begun(link) {
    const page = await open({ viewport: { width: 1440, height: 900 },
        timezoneId: 'Europe/Berlin' });
    const shows = (selector) => page.waitForSelector(selector);
    const texts = async (selector) => (await page.locator(selector)
        .allTextContents()).map(clean);

    async function press(...names) {
        for (const name of names) {
            await tabTo(page, name);
            await page.keyboard.press('Enter');
        }
    }

    async function fill(label, text) {
        await tabTo(page, label);
        await page.keyboard.press('Control+A');
        await page.keyboard.type(text);
    }

    await page.goto(`/portal/#/link/${link}`);
    await shows('.sign-in button');
    await press('Sign in');
    await shows('header nav');

    return { page, shows, texts, press, fill };
}

// What has the focus, in words.
const focused = (page) => page.evaluate(() =>
    document.activeElement.textContent.trim());

// Presses a key until something is so.
async function keyUntil(page, key, test) {
    for (let i = 0; i < 20; i++) {
        if (await test()) {
            return;
        }

        await page.keyboard.press(key);
    }

    throw new Error(`${key} leads nowhere`);
}

// which of my ranges is worst, and since when

{
    const { page, shows, texts, press } = await begun(input.links[0]);
    const listed = (text) => Number((/(\d+) of 16 listed/.exec(text) || [])[1])
        || 0;

    await press('Hosts');
    await page.waitForFunction(() => document.querySelectorAll(
        '.rows .lists .state').length === 3);

    const rows = await texts('.rows tbody tr');
    const worst = rows.reduce((a, b) => (listed(b) > listed(a) ? b : a));
    const first = (await texts('.rows tbody .address'))[0];

    ok(worst.includes(input.worst) && listed(worst) === input.listed,
        'a row for each range says how many of its addresses are listed',
        rows.join('\n'));
    is(await page.locator('.rows tbody tr', { hasText: input.worst })
        .locator('.since time').evaluate((e) => Date.parse(e.dateTime)),
    input.since, 'and since when any of them is');
    await tabTo(page, first);
    await keyUntil(page, 'ArrowDown', async () =>
        worst.includes(await focused(page)));
    await page.keyboard.press('Enter');
    await shows('#listed ~ table tbody tr');
    ok(page.url().endsWith(`#/range/${input.worst}`), 'the worst one opens');
    ok((await texts('.counts li'))[0].endsWith(`${input.listed}`),
        'it says how many addresses are listed');

    const times = await page.locator('#listed ~ table time').evaluateAll(
        (all) => all.map((e) => Date.parse(e.dateTime)));

    is(Math.min(...times), input.since, 'and since when each of them is');
    ok(await page.locator('#listed ~ table').evaluate((e) =>
        e.getBoundingClientRect().bottom <= innerHeight),
    'which is seen without scrolling');
    await close(page, 'the worst range');
}

// mute one list for one group until Friday

{
    const { page, shows, texts, press, fill } = await begun(input.links[1]);
    const friday = await page.evaluate(() => {
        const day = new Date();

        day.setDate(day.getDate() + ((5 - day.getDay() + 7) % 7 || 7));
        return [day.getFullYear(), day.getMonth() + 1, day.getDate()]
            .map((n) => `${n}`.padStart(2, '0')).join('-');
    });
    const ends = await page.evaluate((text) => new Date(text).getTime(),
        `${friday}T17:00`);
    const muted = '.facts ~ p:has(time), h1 ~ p:has(time)';

    await press('Lists');
    await shows('#filter');
    await fill('Filter', input.zone);
    await shows(`main tbody th >> text=${input.zone}`);
    await tabTo(page, (await texts('main tbody th a'))[0]);
    await page.keyboard.press('Enter');
    await shows(`h1 >> text=${input.zone}`);
    await press('Mute');
    await shows('#hosts');
    await page.waitForFunction(() => document.querySelectorAll(
        '#hosts option').length === 4);
    ok((await page.locator('#list option:checked').textContent())
        .includes(input.zone), 'the list of the page is chosen');
    await tabTo(page, 'Muted hosts');
    await keyUntil(page, 'ArrowDown', async () => clean(await page.locator(
        '#hosts option:checked').textContent()) === 'group Mail out');
    is(await page.getAttribute('#lengths [label=Friday]', 'value'),
        `${friday}T17:00`, 'the next Friday is proposed');
    await fill('Until', `${friday}T17:00`);
    await fill('Reason', 'ticket 4711');
    await axe(page, 'the form of a mute');
    await page.keyboard.press('Enter');
    await shows('main tbody tr');

    const row = (await texts('main tbody tr'))[0];

    ok(row.includes('group Mail out') && row.includes('(now)'),
        'the list is muted within the group', row);
    is(await page.locator('main tbody time').last().evaluate((e) =>
        Date.parse(e.dateTime)), ends, 'until Friday');

    await press('Groups');
    await shows('main tbody >> text=Mail out');
    await press('Mail out');
    await shows('h1 >> text=Mail out');
    await shows(`${muted} >> text=ticket 4711`);
    ok(true, 'the page of the group says so');
    await press('Groups');
    await shows('main tbody >> text=Office');

    const loaded = page.waitForResponse(/mutes\.json/);

    await press('Office');
    await shows('h1 >> text=Office');
    await loaded;
    is(await page.locator(muted).count(), 0, 'that of another one does not');
    await press('Lists');
    await shows('main tbody td >> text=/group .*Mail out.*muted until/');
    ok(true, 'the list is muted there in part, and among those of concern');

    await press('Alerts', 'Mutes', 'End it');
    await shows('main tbody >> text=(over)');
    ok(true, 'the mute is ended');
    await close(page, 'a mute until Friday');
}

await done();
