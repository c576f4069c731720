// The banner while the service does not work: on several screens, without
// addresses of servers; an operator gets the reason and the remedy on Status.

import { close, done, input, is, ok, open, signIn, start }
    from './browser.mjs';

await start();

// The colour of a headline if it were good, and that of other text.
const colours = (page) => page.evaluate(() => {
    const h1 = document.querySelector('main h1');
    const { className } = h1;

    h1.className = 'good';

    const good = getComputedStyle(h1).color;

    h1.className = className;
    return [good, getComputedStyle(document.querySelector('main')).color];
});

for (const { link, locale, operator, text, why, lists } of input.who) {
    const who = `${locale}${operator ? ', operator' : ''}`;
    const page = await open({ locale });
    const screens = operator ? ['status', 'accounts', 'lists']
        : ['overview', 'hosts', 'lists'];

    await signIn(page, link);

    for (const screen of screens) {
        await page.goto(`/portal/#/${screen}`);

        const banner = await page.waitForSelector('main .service.broken');
        const said = await banner.textContent();

        ok(said.includes(text), `${who}: the banner is on ${screen}`, said);
        ok(said.includes(why), `${who}: the banner has the reason`, said);
        ok(!said.includes('127.0.0.1'),
            `${who}: the banner has no address of a server`, said);
    }

    if (lists) {
        await page.goto('/portal/#/overview');
        await page.waitForSelector(`main p >> text="${lists}"`);
        ok(true, `${who}: Overview tells how many lists answered`);

        const [good, plain] = await colours(page);

        is(good, plain, `${who}: no headline is green without DNS`);
    }

    if (operator) {
        await page.goto('/portal/#/status');
        await page.waitForSelector('h1.bad >> text=The service does not work');
        await page.waitForSelector('.conditions >> text=/is at fault/');
        await page.waitForSelector('.conditions >> text=/try: dig/');
        is(await page.locator('h1.good').count(), 0,
            `${who}: nothing is green on Status`);
    }

    await close(page, who);
}

await done();
