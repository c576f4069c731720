// By keyboard alone, in one session: sign in, add a subnet, see a listing and
// its reason, add a contact and confirm it, make an application, use its token,
// see the requests, add a webhook, break it, deliver a dead letter again, and
// sign out everywhere.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

import { close, done, input, is, ok, open, start, tabTo, until }
    from './browser.mjs';

await start();

const page = await open({ expected: /status of 401/ });
const shows = (selector) => page.waitForSelector(selector);

async function press(...texts) {
    for (const text of texts) {
        await tabTo(page, text);
        await page.keyboard.press('Enter');
    }
}

async function fill(label, text) {
    await tabTo(page, label);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text);
}

// What the receiver of webhooks answers from now on.
let times = 0;
function answers(status) {
    writeFileSync(input.answers, JSON.stringify({ status, body: `no. ${times}`,
        since: Date.now() + ++times }));
}

async function mailed() {
    const code = await until(() => {
        const [name] = existsSync(input.mails) ? readdirSync(input.mails) : [];

        return name && readFileSync(`${input.mails}/${name}`, 'utf8')
            .match(/^ {4}([a-z0-9]{6})$/m);
    });

    if (!code) {
        throw new Error('no code comes');
    }

    return code[1];
}

// sign in, add a subnet, see a listing

await page.goto(`/portal/#/link/${input.link}`);
await shows('.sign-in button');
await press('Sign in');
await shows('header nav');
await press('Hosts');
await shows('h1 >> text=0 hosts');
await press('Add hosts');
await shows('#lines');
await fill('Addresses, subnets', '192.0.2.0/24');
await press('Add 256 hosts');
await shows('td >> text=added');
await press('Overview');
await shows('main a >> text=192.0.2.10');
await press('192.0.2.10');
await shows('h1 .state.listed');
await shows('.card');
ok((await page.textContent('.card')).includes('spam source'),
    'a host of the subnet is listed, and the page says why');

// a contact

await press('Alerts', 'Contacts');
await shows('main >> text=Add a contact');
await press('Add a contact');
await shows('.choices');
await press('E-mail');
await shows('#address');
await fill('E-mail address', 'ops@example.net');
await press('Add a contact');
await shows('h1 .state.pending');
await fill('Confirmation code', await mailed());
await press('Confirm');
await shows('h1 .state.active');
ok(true, 'a contact is confirmed by the code that was mailed');

// an application and its token

await press('API');
await shows('main table');
await press('New application');
await shows('#app-name');
await fill('Name', 'Nagios');
await page.keyboard.press('Enter');
await shows('.made');
const token = await page.textContent('.made code');
const curl = (path) => JSON.parse(execFileSync('curl', ['-su',
    `${input.account}:${token}`, `${input.url}3.0/${path}`]));
is(curl('listings.json').data[0].host, '192.0.2.10',
    'the token shows the listing to curl');
is(curl('hosts.json?page=x').status_code, 400, 'a wrong request is refused');
await press('Open the application');
await page.waitForFunction(() => /[1-9]\d* requests, [1-9]\d* err/.test(
    document.querySelector('.plot')?.getAttribute('aria-label')));
ok(/Invalid page/.test(await page.textContent(
    '[aria-labelledby=app-errors] table')),
'both are in the graph, and the wrong one in the error log');

// a webhook

answers(500);
await press('Alerts', 'Webhooks');
await shows('h1 >> text=0 webhooks');
await press('Add a webhook');
await shows('#hook-name');
await fill('Name', 'Tickets');
await fill('Address', input.receiver);
await press('Add a webhook');
await shows('.once code');
await press('Continue to the webhook');
await shows('h1 .state.enabled');
await press('Send a test event');
await shows('[role=status] >> text=Failed.');
await press('Disable');
await shows('h1 .state.disabled');
await press('Overview');
await shows('main a >> text=192.0.2.10');
await press('192.0.2.10');
await shows('h1 .state.listed');
await press('Check now');
await shows('.check-now >> text=Checked.');
await press('Alerts', 'Webhooks');
await shows('main tbody a');
await press('Tickets');
await shows('section[aria-labelledby=hook-dead] tbody tr');
answers(200);
await press('Enable');
await shows('h1 .state.enabled');
await press('Deliver all again');
await shows('text=There are no dead letters.');
await page.waitForSelector('tbody >> text=Delivered.', { state: 'attached' });
ok(true, 'a dead letter is delivered again');

// the end

await press('Settings', 'Sign-in', 'Sign out everywhere');
await shows('.sign-in');
await page.reload();
await shows('.sign-in');
ok(true, 'signed out everywhere');
await close(page, 'the journey');
await done();
