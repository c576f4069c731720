// The table of hosts: thousands of them, filters in the address, the keyboard,
// changes of many, on a desk and on a phone.

import { axe, close, done, input, is, ok, open, start }
    from './browser.mjs';

async function hosts(options) {
    const page = await open(options);

    await page.context().addCookies([{ url: input.url, ...input.cookie }]);
    await page.addInitScript(() => {
        // Before the page's own listener: while `held`, it hears nothing.
        addEventListener('hashchange', (e) => window.held
            && e.stopImmediatePropagation(), true);
    });
    await page.goto('/portal/#/hosts');
    await page.waitForSelector('.rows tbody tr');
    return page;
}

// What is partly behind the head of the table, or behind what can be done with
// a selection, is smaller than it would be.
const covered = ['target-size'];

const status = (page) => page.textContent('.found');
const rows = (page) => page.$$eval('.rows tbody tr', (all) => all.map((row) =>
    ({ at: Number(row.ariaRowIndex), host: row.querySelector('a').textContent,
        top: row.getBoundingClientRect().top,
        bottom: row.getBoundingClientRect().bottom })));

async function settled(page, text) {
    try {
        await page.waitForFunction((want) => document.querySelector('.found')
            ?.textContent.trim() === want, text);
    } catch (error) {
        const typed = await page.inputValue('#text');

        throw new Error(`"${text}" is not shown, but "${await status(page)}"`
            + ` for "${typed}" at ${page.url()}`, { cause: error });
    }
}

await start();

// all of them

async function toTheEnd(page, how) {
    const total = input.total;
    const most = { rows: 0 };

    // a key is lost while the window still moves for the one before

    const last = page.locator(
        `.rows tbody tr:last-child[aria-rowindex="${total + 1}"]`);

    for (let i = 0; i < 200 && !await last.count(); i++) {
        await page.keyboard.press('End');
        await page.waitForTimeout(50);
        most.rows = Math.max(most.rows, (await rows(page)).length);
    }

    is(await page.getAttribute('.rows', 'aria-rowcount'), `${total + 1}`,
        `${how}: the table has all rows and its head`);
    is(await last.count(), 1, `${how}: the key End comes to the last row`);
    ok(most.rows < 70, `${how}: few rows are in the document`, most.rows);

    const at = (await rows(page)).filter(({ bottom, top }) => bottom > 0
        && top < 800);

    ok(at.every((row, i) => i === 0
        || (row.at === at[i - 1].at + 1
            && Math.abs(row.top - at[i - 1].bottom) < 1)),
    `${how}: they follow each other without a gap`, JSON.stringify(at));

    for (let i = 0; i < 50 && (await rows(page))[0].at !== 2; i++) {
        await page.keyboard.press('Home');
        await page.waitForTimeout(200);
    }

    is((await rows(page))[0].at, 2, `${how}: the key Home comes to the first`);
}

{
    const page = await hosts({ viewport: { width: 1280, height: 800 } });

    await axe(page, 'a long table');
    is(await page.locator('.rows tbody tr').first().evaluate((row) =>
        row.getBoundingClientRect().height), 36, 'rows are 36 pixels high');
    await toTheEnd(page, 'a desk');

    // the focus

    const first = page.locator('.rows tbody tr a').first();
    const name = await first.textContent();

    await first.focus();
    await page.evaluate(() => scrollTo(0, 20000));
    await page.waitForFunction(() => document.querySelectorAll(
        '.rows tbody tr')[1].ariaRowIndex > 100);
    is(await page.evaluate(() => document.activeElement.textContent), name,
        'the focus stays on a row that scrolls away');
    await page.keyboard.press('ArrowUp');
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForFunction(() => document.querySelectorAll(
        '.rows tbody tr')[1].ariaRowIndex === '3');
    await first.focus();

    for (let i = 0; i < 30; i++) {
        await page.keyboard.press('ArrowDown');
        await page.waitForTimeout(20);
    }

    is(await page.evaluate(() => document.activeElement.closest('tr')
        .ariaRowIndex), '32', 'arrow keys go from row to row');
    ok(await page.evaluate(() => {
        const { top, bottom } = document.activeElement.getBoundingClientRect();

        return top >= 0 && bottom <= innerHeight;
    }), 'which the window follows');
    await page.keyboard.press('Escape');
    is(await page.evaluate(() => document.activeElement.id), 'text',
        'Escape leaves the table');

    // filters

    await page.keyboard.type('10.9.1.1');
    await settled(page, '111 hosts found.');
    ok(true, 'hosts by the beginning of the address');
    ok(/#\/hosts\?text=10\.9\.1\.1$/.test(page.url()), 'the address has it',
        page.url());
    await page.click('.chip:has(.state.listed)');
    await settled(page, '1 host found.');
    is((await rows(page))[0].host, '10.9.1.17', 'those that are listed, too');
    await page.goBack();
    await settled(page, '111 hosts found.');
    is(await page.locator('.chip[aria-current]').count(), 0,
        'back takes the filter away');
    await page.click('.chip:has(.state.listed)');
    await settled(page, '1 host found.');
    await page.click('.chip:has(.state.listed)');
    await settled(page, '111 hosts found.');
    ok(true, 'a filter that is chosen again is taken away');
    await page.fill('#text', '1.17');
    await settled(page, '11 hosts found.');
    ok((await rows(page)).some(({ host }) => host === '10.9.1.17'),
        'hosts by the middle of the address', JSON.stringify(await rows(page)));
    await page.fill('#text', 'MAIL <b>');
    await settled(page, '1 host found.');
    is(await page.textContent('.rows .called'), 'Mail <b>&amp;</b>',
        'a name in any case; markup is text');
    await page.reload();
    await settled(page, '1 host found.');
    is(await page.inputValue('#text'), 'MAIL <b>', 'a link has the filters');
    await page.fill('#text', 'nothing like this');
    await page.waitForSelector('text=No host fits');
    await page.click('text=Clear the filters');
    await page.waitForSelector('.rows tbody tr');
    is(await page.inputValue('#text'), '', 'filters can be cleared');

    // the order

    await page.click('.rows thead >> text=Name');
    await page.waitForSelector('.rows [aria-sort=ascending] >> text=Name');
    await page.waitForFunction(() => document.querySelector('.rows .called')
        ?.textContent.startsWith('host 10.9.0.0'));
    ok(/sort=name/.test(page.url()), 'a head sorts, and the address has that',
        page.url());
    await page.click('.rows thead >> text=Since');
    await settled(page, '1 host found.');
    ok((await page.textContent('.rows .lists')).includes('list1.test'),
        'a listed host has its list');
    await page.waitForSelector('.rows .strip[aria-label^="Listed on 1 of"]');
    ok(true, 'and a strip of its last days');
    await page.click('.rows thead >> text=Host');
    await page.waitForSelector('.rows [aria-sort=ascending] >> text=Host');

    // keys between a change of the address and the page's hearing of it

    await page.evaluate(() => { window.held = true; });
    await page.focus('#text');
    await page.keyboard.type('1');
    await page.waitForFunction(() => location.hash.endsWith('text=1'));
    await page.waitForTimeout(50);
    await page.keyboard.type('0.9.1.1');
    is(await page.inputValue('#text'), '10.9.1.1',
        'what is typed stays while the address changes');
    await page.evaluate(() => {
        window.held = false;
        dispatchEvent(new HashChangeEvent('hashchange'));
    });
    await settled(page, '111 hosts found.');
    is(await page.inputValue('#text'), '10.9.1.1',
        'no key is lost when the address has changed');
    await page.goBack();
    await page.goForward();
    await settled(page, '111 hosts found.');
    is(await page.inputValue('#text'), '10.9.1.1',
        'back and forth brings the same text again');

    // an answer that comes late

    await page.route(/text=10\.9\.2/, async (route) => {
        await new Promise((go) => setTimeout(go, 1500));
        await route.continue();
    });
    await page.fill('#text', '10.9.2.');
    await page.waitForTimeout(500);
    await page.fill('#text', '10.9.3.7');
    await settled(page, '11 hosts found.');
    await page.waitForTimeout(1500);
    ok((await rows(page)).every(({ host }) => host.startsWith('10.9.3.7')),
        'a late answer to an earlier search is dropped');
    await page.unrouteAll();

    // few among many: the page goes on by itself

    await page.goto(`/portal/#/hosts?group=${input.group}`);
    await settled(page, '2 hosts found.');
    ok(true, 'a search that finds few goes on to the end');

    // back to where it was

    await page.goto('/portal/#/hosts');
    await page.waitForSelector('.rows tbody tr >> nth=8');
    // the table may still grow
    await page.waitForFunction(() => {
        scrollTo(0, 5000);
        return scrollY === 5000 && document.querySelector('.rows tbody tr')
            .ariaRowIndex > 50;
    });
    // not by the mouse, before whose click the page may be scrolled
    await page.locator('.rows tbody tr a').nth(8).dispatchEvent('click');
    await page.waitForSelector('.facts');
    is(await page.evaluate(() => scrollY), 0, 'a screen begins at its top');
    await page.goBack();
    await page.waitForFunction(() => Math.abs(scrollY - 5000) < 200);
    ok(true, 'back leads to the place where one was');
    await close(page, 'a desk');
}

// a range is a row that opens

{
    const page = await hosts({ viewport: { width: 1280, height: 800 } });
    const opens = page.locator('.rows .opens');
    const kids = page.locator('.rows .kid');

    for (let i = 0; i < 200 && !await opens.count(); i++) {
        await page.keyboard.press('End');
        await page.waitForTimeout(50);
    }

    await page.waitForSelector('.rows .unknown >> text=16 of 16 not known');
    is(await kids.count(), 0, 'the addresses of a range are not shown');
    await opens.focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.rows .kid');
    is(await opens.getAttribute('aria-expanded'), 'true', 'a range opens');
    is(await page.getAttribute('.rows', 'aria-rowcount'),
        `${input.total + 1 + input.addresses}`, 'its addresses are rows');
    ok(/open=HT/.test(page.url()), 'which are open is in the address',
        page.url());
    await axe(page, 'an open range', covered);
    await page.keyboard.press('ArrowDown');
    is(await page.evaluate(() => document.activeElement.textContent.trim()),
        '203.0.113.0', 'the arrow key goes to its first address');
    await page.keyboard.press('ArrowUp');
    await opens.focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => !document.querySelector('.rows .kid'));
    ok(true, 'it closes');
    await close(page, 'a range');
}

// changes of many

{
    const page = await hosts({ viewport: { width: 1280, height: 800 },
        expected: /status of 40[04]/ });

    await page.goto('/portal/#/hosts?text=10.9.3.1');
    await settled(page, '111 hosts found.');

    for (const i of [0, 1, 2]) {
        await page.locator('.rows tbody input').nth(i).focus();
        await page.keyboard.press('Space');
    }

    await page.waitForSelector('.bulk >> text=3 hosts are selected.');
    await axe(page, 'with a selection', covered);
    await page.keyboard.press('Escape');
    is(await page.evaluate(() => document.activeElement.textContent.trim()),
        'Pause', 'Escape leads to what can be done');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.bulk >> text=3 hosts are paused.');
    await page.waitForFunction(() => document.querySelectorAll(
        '.rows .state.paused').length === 3);
    ok(true, 'hosts are paused');
    await page.click('.bulk >> text=Undo');
    await page.waitForSelector('.bulk >> text=3 hosts are as they were');
    await page.waitForFunction(() => !document.querySelector(
        '.rows .state.paused'));
    ok(true, 'and that is undone');

    await page.click('.rows thead input');
    await page.waitForSelector('.bulk >> text=/111 hosts are selected/');
    await page.click('.bulk summary');
    await page.selectOption('#to-group', input.group);
    await page.click('.bulk .move button >> nth=0');
    await page.waitForSelector('.bulk >> text=111 hosts are moved.');
    ok(true, 'hosts are moved to another group');
    await page.click('.bulk >> text=Undo');
    await page.waitForSelector('.bulk >> text=111 hosts are as they were');
    ok(true, 'which is undone, too');

    // another client deletes one of them immediately before

    for (const i of [0, 1, 2]) {
        await page.locator('.rows tbody input').nth(i).check();
    }

    const gone = (await page.locator('.rows tbody a').nth(1)
        .getAttribute('href')).slice('#/host/'.length);

    await page.route('**/hosts/bulk.json', async (route) => {
        await page.evaluate((id) => fetch(`1/host/delete/${id}.json`, {
            method: 'POST', body: '{}',
            headers: { 'Content-Type': 'application/json' } }), gone);
        await route.continue();
    }, { times: 1 });
    await page.click('.bulk >> text=Delete');
    await page.click('.bulk >> text=Delete it');
    await page.waitForSelector('.bulk >> text=3 hosts will be deleted');
    await page.click('.bulk >> text=Undo');
    await page.waitForSelector('.bulk >> text=3 hosts are selected.');
    ok(true, 'for some seconds a deletion can be undone');
    await page.click('.bulk >> text=Delete');
    await page.click('.bulk >> text=Delete it');
    await page.waitForSelector('.bulk >> text=2 hosts are deleted.');
    await page.waitForSelector('.bulk >> text=1 host was not there any longer');
    ok(true, 'a summary says what was not there');
    await settled(page, '108 hosts found.');
    ok(true, 'what is deleted is not found any longer');

    // all that match, also those that are not loaded

    await page.goto('/portal/#/hosts?text=10.9.');
    await page.waitForSelector('.rows tbody input');
    await page.locator('.rows tbody input').first().check();
    await page.click('.bulk >> text=Select all that match');
    const matching = input.total - 7;

    await page.waitForSelector(`.bulk >> text=${matching.toLocaleString('en')
        } hosts are selected.`);
    ok(true, 'all that match are selected');
    await page.click('.bulk >> text=Pause');
    await page.waitForSelector(`.bulk >> text=${matching.toLocaleString('en')
        } hosts are paused.`);
    ok(true, 'all that match are paused');
    await page.click('.bulk >> text=Undo');
    await page.waitForSelector(`.bulk >> text=${matching.toLocaleString('en')
        } hosts are as they were`);
    ok(true, 'which is undone');
    await close(page, 'changes of many');
}

// a phone

{
    const page = await hosts({ viewport: { width: 320, height: 800 } });

    await axe(page, 'a long table on a phone');
    await page.waitForSelector('.chips .chip', { state: 'attached' });
    is(await page.isVisible('.chips'), false, 'filters are behind a button');
    await page.click('.filters .more');
    await page.waitForSelector('.chips .chip');
    await axe(page, 'with filters, on a phone');
    await page.click('.filters .more');
    is(await page.locator('.rows tbody tr').first().evaluate((row) =>
        row.getBoundingClientRect().height), 56, 'a host has two lines');
    await page.click('.rows tbody input');
    await page.waitForSelector('.bulk >> text=1 host is selected.');
    await axe(page, 'with a selection, on a phone');
    ok(await page.evaluate(() => document.documentElement.scrollWidth
        <= innerWidth), 'it fits into the window');
    ok(await page.$$eval('.rows tbody tr', (all) => all.every((row) =>
        row.scrollHeight <= row.clientHeight + 1)),
    'what a card has fits into it');

    if (process.env.RBL_PICTURES) {
        await page.screenshot({
            path: `${process.env.RBL_PICTURES}/table-320.png` });
    }

    await page.click('.bulk >> text=Clear the selection');
    input.total -= 3;
    await toTheEnd(page, 'a phone');
    await close(page, 'a phone');
}

await done();
