// Signing in by mail and by identity, by keyboard; and a page of another
// origin.

import { close, done, input, is, ok, open, start, tabTo } from './browser.mjs';

const expected = /status of 40[13]/;

function as(page, mail) {
    return page.context().setExtraHTTPHeaders(mail ? { 'X-Mail': mail } : {});
}

// How often a page tries to sign in.
function tries(page) {
    const made = { n: 0 };

    page.on('request', (request) => {
        made.n += request.url().endsWith('/session/start.json');
    });

    return made;
}

await start();

{
    const page = await open({ expected });
    const made = tries(page);

    await page.goto('/portal/');
    await page.waitForSelector('.banner');
    ok(/vouches for no mail address/.test(await page.textContent('.banner')),
        'an identity that is missing is said');
    await page.waitForTimeout(500);
    is(made.n, 1, 'the page tries once');
    await tabTo(page, 'E-mail address');
    await page.keyboard.type('nobody@example.test');
    await page.keyboard.press('Enter');
    await page.waitForSelector('text=a link is on its way');
    ok((await page.textContent('main')).includes('If nobody@example.test'),
        'a link is requested, and the page does not say whether there is one');
    await close(page, 'a link by mail');
}

{
    const page = await open({ expected });
    const made = tries(page);

    await as(page, 'one@example.test');
    await page.goto('/portal/');
    await page.waitForSelector('header nav');
    ok((await page.textContent('.who')).includes('one@example.test'),
        'the page signs in by itself');
    await tabTo(page, 'Signed in as');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Sign out');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.sign-in button');
    await page.waitForTimeout(500);
    is(made.n, 1, 'signing out does not sign in again');
    await tabTo(page, 'Sign in');
    await page.keyboard.press('Enter');
    await page.waitForSelector('header nav');
    is(made.n, 2, 'a click does');

    await as(page, 'two@example.test');
    await page.click('nav >> text=Hosts');
    await page.waitForSelector('.sign-in button');
    await page.waitForTimeout(500);
    is(made.n, 2, 'another identity ends the session, without a loop');
    await page.click('.sign-in button');
    await page.waitForSelector('header nav');
    ok((await page.textContent('.who')).includes('two@example.test'),
        'it signs in as another user');

    await as(page, 'stranger@example.test');
    await page.reload();
    await page.waitForSelector('.banner');
    ok(/no user of the portal has/.test(await page.textContent('.banner')),
        'an unknown identity is told whom to ask');
    await close(page, 'identities');
}

{
    const page = await open({ expected });

    await as(page, 'both@example.test');
    await page.goto('/portal/');
    await page.waitForSelector('h2 >> text=Which account?');
    is(await page.locator('.choices button').count(), 2,
        'an address of two accounts has a choice');
    await tabTo(page, 'Other');
    await page.keyboard.press('Enter');
    await page.waitForSelector('header nav');
    is((await page.textContent('header strong')).trim(), 'Other',
        'the chosen account');
    await close(page, 'two accounts');
}

{
    // A page that the browser kept while the session ended elsewhere.  With the
    // tools of tests Chromium keeps none: the event is made by hand.

    const page = await open({ expected: /status of 401|net::ERR/ });
    const back = () => page.evaluate(() => dispatchEvent(
        new PageTransitionEvent('pageshow', { persisted: true })));
    const frame = page.locator('header nav');

    await as(page, 'one@example.test');
    await page.goto('/portal/');
    await frame.waitFor();
    await page.context().setOffline(true);
    await back();
    await frame.waitFor({ state: 'hidden' });
    ok(true, 'a page from the cache shows nothing without the network');
    await page.context().setOffline(false);
    await frame.waitFor();
    ok(true, 'it comes back with the session');
    await as(page, '');
    await page.context().clearCookies();
    await back();
    await page.waitForSelector('.sign-in');
    ok(!await frame.isVisible(), 'it stays hidden when the session has ended');
    await close(page, 'a page from the cache');
}

{
    // The same site, another origin: cookies are sent, and nothing is done.

    const page = await open({ expected: /CORS|status of 40[13]|net::ERR/ });

    await as(page, 'one@example.test');
    await page.goto('/portal/');
    await page.waitForSelector('header nav');
    await page.goto(input.evil);
    page.faults.length = 0;

    const url = `${input.url}portal/1/`;
    const answers = [];

    page.context().on('response', (answer) => {
        if (answer.url().startsWith(url)) {
            answers.push(answer.status());
        }
    });

    const read = await page.evaluate(async ([base, link]) => {
        const said = [];
        const tell = (name, call) => call.then((r) => said.push(`${name} ${
            r.type}`), () => said.push(`${name} failed`));
        const plain = { method: 'POST', credentials: 'include',
            headers: { 'Content-Type': 'text/plain' } };
        const json = { ...plain,
            headers: { 'Content-Type': 'application/json' } };

        await tell('get', fetch(`${base}me.json`, { credentials: 'include' }));
        await tell('end', fetch(`${base}session/end.json`, { ...plain,
            body: '{}' }));
        await tell('start', fetch(`${base}session/start.json`, { ...plain,
            body: JSON.stringify({ link }), mode: 'no-cors' }));
        await tell('json', fetch(`${base}session/start.json`, { ...json,
            body: JSON.stringify({ link }) }));

        return said.join(', ');
    }, [url, input.link]);

    is(read, 'get failed, end failed, start failed, json failed',
        'another origin reads nothing');
    ok(answers.every((status) => [200, 403, 405, 415].includes(status))
        && answers.filter((status) => status === 200).length <= 1,
    'and changes nothing', answers.join());
    await page.goto('/portal/');
    await page.waitForSelector('header nav');
    ok((await page.textContent('.who')).includes('one@example.test'),
        'the session is the same');
    await page.goto(`/portal/#/link/${input.link}`);
    await page.reload();
    await page.click('.sign-in button');
    await page.waitForSelector('header nav');
    ok(true, 'and the link was not used');
    await page.context().close();
}

await done();
