// By keyboard alone: add a webhook, test it, see it fail, mend it, and deliver
// a dead letter again.

import { writeFileSync } from 'node:fs';

import { close, copies, done, input, is, ok, open, signIn, start }
    from './browser.mjs';

await start();

const page = await open({ expected: /status of 400/ });
let times = 0;

// What the receiver answers from now on.
function answers(status, body) {
    writeFileSync(input.answers, JSON.stringify({ status, body,
        since: Date.now() + ++times }));
}

// Presses Tab until what has the focus has this text or label.
async function reach(text, on = page) {
    for (let i = 0; i < 120; i++) {
        await on.keyboard.press('Tab');
        const at = await on.evaluate(() => {
            const e = document.activeElement;
            return (e.labels && e.labels.length ? e.labels[0].textContent
                : e.textContent).replace(/\s+/g, ' ').trim();
        });

        if (at.startsWith(text)) {
            return;
        }
    }

    throw new Error(`Tab does not reach "${text}"`);
}

async function press(text, on = page) {
    await reach(text, on);
    await on.keyboard.press('Enter');
}

async function type(label, text, on = page) {
    await reach(label, on);
    await on.keyboard.press('Control+A');
    await on.keyboard.type(text);
}

// The first rows of the tables of attempts and of dead letters.
const attempt = () => page.textContent(
    'section[aria-labelledby=delivery-log] tbody tr');
const letters = 'section[aria-labelledby=hook-dead] tbody tr';

await signIn(page, input.link);
await page.waitForSelector('header nav');
await press('Alerts');
await press('Webhooks');
await page.waitForSelector('h1 >> text=0 webhooks');
ok(/Add one/.test(await page.textContent('main')), 'none, and what one is for');
await press('Add a webhook');
await page.waitForSelector('#hook-name');
await type('Name', '<i>Ops</i>');
await type('Address', 'ftp://hook.example/');
await press('Add a webhook');
await page.waitForSelector('main .banner');
ok(/http or https/.test(await page.textContent('main .banner')),
    'a wrong address is explained');
is(await page.inputValue('#hook-name'), '<i>Ops</i>', 'what was typed stays');
await type('Address', input.receiver);
await press('Add a webhook');
await page.waitForSelector('.once');
const secret = await page.textContent('.once code');
ok(/^whsec_/.test(secret), 'the secret is shown');
is(await page.evaluate(() => document.activeElement.id), 'hook-secret',
    'and has the focus');
await copies(page, async () => {
    await press('Copy');
    await page.waitForSelector('.once >> text=Copied.');
}, secret, 'it is copied');
await press('How to verify');
ok(/\n {4}want = hmac.new/.test(await page.textContent('.once details')),
    'how to verify a signature');
await press('Continue to the webhook');
await page.waitForSelector('h1 .state.enabled');
ok(!(await page.content()).includes(secret), 'the secret is gone');
ok((await page.textContent('h1')).includes('<i>Ops</i>'), 'a name is text');

await press('Send a test event');
await page.waitForSelector('[role=status] >> text=Delivered.');
await page.waitForSelector('section[aria-labelledby=delivery-log] tbody tr');
ok(/Test.*Delivered\..*HTTP 200.*thank <you>/s.test(await attempt()),
    'the attempt is in the log, with the answer');

answers(500, 'broken');
await press('Send a test event');
await page.waitForSelector('[role=status] >> text=Failed.');
await page.waitForSelector('tbody >> text=broken', { state: 'attached' });
ok(/Failed\. A test is sent once\..*HTTP 500.*broken/s.test(await attempt()),
    'a failed attempt');

// A check of a host makes events, while the webhook is disabled.

await press('Disable');
await page.waitForSelector('h1 .state.disabled');
ok(/A user disabled it/.test(await page.textContent('main')), 'it says why');
const started = await page.evaluate(async () => {
    const send = (path, fields) => fetch(`1/${path}.json`, { method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(fields) });

    return (await send('host/add', { host: '192.0.2.10', name: 'n',
        type: 'rbl' })).status;
});
is(started, 200, 'a host is added, and checked at once');
await page.waitForSelector(letters);
ok(/A check has started|A host is listed|A check has ended/.test(
    await page.textContent(letters)), 'its events are dead letters');
is(await page.isDisabled(`${letters} button`), true,
    'which are not delivered while it is disabled');

answers(200, 'mended');
await press('Enable');
await page.waitForSelector('h1 .state.enabled');
const before = await page.locator(letters).count();
await press('Deliver again');
await page.waitForSelector('[role=status] >> text=1 event is queued');
await page.waitForFunction(([selector, n]) => document
    .querySelectorAll(selector).length < n, [letters, before]);
ok(true, 'one of them is delivered again');
await press('Deliver all again');
await page.waitForSelector('text=There are no dead letters.');
ok(true, 'and all others');
await page.waitForSelector('tbody >> text=mended', { state: 'attached' });
ok(/Delivered\..*HTTP 200.*mended/s.test(await attempt()), 'the log shows it');

await press('Change');
await type('Name', 'New name');
await reach('A host is listed');
await page.keyboard.press('Space');
await press('Save');
await page.waitForSelector('h1 >> text=New name');
ok(/A host is listed/.test(await page.textContent('.facts')),
    'name and events are changed');

await press('New secret');
await press('Make a new secret');
await page.waitForSelector('.once code');
ok((await page.textContent('.once code')) !== secret, 'a new secret');
await page.waitForSelector('.facts >> text=The old secret ends');

await press('Delete');
await reach('To delete it');
await page.keyboard.type('New');
is(await page.isDisabled('button.danger'), true, 'part of the name is not all');
await page.keyboard.type(' name');
await press('Delete the webhook');
await page.waitForSelector('h1 >> text=0 webhooks');
ok(true, 'it is deleted');
await close(page, 'webhooks by keyboard');

// Not soon after the sign-in.

const late = await open({ expected: /status of 401/ });

await late.context().addCookies([{ url: input.url, ...input.late }]);
await late.goto('/portal/#/webhooks/new');
await late.waitForSelector('#hook-name');
await type('Name', 'Kept', late);
await type('Address', input.receiver, late);
await press('Add a webhook', late);
await late.waitForSelector('main .banner');
ok(/new sign-in link/.test(await late.textContent('main .banner')),
    'a new sign-in is asked for');
is(await late.inputValue('#hook-name'), 'Kept', 'and nothing is lost');
await close(late, 'a late change');
await done();
