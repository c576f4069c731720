// By keyboard alone: an operator looks at the status and its charts, unfreezes
// a list and changes its limits, finds and opens an account, adds a host there
// and leaves it.  An
// operator who is a viewer can only look.

import { axe, close, done, input, is, ok, open, signIn, start, tabTo }
    from './browser.mjs';

async function press(page, text) {
    await tabTo(page, text);
    await page.keyboard.press('Enter');
}

async function text(page, selector = 'main') {
    return (await page.textContent(selector)).replace(/\s+/g, ' ');
}

const menu = (page) => page.locator('header nav a').allTextContents();
const tabs = (page) => page.locator('.tabs a').allTextContents();

await start();

const page = await open({ expected: /status of 40[014]/ });

// --- status ------------------------------------------------------------------

await signIn(page, input.owner);
await page.waitForSelector('h2 >> text=1 daemon is at work');
await page.waitForSelector('h1.good >> text=The service works');
is((await menu(page)).map((name) => name.trim()).join(),
    'Status,Lists,Accounts,Settings',
    'an operator has another menu');
ok(/127\.0\.0\.1/.test(await text(page, '#resolvers ~ table')),
    'the resolver is shown');
await page.waitForSelector('.charts canvas');
is(await page.locator('.charts canvas').count(), 3, 'there are three charts');
ok(/7,\d{3} of 10,\d{3} answered/.test(await text(page, '.charts')),
    'a chart has its sum in words');
await press(page, '1 hour');
await page.waitForSelector('[aria-current] >> text=1 hour');
ok(/hours=1$/.test(page.url()), 'the time range is in the address');
await page.waitForSelector('.charts >> text=/7\\d\\d of 1,\\d{3} answered/');
await page.locator('.charts summary').first().focus();
await page.keyboard.press('Enter');
await page.waitForSelector('.charts td >> text=700');
ok(true, 'the numbers of a chart are in a table');
const needs = await text(page, '#needs ~ details');

ok(needs.includes('frozen') && needs.includes(input.zone)
    && /7\d % of 1,2\d\d answered/.test(needs),
'a frozen list needs attention, with its answers of 24 hours');
await press(page, 'Settings');
await page.waitForSelector('.tabs');
is((await tabs(page)).join(), 'Users,Sign-in,Audit log', 'its second level');
await press(page, 'Status');
await page.waitForSelector('h1 >> text=The service works');
await axe(page, 'status');

// --- a list ------------------------------------------------------------------

await press(page, 'Lists');
await page.waitForSelector('h1 >> text=0 of 1 queried lists answer');
await press(page, 'Show 1 list that is off');
await page.waitForSelector('td >> text=off');
ok(/off=1$/.test(page.url()), 'lists that are off are shown on demand');
await press(page, 'Hide the lists');
await press(page, input.zone);
await page.waitForSelector('h1 >> text=frozen');
await press(page, 'Unfreeze');
await page.waitForSelector('text=Unfrozen');
await page.waitForFunction(() => !/frozen/.test(
    document.querySelector('h1').textContent));
ok(true, 'a list is unfrozen');
await press(page, 'Change the limits');
await tabTo(page, 'Queries a day');
await page.keyboard.press('Control+A');
await page.keyboard.type('4321');
await page.keyboard.press('Enter');
await page.waitForSelector('text=Changed by hand: Queries a day');
ok(/4,321 queries a day/.test(await text(page)), 'its quota is changed');
await press(page, 'Back to the catalogue');
await page.waitForFunction(() => !/by hand/.test(
    document.querySelector('main').textContent));
await press(page, 'Turn off');
await page.waitForSelector('h1 >> text=off');
await press(page, 'Turn on');
await page.waitForFunction(() => !/off/.test(
    document.querySelector('h1').textContent));
ok(true, 'and is turned off and on');

// --- an account --------------------------------------------------------------

await press(page, 'Accounts');
await page.waitForSelector('h1 >> text=2 accounts');
is((await tabs(page)).join(), 'Accounts,Payments', 'and of the accounts');
await press(page, 'Worst first');
await page.waitForFunction(() => /Other/.test(
    document.querySelectorAll('tbody tr')[1].textContent));
ok(/1 host critical/.test(await text(page, 'tbody tr')),
    'the account with the heaviest listing is the first');
await tabTo(page, 'Name of an account');
await page.keyboard.type('oTHer');
await page.waitForFunction(() =>
    document.querySelectorAll('tbody tr').length === 1);
ok(/Other/.test(await text(page, 'tbody')), 'an account is found by its name');
await page.keyboard.press('Control+A');
await page.keyboard.type(`AC${'1'.repeat(32)}`);
await page.keyboard.press('Enter');
await page.waitForSelector('.wrong');
ok(/no such account/.test(await text(page, '.wrong')), 'an id that is none');
await page.keyboard.press('Control+A');
await page.keyboard.type(input.account);
await page.keyboard.press('Enter');
await page.waitForSelector('main .banner >> text=as operator');
ok((await text(page, '.banner')).includes(input.account),
    'the banner names the account that is open');
await press(page, 'Settings');
await page.waitForSelector('.tabs');
ok(!(await tabs(page)).some((name) => /Users/.test(name)),
    'its users are not the operator\'s');
await page.reload();
await page.waitForSelector('main .banner >> text=as operator');
await press(page, 'Status of the service');
await page.waitForSelector('h1 >> text=The service works');
ok((await text(page, '.banner')).includes(input.account),
    'the status is shown while the account is open');
await press(page, 'Hosts');
await press(page, 'Add hosts');
await page.waitForSelector('textarea');
await page.fill('textarea', '192.0.2.77');
await page.click('button.main:enabled');
await page.waitForSelector('td a[href^="#/host/"]');
await press(page, 'Hosts');
await page.waitForSelector('h1 >> text=/^1 host$/');
await page.waitForSelector('th >> text=192.0.2.77');
ok(true, 'a host is added there');
await axe(page, 'an account');
await press(page, 'Leave this account');
await page.waitForSelector('h1 >> text=2 accounts');
is(await page.locator('main .banner').count(), 0, 'the account is left');

const calls = [];

page.on('request', (request) => calls.push(request.url()));
await page.goto(`/portal/#/open/${input.other}`);
await page.waitForSelector('h1 >> text=Open this account?');
await axe(page, 'the question');
await press(page, 'Cancel');
await page.waitForSelector('h1 >> text=2 accounts');
is(calls.filter((url) => url.includes(input.other)).join(), '',
    'an address opens no account without an answer');
await page.goBack();
await page.waitForSelector('h1 >> text=Open this account?');
await press(page, 'Open');
await page.waitForSelector('main .banner >> text=Other');
ok(true, 'an address opens an account, after a question');
await press(page, 'Signed in as');
await press(page, 'Sign out');
await page.waitForSelector('.sign-in');
is(await page.evaluate(() => sessionStorage.getItem('account')), '',
    'nothing is open after the end');
await close(page, 'an owner');

// --- a viewer ----------------------------------------------------------------

const viewer = await open();

await signIn(viewer, input.viewer);
await viewer.waitForSelector('h2 >> text=1 daemon');
is((await menu(viewer)).map((name) => name.trim()).join(),
    'Status,Lists,Accounts,Settings', 'a viewer has the same menu');
await press(viewer, 'Settings');
await viewer.waitForSelector('h1 >> text=Your passkeys');
is(await viewer.locator('.tabs').count(), 0,
    'but does not manage operators');
await press(viewer, 'Lists');
await press(viewer, input.zone);
await viewer.waitForSelector('h1 >> text=/system/');
is(await viewer.locator('main button').count(), 0, 'and changes no list');
await viewer.goto(`/portal/#/open/${input.account}`);
await press(viewer, 'Open');
await viewer.waitForSelector('main .banner');
await press(viewer, 'Hosts');
await viewer.waitForSelector('th >> text=192.0.2.77');
is(await viewer.locator('text=Add hosts').count(), 0, 'nor hosts');
await close(viewer, 'a viewer');
await done();
