// Alerts: who is notified about what, by the keyboard; a viewer only reads.

import { axe, close, done, input, is, ok, open, signIn, start, tabTo }
    from './browser.mjs';

const clean = (text) => text.replace(/\s+/g, ' ').trim();

async function heads(page, says) {
    await page.waitForFunction((text) => document.querySelector('main h1')
        ?.textContent.includes(text), says);
}

await start();

{
    const page = await open();
    const row = page.locator('.matrix tbody tr', { hasText: 'Night' });
    const press = async (text) => {
        await tabTo(page, text);
        await page.keyboard.press('Enter');
    };

    await signIn(page, input.link);
    await press('Alerts');
    await heads(page, 'Nobody is notified about the hosts of 1 group');
    is(await page.locator('h1.bad').count(), 1, 'which is bad');
    ok(clean(await page.textContent('.counts')).includes(
        '1 of 2 contacts are confirmed and active'), 'how many get messages');
    ok(clean(await page.locator('.matrix tbody tr').first().textContent())
        .startsWith('Night <i>shift</i>'), 'the silent group is the first');
    ok(/nobody is notified/.test(await row.textContent()),
        'a contact that is not confirmed does not count');
    ok(!/nobody/.test(await page.locator('.matrix tbody tr',
        { hasText: 'Empty' }).textContent()),
    'nor does a group without hosts');
    ok(await page.locator('.matrix').getByLabel(
        /waits\.example.*Night/).isDisabled(), 'a contact keeps a group');
    await axe(page, 'alerts');

    await tabTo(page, '\u2068https://works.example/\u2069 is notified about '
        + '\u2068Night');
    await page.keyboard.press('Space');
    await heads(page, 'Somebody is notified about every host');
    is(await page.locator('h1.good').count(), 1, 'which is good');
    ok(!/nobody is notified/.test(await row.textContent()),
        'the row is not red');
    await press('Undo');
    await heads(page, 'Nobody is notified about the hosts of 1 group');
    ok(true, 'a choice is undone');
    await tabTo(page, '\u2068https://works.example/\u2069 is notified about '
        + '\u2068Night');
    await page.keyboard.press('Space');
    await heads(page, 'Somebody is notified about every host');

    await page.evaluate((target) => fetch('1/mute/add.json', {
        method: 'POST', headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ target, until: '2h', reason: 'move' }) }),
    input.night);
    await page.reload();
    await page.waitForSelector('.matrix tbody >> text=Muted until');
    ok(true, 'a group that is muted says until when');
    await page.evaluate(({ list: target, night: group }) => fetch(
        '1/mute/add.json', { method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ target, group, until: '2h',
                reason: 'noise' }) }), input);
    await page.reload();
    await row.locator('p >> nth=1').waitFor();
    is(await row.locator('p >> nth=1 >> a').getAttribute('href'),
        `#/lists/${input.list}`,
        'a list that is muted within a group stands at the group');
    is(await page.locator('.matrix tbody p').count(), 2,
        'and at no other one');
    await page.evaluate(() => fetch('1/mute/add.json', {
        method: 'POST', headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ target: '', until: '2h', reason: 'tests' }) }));
    await page.reload();
    await page.waitForSelector('main .banner >> text=Everything is muted');
    is(await page.locator('h1.good').count(), 0,
        'nothing is good while everything is muted');

    await press('Log');
    await heads(page, 'What was sent');
    await page.waitForSelector('main tbody tr');
    is(await page.locator('main tbody tr').count(), 3, 'all attempts');
    await press('Failed');
    await page.waitForFunction(() => document.querySelectorAll('main tbody tr')
        .length === 2);
    ok(page.url().endsWith('#/log?failed'), 'or those that failed');
    await axe(page, 'the log');
    await close(page, 'alerts by keyboard');
}
{
    const page = await open();

    await signIn(page, input.viewer);
    await page.click('header nav >> text=Alerts');
    await page.waitForSelector('.matrix');
    is(await page.locator('main :is(input, button)').count(), 0,
        'a viewer changes nothing');
    is(await page.locator('.matrix td:has-text("✓")').count(), 3,
        'and sees who is notified');
    await close(page, 'a viewer');
}
{
    const page = await open({ locale: 'de-DE', viewport: { width: 375,
        height: 800 } });

    await page.goto(`/portal/#/link/${input.german}`);
    await page.press('.sign-in button', 'Enter');
    await page.waitForSelector('header .menu');
    await page.goto('/portal/#/alerts');
    await heads(page, 'Von jedem Host erfährt jemand');
    ok(await page.evaluate(() => document.documentElement.scrollWidth
        <= innerWidth), 'on a phone there is no sideways scroll');
    await axe(page, 'alerts on a phone');
    await close(page, 'in German');
}

await done();
