// A plan has expired: overview, hosts and a host say that nothing is checked,
// and since when; by the keyboard an owner tries a check and is refused.

import { close, done, input, is, ok, open, signIn, start, tabTo }
    from './browser.mjs';

await start();

for (const { link, locale, owner, ...says } of input.who) {
    const page = await open({ locale, expected: /status of 403/ });
    const text = (selector) => page.textContent(selector);
    const settled = async () => {
        await page.waitForSelector('main h1');
        await page.waitForFunction(() => !document.querySelector('.loading'));
    };
    const stopped = async (n, name) => {
        await page.waitForFunction((all) => document.querySelectorAll(
            'main .state.stopped').length === all, n);
        const states = await page.locator('main .state.stopped')
            .allTextContents();
        is(states.map((one) => one.trim()).join(', '),
            Array(n).fill(says.stopped).join(', '), `${locale}: ${name}`);
    };

    await signIn(page, link);
    await settled();
    ok((await text('main .banner')).includes(says.banner),
        `${locale}: the banner`);
    is(await page.locator('main .banner a[href="#/billing"]').count(),
        owner ? 1 : 0, `${locale}: a way to the bill, for owners`);
    ok((await text('main h1')).includes(says.known),
        `${locale}: the overview does not say that no host is listed`);
    is(await page.locator('main h1.good').count(), 0,
        `${locale}: nor that all is well`);
    is((await page.locator('.counts li').allTextContents()).length, 1,
        `${locale}: all hosts are unknown`);
    await stopped(1, 'the listing, as it was last');

    await tabTo(page, 'Hosts');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.rows tbody tr');
    await stopped(2, 'the table of hosts');
    await page.goto('/portal/#/hosts?state=clear');
    await settled();
    await stopped(0, 'no host is clear');
    await page.goto('/portal/#/hosts?state=unknown');
    await page.waitForSelector('.rows tbody tr');
    await stopped(2, 'they are the unknown ones');

    for (const id of input.hosts) {
        await page.goto(`/portal/#/host/${id}`);
        await page.waitForSelector('.facts');
        await settled();
        await stopped(1, 'a host');
        const fact = page.locator('.facts div', { hasText: says.since });

        is(await fact.count(), 1, `${locale}: since when`);
        ok(Date.now() - Date.parse(await fact.locator('time')
            .getAttribute('datetime')) < 300000, `${locale}: which is now`);
        is(await page.locator('main .state.clear').count(), 0,
            `${locale}: no list is clear`);
        is(await page.locator('main td p:not(.quiet)').filter({
            hasText: /: *$/ }).count(), 0, `${locale}: no empty reason`);
    }

    is(await page.locator('.check-now').count(), owner ? 1 : 0,
        `${locale}: checks are for those who may start them`);

    if (owner) {
        await tabTo(page, says.check);
        await page.keyboard.press('Enter');
        await page.waitForSelector('.check-now [role=alert]');
        ok((await text('.check-now [role=alert]')).includes(says.stopped),
            `${locale}: a check is refused, with the reason`);
    }

    await close(page, locale);
}

await done();
