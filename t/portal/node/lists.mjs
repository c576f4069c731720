// By keyboard alone: an own list is added, then a profile with it; a host is
// checked by that profile; a check on demand shows the list.  A viewer and a
// user of a free plan see what they may do.

import { axe, close, done, input, is, ok, open, signIn, start, tabTo }
    from './browser.mjs';

const refused = /status of 40[0139]/;

async function press(page, text) {
    await tabTo(page, text);
    await page.keyboard.press('Enter');
}

async function type(page, label, text) {
    await tabTo(page, label);
    await page.keyboard.type(text);
}

async function text(page, selector = 'main') {
    return (await page.textContent(selector)).replace(/\s+/g, ' ');
}

await start();

const page = await open({ expected: refused });

// --- an own list -------------------------------------------------------------

await signIn(page, input.link);
await press(page, 'Lists');
await page.waitForSelector('h1 >> text=No list is known');
ok(!(await text(page)).includes(input.system),
    'a list that does not concern the account is not shown at once');
await press(page, '1 list, none of your hosts');
await page.waitForSelector(`main >> text=${input.system}`);
await axe(page, 'lists');
await press(page, 'Add a list');
await page.waitForSelector('#zone');
await type(page, 'Zone', 'not a zone');
await press(page, 'Add a list');
await page.waitForSelector('.banner');
ok(/not a zone/.test(await text(page, '.banner')), 'a refusal says what to do');
is(await page.inputValue('#zone'), 'not a zone', 'and keeps what was typed');
await page.keyboard.press('Shift+Tab');
await page.keyboard.press('Shift+Tab');
await page.keyboard.press('Control+A');
await page.keyboard.type(input.own);
await page.keyboard.press('Enter');
await page.waitForSelector(`h1 >> text=${input.own}`);
ok(/in use/.test(await text(page, 'h1')), 'the list is added');

await press(page, 'Pause');
await page.waitForSelector('h1 >> text=paused');
await press(page, 'Undo');
await page.waitForSelector('h1 >> text=in use');
ok(true, 'a pause is undone');

// --- a profile with it -------------------------------------------------------

await press(page, 'Profiles');
await page.waitForSelector('h1 >> text=1 profile');
await press(page, 'Add a profile');
await page.waitForSelector('#profile-name');
await type(page, 'Name', 'Ours');
await tabTo(page, 'All active');
await page.keyboard.press('ArrowDown');
await page.waitForSelector('legend >> text=0 system lists are left out');
await page.waitForSelector('text=1 of 1 shown');
ok(!(await text(page, '.scroll')).includes(input.own),
    'only system lists can be left out');
await page.keyboard.press('ArrowDown');
await page.waitForSelector('legend >> text=0 chosen lists');
await type(page, 'Filter', 'own.');
await page.waitForSelector('text=1 of 2 shown');
await tabTo(page, input.own);
await page.keyboard.press('Space');
await page.waitForSelector('legend >> text=1 chosen list');
await press(page, 'Add a profile');
await page.waitForSelector('h1 >> text=Ours');
await page.waitForSelector(`.columns >> text=${input.own}`);
ok(true, 'a profile of one list');
await press(page, 'Make it');
await page.waitForSelector('text=This is the default profile');
await press(page, 'Delete');
ok(/One of the others, by chance/.test(await text(page)),
    'the question says what becomes of the default');
await press(page, 'Cancel');

// --- a host and checks -------------------------------------------------------

await page.evaluate(() => { location.hash = '#/add'; });
await page.waitForSelector('#lines');
await type(page, 'Addresses, subnets', '192.0.2.10');
await press(page, 'Add 1 host');
await page.waitForSelector('tbody td a');
await press(page, 'added');
await page.waitForSelector('h1 .state.listed');
await page.waitForSelector('.card');
ok((await text(page, '.card')).includes(input.own),
    'the host is checked by the list of its profile');
await press(page, 'Mark this listing');
await tabTo(page, 'Its removal was asked for');
await page.keyboard.press('Space');
await page.evaluate(() => fetch(`/portal/1/host/mark/${
    location.hash.split('/')[2]}.json`, { method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ticket: '4711',
        list: document.querySelector('[id^=ticket-]').id.slice(7) }) }));
await press(page, 'Save the marks');
await page.waitForSelector('.differences >> text=4711');
ok(true, 'what another has noted meanwhile is shown before marks are saved');
await press(page, 'Take theirs');
await tabTo(page, 'Its removal was asked for');
await page.keyboard.press('Space');
await press(page, 'Save the marks');
await page.waitForSelector('.card >> text=Removal asked for');
ok(/Ticket 4711/.test(await text(page, '.card')),
    'a listing has the marks of both');
await press(page, input.own);
await page.waitForSelector(`h1 >> text=${input.own}`);
ok(true, 'the host leads to the page of the list');
await page.waitForSelector('h2 >> text=It lists 1 host of yours');
await page.waitForSelector('.graph canvas');
await page.waitForSelector('.dense >> text=192.0.2.10');
ok(true, 'which shows the host, and the days as a chart');
await page.locator('.ranges a').first().click();
await page.waitForSelector('text=7 days: my hosts on this list now 1');
ok(page.url().endsWith('?days=7'), 'the range is in the address');
await page.locator('.graph summary').click();
await page.waitForSelector('.graph tbody tr');
is((await page.locator('.graph tbody tr').first().locator('td')
    .allTextContents()).join(), '1,1,0', 'the numbers of today');
await axe(page, 'a list with hosts');

await press(page, 'Profiles');
await press(page, 'Ours');
await press(page, 'Delete');
await press(page, 'Delete it');
await page.waitForSelector('.banner');
ok(/another profile first/.test(await text(page, '.banner')),
    'a profile in use cannot be deleted, and why');

await type(page, 'Look up', 'nonsense');
await page.keyboard.press('Enter');
await page.waitForSelector('.run .banner');
ok(/neither an address/.test(await text(page, '.run .banner')),
    'a wrong value in the header');
await page.waitForSelector('datalist option', { state: 'attached' });
await type(page, 'Address or domain', 'nonsense');
await page.keyboard.press('Enter');
await page.waitForSelector('form .banner');
ok(/neither an address/.test(await text(page, 'form .banner')),
    'a wrong value');
await page.keyboard.press('Control+A');
await page.keyboard.type('192.0.2.10');
await page.waitForSelector('#as-host');
await page.keyboard.press('Enter');
await page.waitForSelector('.run tbody .state.listed');
const row = await text(page, '.run tbody tr');
ok(row.includes(input.own) && row.includes('seen by us'),
    'a check on demand shows its row');
await page.waitForSelector('.run >> text=Listed at 1 of 1, unknown');
await page.fill('#value', '192.0.2.77');
await page.keyboard.press('Enter');
await page.waitForSelector('.run >> text=Listed at none of 1, unknown');
await axe(page, 'checks with results');
await press(page, 'Lists');
await page.waitForSelector('h1 >> text=1 list lists hosts of yours');
const mine = await text(page, 'main tbody tr');
ok(mine.includes(input.own) && /normal, own1\+1.* ago/.test(mine),
    'the list with its hosts, new listings and last answer', mine);
await type(page, 'Look up', '192.0.2.78');
await page.keyboard.press('Enter');
await page.waitForSelector('.run h2 >> text=192.0.2.78');
is(await page.locator('.run').count(), 4,
    'the checks are still there, with that of the header');
await page.waitForSelector('.run >> nth=0 >> text=Listed at none of 1');
await type(page, 'Look up', '192.0.2.10');
await page.keyboard.press('Enter');
await page.waitForSelector('h1 .state.listed');
ok(/192\.0\.2\.10/.test(await text(page, 'h1')),
    'the header leads to the page of a host');
await type(page, 'Look up', '192.0.2.0/24');
await page.keyboard.press('Enter');
await page.waitForSelector('.square a');
ok(page.url().endsWith('#/range/192.0.2.0/24'), 'and to those of a subnet');

// --- a system list, and the end of the own one -------------------------------

await press(page, 'Lists');
await press(page, '1 list, none of your hosts');
await press(page, `S ${input.system}`);
await page.waitForSelector(`h1 >> text=${input.system}`);
const about = await text(page);
ok(/5,000 queries a day/.test(about) && /deserves an early look/.test(about)
    && /127\.255\.255\.254 no answer refused/.test(about.replace(/\s+/g, ' ')
        .replace(/(\d)no/, '$1 no').replace('answerrefused',
            'answer refused')), 'limits, weight and answers in sentences');
ok(/in the last 24 hours, by the hour: 90 %/.test(about.replace(/\s+/g, ' ')),
    'the share of its answers', about);
const hours = await page.getAttribute('.answers .given', 'd');

ok(/M2[23] 16v-14\.2\d*h\.8V16z/.test(hours), 'those of an hour as a column',
    hours);
await press(page, 'Lists');
await press(page, input.own);
await page.waitForSelector(`h1 >> text=${input.own}`);
await press(page, 'Delete');
await page.waitForSelector('summary >> text=1 list, none of your hosts');
is(await page.locator(`main table >> text=${input.own}`).count(), 0,
    'the own list is deleted');

// --- others ------------------------------------------------------------------

await press(page, 'Signed in as');
await press(page, 'Sign out');
await page.waitForSelector('.sign-in');
await signIn(page, input.viewer);

for (const [screen, words] of [['lists/add', /not change anything/],
    ['profiles/add', /not change anything/],
    ['checks', /may not start checks/]])
{
    await page.goto(`/portal/#/${screen}`);
    await page.waitForFunction(([source]) => new RegExp(source)
        .test(document.querySelector('main').textContent), [words.source]);
    is(await page.locator('main form').count(), 0,
        `a viewer has no form: ${screen}`);
}

is(await page.locator('.run').count(), 0, 'nor the checks of the user before');
await close(page, 'lists by keyboard');
{
    const other = await open({ expected: refused });

    await signIn(other, input.free);

    await other.goto('/portal/#/lists');
    await other.waitForSelector('h1 >> text=No list is known');
    ok(true, 'a free plan: the lists are shown');

    for (const screen of ['profiles', 'profiles/add']) {
        await other.goto(`/portal/#/${screen}`);
        await other.waitForSelector('main >> text=need a paid plan');
        ok(true, `a free plan: ${screen}`);
    }

    await close(other, 'a free plan');
}
{
    const other = await open();

    await signIn(other, input.many);
    await other.goto('/portal/#/profiles');
    await other.waitForSelector('h1 >> text=51 profiles');
    is(await other.locator('main tbody tr').count(), 50, 'a page of profiles');
    await other.click('button >> text=Next page');
    await other.waitForSelector('main >> text=Page 2 of 2');
    await other.waitForFunction(() =>
        document.querySelectorAll('main tbody tr').length === 1);
    ok(true, 'the last profile');
    await close(other, 'many profiles');
}

await done();
