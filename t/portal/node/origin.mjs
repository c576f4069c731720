// A page of another site sends calls with the browser of a user.

import { done, input, is, ok, open, signIn, start } from './browser.mjs';

await start();

const page = await open();

await signIn(page, input.link);

const other = await page.context().newPage();

await other.goto(input.other);

const host = '{"host":"192.0.2.66","name":"n","type":"rbl"}';
const tried = await other.evaluate(async ([calls, body]) => {
    const send = (path, options) => fetch(`${calls}/${path}`, {
        method: 'POST', credentials: 'include', body, ...options
    }).then(({ type, status }) => `${type} ${status}`, () => 'refused');

    return {
        json: await send('host/add.json', {
            headers: { 'Content-Type': 'application/json' } }),
        plain: await send('host/add.json', { mode: 'no-cors' }),
        cors: await send('host/add.json', {}),
        read: await fetch(`${calls}/me.json`, { credentials: 'include' })
            .then(() => 'read', () => 'refused')
    };
}, [input.calls, host]);

is(tried.json, 'refused', 'a script of another site sends no JSON');
is(tried.cors, 'refused', 'nor gets an answer');
is(tried.plain, 'refused', 'nor gets one that it could not see');
is(tried.read, 'refused', 'and reads nothing');

const [answer] = await Promise.all([
    other.waitForResponse(/host\/add\.json/),
    other.evaluate(() => document.querySelector('form').submit())
]);
await other.waitForURL(/host\/add\.json/);  // its page, after its answer

ok([401, 403, 415].includes(answer.status()), 'a form is refused',
    answer.status());
is((await answer.request().allHeaders()).cookie, undefined,
    'and comes without the cookie');

// A link from there comes without it, too; the page itself signs in again.

await other.goto(input.other);
await other.evaluate((url) => {
    const link = document.createElement('a');

    link.href = url;
    document.body.append(link);
    setTimeout(() => link.click());     // which ends this script
}, `${input.url}portal/`);
await other.waitForSelector('header nav');
ok(true, 'a link from there shows the portal, which the user is signed in to');
await page.reload();
await page.waitForSelector('header nav');
ok(true, 'the session goes on');
await done();
