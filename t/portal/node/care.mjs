// The page loses nothing: two people change one thing, a delete is undone, a
// session ends, a clock is wrong, the store is away.

import { axe, close, done, input, is, ok, open, signIn, signOut, start, until }
    from './browser.mjs';

const refused = /status of (401|404|503)/;

async function page(cookie, options) {
    const one = await open({ expected: refused, ...options });

    await one.context().addCookies([{ url: input.url, ...cookie }]);
    return one;
}

await start();

// What a second person does.
const other = await page(input.other);

await other.goto('/portal/');

async function call(path, fields) {
    return other.evaluate(async ([at, body]) => (await fetch(`1/${at}.json`, {
        method: body ? 'POST' : 'GET',
        headers: { 'Content-Type': 'application/json' },
        body: body && JSON.stringify(body) })).json(), [path, fields]);
}

const exists = async (id) => (await call(`host/${id}`)).status_code === 200;

async function comes(test, what) {
    return ok(await until(test), what);
}

// two people, one host

const one = await page(input.cookie);

async function openForm(id) {
    await one.goto('/portal/#/hosts');
    await one.waitForSelector('.rows');
    await one.goto(`/portal/#/host/${id}`);
    await one.waitForSelector('details:has(#host-name) summary');
    await one.click('details:has(#host-name) summary');
}

{
    const path = `host/update/${input.hosts[0]}`;

    await openForm(input.hosts[0]);
    await call(path, { name: 'followed' });
    await comes(async () => await one.inputValue('#host-name') === 'followed',
        'a form in which nothing was typed shows what another has changed');
    await one.fill('#host-name', 'mine');
    await call(path, { name: 'theirs <b>' });
    await one.click('form:has(#host-name) button.main');
    await one.waitForSelector('.differences');
    is(await one.evaluate(() => document.activeElement.textContent),
        'Somebody else has changed this since you began. Nothing is saved yet.',
        'a change of another is told before one saves');
    is((await one.$$eval('.differences tbody tr > *', (all) => all.map((e) =>
        e.textContent.trim()))).join('|'), 'Name|theirs <b>|followed|mine',
    'field by field');
    is((await call(`host/${input.hosts[0]}`)).data[0].name, 'theirs <b>',
        'nothing is saved by then');
    is(await one.inputValue('#host-name'), 'mine', 'what was typed stays');
    await axe(one, 'with differences');
    await one.click('text=Save mine');
    await one.waitForSelector('form >> text=Saved.');
    is((await call(`host/${input.hosts[0]}`)).data[0].name, 'mine',
        'one may save one\'s own');

    await one.fill('#host-name', 'mine again');
    await call(path, { name: 'theirs again' });
    await one.click('form:has(#host-name) button.main');
    await one.click('text=Take theirs');
    is(await one.inputValue('#host-name'), 'theirs again',
        'or take the other');
    await one.fill('#host-name', 'the same');
    await call(path, { name: 'the same' });
    await one.click('form:has(#host-name) button.main');
    await one.waitForSelector('form >> text=Saved.');
    ok(true, 'the same change by both is no difference');
}

// a delete that can be undone

{
    const [, id, second] = input.hosts;

    await one.goto(`/portal/#/host/${id}`);
    await one.click('section >> text=Delete');
    await one.waitForSelector('.rows');
    await one.waitForSelector('.deleted >> text=Deleted:');
    is(await one.evaluate(() => document.activeElement.textContent.trim()),
        'Undo', 'the focus is on what undoes it');
    is(await one.locator(`a[href="#/host/${id}"]`).count(), 0,
        'it is not shown any longer');
    ok(await exists(id), 'but exists');
    await one.keyboard.press('Enter');
    await one.waitForSelector(`a[href="#/host/${id}"]`);
    await one.waitForTimeout(11000);
    ok(await exists(id), 'a delete is undone');

    await one.goto(`/portal/#/host/${id}`);
    await one.click('section >> text=Delete');
    await one.waitForSelector('.deleted >> text=Deleted:');
    await comes(async () => !await exists(id), 'it is sent after ten seconds');
    is(await one.locator('.deleted button').count(), 0,
        'and cannot be undone then');

    await one.goto(`/portal/#/host/${second}`);
    await one.click('section >> text=Delete');
    await one.waitForSelector('.deleted >> text=Deleted:');
    await one.goto('about:blank');
    await comes(async () => !await exists(second),
        'a page that is left sends it at once');

    const third = await page(input.cookie);

    await third.goto(`/portal/#/host/${input.hosts[3]}`);
    await third.click('section >> text=Delete');
    await third.waitForSelector('.deleted >> text=Deleted:');
    await third.close({ runBeforeUnload: true });
    await comes(async () => !await exists(input.hosts[3]),
        'so does a page that is closed');
}

{
    const id = input.hosts[4];

    await one.goto(`/portal/#/host/${id}`);
    await one.click('section >> text=Delete');
    await one.waitForSelector('.deleted >> text=Deleted:');
    await call(`host/delete/${id}`, {});
    await one.waitForSelector('.banner >> text=was not deleted');
    await one.click('.deleted >> text=Close');
    is(await one.locator('.deleted .banner').count(), 0,
        'a delete that is refused is told, on any screen');
}

// a session that ends

// Sends the form; the page may have noticed the end before, and hide it.
const submit = () => one.dispatchEvent('form:has(#host-name) button.main',
    'click');

{
    const id = input.hosts[0];

    await openForm(id);
    await one.fill('#host-name', 'typed before the end');
    await one.evaluate(() => fetch('1/session/end.json', { method: 'POST',
        headers: { 'Content-Type': 'application/json' }, body: '{}' }));
    await submit();
    await one.waitForSelector('.sign-in');
    ok(/what you typed is still there/.test(await one.textContent('.sign-in')),
        'a session that has ended is told');
    ok(!await one.isVisible('#host-name'), 'what was shown is hidden');

    const tab = await one.context().newPage();

    await signIn(tab, input.links[0]);
    await one.bringToFront();
    await one.evaluate(() => dispatchEvent(new Event('focus')));
    await one.waitForSelector('#host-name', { state: 'visible' });
    is(await one.inputValue('#host-name'), 'typed before the end',
        'after a sign-in in another tab what was typed is there');
    await one.click('form:has(#host-name) button.main');
    await one.waitForSelector('form >> text=Saved.');
    is((await call(`host/${id}`)).data[0].name, 'typed before the end',
        'and is saved');

    await one.fill('#host-name', 'typed again');
    await signOut(tab);
    await tab.waitForSelector('.sign-in');
    await tab.close();
    await submit();
    await one.waitForSelector('.sign-in');
    await one.evaluate((link) => {
        location.hash = `#/link/${link}`;
    }, input.links[1]);
    await one.click('.sign-in button');
    await one.waitForSelector('#host-name', { state: 'visible' });
    is(await one.inputValue('#host-name'), 'typed again',
        'so it is after a sign-in by a link in the same tab');
    ok(one.url().endsWith(`#/host/${id}`), 'on the same screen');

    // another user

    await one.evaluate(() => fetch('1/session/end.json', { method: 'POST',
        headers: { 'Content-Type': 'application/json' }, body: '{}' }));
    await submit();
    await one.waitForSelector('.sign-in');
    await one.evaluate((link) => {
        location.hash = `#/link/${link}`;
    }, input.links[2]);
    await one.click('.sign-in button');
    await one.waitForSelector('header nav', { state: 'visible' });
    ok(!(await one.$$eval('input', (all) => all.map((e) => e.value)))
        .includes('typed again'), 'another user does not see it');
}

// a clock that is wrong by a day

for (const days of [-1, 1]) {
    const wrong = await page(input.clock);

    await wrong.addInitScript((by) => {
        const { now } = Date;

        Date.now = () => now() + by * 86400000;
    }, days);
    await wrong.goto('/portal/#/users');
    await wrong.waitForSelector('main tbody');
    ok(/(second|minute)s? ago|now/.test(await wrong.textContent('main tbody')),
        `a clock wrong by ${days} days: times are right`,
        await wrong.textContent('main tbody'));
    await close(wrong, `a clock wrong by ${days} days`);
}

// a store that is away

{
    const away = await page(input.clock);

    await away.goto(`/portal/#/host/${input.hosts[0]}`);
    await away.waitForSelector('details:has(#host-name) summary');
    await away.click('details:has(#host-name) summary');
    await away.fill('#host-name', 'typed meanwhile');
    input.store.forEach(pid => process.kill(pid, 'SIGSTOP'));

    try {
        await away.waitForSelector('.banner >> text=cannot be reached');
        ok(await away.isVisible('.facts'),
            'while the store is away the page shows what it had');
        await away.click('form:has(#host-name) button.main');
        await away.waitForSelector(
            'form .banner >> text=Nothing was lost here');
        is(await away.inputValue('#host-name'), 'typed meanwhile',
            'a change is refused with the reason, and what was typed stays');
    } finally {
        input.store.forEach(pid => process.kill(pid, 'SIGCONT'));
    }

    await away.waitForFunction(() => ![...document.querySelectorAll(
        'main > .banner')].length);
    ok(true, 'when it is back, the banner goes by itself');
    await away.click('form:has(#host-name) button.main');
    await away.waitForSelector('form >> text=Saved.');
    ok(true, 'and the change is saved');
    await close(away, 'a store that is away');
}

await close(one, 'with care');
await done();
