// Signing in by a link, and out.

import { close, done, input, is, ok, open, signOut, start }
    from './browser.mjs';

const refused = /status of 40[13]/;

await start();

{
    const page = await open({ expected: refused });

    await page.goto('/portal/');
    await page.waitForSelector('h1');
    ok(/Open the link/.test(await page.textContent('main')),
        'without a session the portal says how to get one');

    await page.goto(`/portal/#/link/${input.link}`);
    await page.waitForSelector('.sign-in button');
    is((await page.context().cookies()).length, 0,
        'a link alone signs nobody in');
    await page.press('.sign-in button', 'Enter');
    await page.waitForSelector('header nav');
    is(await page.evaluate(() => location.hash), '#/',
        'the link is not in the address any longer');
    is(await page.evaluate(() => document.cookie), '',
        'no script can read the cookie');
    is(await page.evaluate(() => localStorage.length + sessionStorage.length),
        0, 'nothing is stored in the browser');

    await page.reload();
    await page.waitForSelector('header nav');
    ok(true, 'the session outlives the page');

    await signOut(page);
    await page.waitForSelector('.sign-in');
    await page.reload();
    await page.waitForSelector('.sign-in');
    ok(true, 'signed out');

    await page.goto(`/portal/#/link/${input.link}`);
    await page.click('.sign-in button');
    await page.waitForSelector('.banner');
    ok(/expired or was used/.test(await page.textContent('.banner')),
        'a link is used once');
    await close(page, 'signing in');
}

await done();
