// By keyboard alone: add a contact, confirm it with its code, pause it and undo
// that, make a group, put the contact into it, and delete both.

import { readdirSync, readFileSync } from 'node:fs';

import { close, done, input, is, ok, open, signIn, start, tabTo, until }
    from './browser.mjs';

// The codes that the mail server and the receiver got.
const inMails = () => readdirSync(input.mails).map((name) => readFileSync(
    `${input.mails}/${name}`, 'utf8').match(/^ {4}([a-z0-9]{6})$/m)?.[1]);
const inRequests = () => (readFileSync(input.received, 'utf8')
    .match(/\\"authcode\\":\\"([a-z0-9]{6})\\"/) || []).slice(1);

// The one that is not `old`, once it is there; a mail may be written in part.
async function codeOf(get, old) {
    const found = await until(() => get().find((code) => code && code !== old));

    if (!found) {
        throw new Error('no code comes');
    }

    return found;
}

await start();

const page = await open({ expected: /status of 4\d\d/ });
const key = (name) => page.keyboard.press(name);
const type = (text) => page.keyboard.type(text);
const shows = (selector) => page.waitForSelector(selector);

// Goes to what has these texts, one after the other, and presses Enter.
async function press(...texts) {
    for (const text of texts) {
        await tabTo(page, text);
        await key('Enter');
    }
}

async function fill(label, text) {
    await tabTo(page, label);
    await key('Control+A');
    await type(text);
}

async function addOf(what, field) {
    await press('Alerts', 'Contacts');
    await shows('main >> text=Add a contact');
    await press('Add a contact');
    await shows('.choices');
    await press(what);
    await shows(`#${field}`);
}

await signIn(page, input.link);
await shows('header nav');
await press('Alerts', 'Contacts');
await shows('h1 >> text=0 contacts');
ok(/Nobody gets a message/.test(await page.textContent('main')),
    'without contacts the page says what to do');

await addOf('E-mail', 'address');
is(await page.locator('.options.many :checked').count(), 1,
    'the default group is chosen');
await fill('E-mail address', 'ops@nowhere');
await press('Add a contact');
await shows('form .banner');
ok(/An e-mail address is expected/.test(await page.textContent('.banner')),
    'a refusal stands beside the form');
is(await page.inputValue('#address'), 'ops@nowhere', 'what was typed stays');
await fill('E-mail address', 'ops@example.net');
await press('Add a contact');
await shows('h1 .state.pending');
await fill('Confirmation code', 'wrong2');
await press('Confirm');
await shows('#code-error');
is(await page.inputValue('#code'), 'wrong2', 'so does a wrong code');
const old = await codeOf(inMails);
await press('Send a new code');
await shows('[role=status] >> text=A new code');
await press('Send a new code');
await shows('.banner >> text=less than a minute');
ok(true, 'codes are not sent too often, and the page says so');
await fill('Confirmation code', ` ${await codeOf(inMails, old)}`);
await press('Confirm');
await shows('h1 .state.active');
await shows('[role=status] >> text=Confirmed');
ok(true, 'a mail is confirmed by the code in it');

await addOf('Your own URL', 'url');
await fill('URL', input.hook);
await press('Add a contact');
await shows('h1 .state.pending');
await fill('Confirmation code', (await codeOf(inRequests)).toUpperCase());
await press('Confirm');
await shows('h1 .state.active');
ok(true, 'a URL is confirmed by the code in its request');
await press('Pause');
await shows('h1 .state.paused');
await press('Undo');
await shows('h1 .state.active');
ok(true, 'a pause is undone');
await press('Change what is reported, and when');
await shows('#often');
ok(await page.locator('#time').count() === 0, 'at once has no time of day');
await page.selectOption('#weight', 'high');
await page.selectOption('#often', 'weekly');
await page.selectOption('#day', 'fri');
for (const [id, text] of [['time', '17:30'], ['from', '22:00'],
    ['to', '06:30'], ['after', '30'], ['checks', '2']]) {
    await page.fill(`#${id}`, text);
}
await tabTo(page, 'Quiet until');
await press('Save');
await shows('.facts >> text=each week, Friday, 17:30; quiet from 22:00 to'
    + ' 06:30; after 30 minutes; after 2 checks');
ok(true, 'a contact gets times, and the page says them');
await page.selectOption('#often', 'now');
await page.fill('#to', '22:00');
await tabTo(page, 'Quiet until');
await press('Save');
await shows('.banner >> text=quiet');
is(await page.inputValue('#to'), '22:00', 'quiet hours that never end stay,'
    + ' with the refusal');
for (const [id, text] of [['from', ''], ['to', ''], ['after', '0'],
    ['checks', '1']]) {
    await page.fill(`#${id}`, text);
}
await tabTo(page, 'Quiet until');
await press('Save');
await shows('.facts >> text=/at once$/');
ok(true, 'the times are taken away');
await press('Send a test message');
await shows('[role=status] >> text=Delivered.');
await shows('tbody >> text=Test');
ok(/Test.*Delivered\..*Answer 200.*Code that confirms/s.test(
    await page.textContent('section[aria-labelledby=delivery-log]')),
'a test message is sent, and the page says what came of it');
await press('Send a test message');
await shows('.banner >> text=less than a minute');
ok(true, 'at most one a minute');

await page.evaluate(() => { location.hash = '#/mutes'; });
await shows('#until');
await fill('Until', 'never');
await fill('Repeated', 'weekly sat,sun 02:00');
await fill('For so many minutes', '90');
await fill('Reason', 'backups');
await press('Mute');
await shows('tbody >> text=each week, Saturday, Sunday, 02:00, 90 min each');
ok(true, 'a maintenance window, and the page says when it is');
await press('End it');
await shows('tbody >> text=(over)');
await fill('Until', '1h');
await fill('Reason', 'ticket 4711');
await press('Mute');
await shows('tbody >> text=(now)');
ok(true, 'a mute that is not repeated');
await press('End it');
await shows('[role=status] >> text=The mute has ended.');
await press('Alerts', 'Contacts');

await press('Groups');
await shows('h1 >> text=1 group');
await fill('Name', 'Night <i>shift</i>');
await press('Add a group');
await shows('h1 >> text=2 groups');
is(await page.inputValue('#group-name'), '', 'the next group can be typed');
await press('Alerts', 'Contacts');
await shows('tbody');
await press(input.hook, 'Change');
await tabTo(page, 'Night');
await key('Space');
await press('Save');
await shows('.facts >> text=Night <i>shift</i>');
ok(true, 'the contact is in the group, whose name is text');

await press('Groups');
await shows('tbody tr >> nth=1');
await press('Night');
await shows('section >> text=1 contact.');
is(await page.locator('main button').count(), 2,
    'a group in use cannot be deleted, and the page says why');
await press('Make it the default');
await shows('h1 .badge');
await fill('Name', 'Day shift');
await press('Save');
await shows('h1 >> text=Day shift');
ok(true, 'a group is renamed and becomes the default');

await press('Alerts', 'Contacts');
await shows('tbody');
await press(input.hook);
await shows('h1 .state');
await press('Delete');
await shows('h1 >> text=1 contact');
await shows('.deleted button');
await key('Enter');
await shows('h1 >> text=2 contacts');
ok(true, 'a delete is undone');
await press(input.hook);
await shows('h1 .state');
await press('Delete');
await shows('h1 >> text=1 contact');
ok(!(await page.textContent('main table')).includes(input.hook),
    'the contact is deleted');
await press('Groups');
await shows('tbody tr >> nth=1');
await press('Day shift');
await shows('section button >> text=Delete');
await press('Delete');
await key('Tab');
await press('Cancel', 'Delete', 'Delete it');
await shows('h1 >> text=1 group');
await shows('tbody .badge');
ok(true, 'so is the group, and the other one is the default');

await addOf('Datadog', 'api_key');
is(await page.getAttribute('#api_key', 'type'), 'password',
    'a key is not shown');
is(await page.getAttribute('#api_key', 'autocomplete'), 'off', 'nor kept');
await fill('API key', 'typed');
await press('Show');
is(await page.getAttribute('#api_key', 'type'), 'text', 'but on demand');
await page.goBack();
await shows('.choices');
await page.goForward();
await shows('#api_key');
is(await page.inputValue('#api_key'), '', 'it is forgotten with the screen');
await tabTo(page, 'Site');
await type('datadoghq.e');
await fill('API key', 'k'.repeat(32));
await press('Add a contact');
await shows('h1 >> text=datadoghq.eu,****');
ok(true, 'a value of two fields, with its key masked');
await close(page, 'contacts by keyboard');

const viewer = await open();

await signIn(viewer, input.viewer);
await viewer.waitForSelector('header nav');

for (const screen of ['contacts', 'groups', 'contact_add']) {
    await viewer.goto(`/portal/#/${screen}`);
    await viewer.waitForSelector('main h1');
    is(await viewer.locator('main button, main form, main .button, .choices')
        .count(), 0, `a viewer changes nothing: ${screen}`);
}

await viewer.goto('/portal/#/contacts');
await viewer.click('tbody a');
await viewer.waitForSelector('.facts');
is(await viewer.locator('main button, main form').count(), 0,
    'a viewer changes nothing: one contact');
await close(viewer, 'a viewer');
await done();
