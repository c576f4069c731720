// Each address shows its screen, with its item and tab of the menu; titles; the
// menu of a phone.

import { axe, close, done, input, is, ok, open, signIn, start, tabTo }
    from './browser.mjs';

const everybody = [
    ['overview', 'Overview'], ['hosts', 'Hosts'],
    ['hosts?state=listed', 'Hosts'], [`host/${input.host}`, 'Hosts'],
    ['add', 'Hosts'],
    ['lists', 'Lists', 'Lists'], [`lists/${input.list}`, 'Lists', 'Lists'],
    ['lists/add', 'Lists', 'Lists'], ['profiles', 'Lists', 'Profiles'],
    [`profiles/${input.profile}`, 'Lists', 'Profiles'],
    ['profiles/add', 'Lists', 'Profiles'],
    ['alerts', 'Alerts', 'Alerts'], ['log', 'Alerts', 'Log'],
    ['log?failed', 'Alerts', 'Log'], ['contacts', 'Alerts', 'Contacts'],
    [`contacts/${input.contact}`, 'Alerts', 'Contacts'],
    ['contact_add', 'Alerts', 'Contacts'],
    ['contact_add/email', 'Alerts', 'Contacts'],
    ['groups', 'Alerts', 'Groups'],
    [`groups/${input.group}`, 'Alerts', 'Groups'],
    ['webhooks', 'Alerts', 'Webhooks'],
    [`webhooks/${input.hook}`, 'Alerts', 'Webhooks'],
    ['webhooks/new', 'Alerts', 'Webhooks'], ['mutes', 'Alerts', 'Mutes'],
    [`mutes/${input.host}`, 'Alerts', 'Mutes'], ['apps', 'API'],
    [`apps/${input.app}`, 'API'], ['apps/new', 'API'],
    ['account', 'Settings', 'Account'], ['passkeys', 'Settings', 'Sign-in'],
    ['checks', '']
];
const owner = [...everybody, ['users', 'Settings', 'Users'],
    ['audit', 'Settings', 'Audit log'],
    [`audit/target/${input.host}`, 'Settings', 'Audit log'],
    ['billing', 'Settings', 'Billing']];
const operator = [['status', 'Status'], ['lists', 'Lists'],
    [`lists/${input.list}`, 'Lists'], ['accounts', 'Accounts', 'Accounts'],
    ['unpaid', 'Accounts', 'Payments'], ['users', 'Settings', 'Users'],
    ['audit', 'Settings', 'Audit log'], ['passkeys', 'Settings', 'Sign-in'],
    [`open/${input.account}`, 'Accounts', 'Accounts']];
const allowed = ['status', 'lists', 'accounts', 'unpaid', 'passkeys'];

const clean = (text) => text.replace(/\s+/g, ' ').trim();

async function texts(page, selector) {
    return (await page.locator(selector).allTextContents()).map(clean);
}

// Goes to another screen; the one before is there until this one is drawn.
async function turn(page, hash) {
    await page.evaluate((to) => new Promise((drawn) => {
        addEventListener('hashchange', () => requestAnimationFrame(() =>
            requestAnimationFrame(drawn)), { once: true });
        location.hash = to;
    }), `#/${hash}`);
    await page.waitForSelector('main h1');
    await page.waitForFunction(() => !document.querySelector('.loading'));
}

// The headings, by the address: no two of them show the same screen.
async function walk(who, link, rows, items) {
    const page = await open();
    const heads = new Map();

    await signIn(page, link);
    is((await texts(page, 'header nav a')).join(), items, `${who}: the menu`);

    for (const [hash, item, tab = ''] of rows) {
        const name = `${who}, ${hash.replace(/[0-9a-f]{32}/, '')}`;

        await turn(page, hash);
        is((await texts(page, 'header nav [aria-current]')).join(), item,
            `${name}: its item`);
        is((await texts(page, '.tabs [aria-current]')).join(), tab,
            `${name}: its tab`);

        const [head] = await texts(page, 'main h1');
        const key = hash.split('?')[0];

        ok(!heads.has(head) || heads.get(head).split('/')[0]
            === key.split('/')[0], `${name}: a screen of its own`,
        `${head}: ${heads.get(head)}`);
        heads.set(head, key);
    }

    await close(page, who);
}

await start();

await walk('an owner', input.owner, owner,
    'Overview,Hosts,Lists,Alerts,API,Settings');
await walk('a viewer', input.viewer, everybody,
    'Overview,Hosts,Lists,Alerts,API,Settings');
await walk('an operator', input.operator_owner, operator,
    'Status,Lists,Accounts,Settings');
await walk('an operator who is a viewer', input.operator_viewer,
    operator.filter(([hash]) => allowed.includes(hash))
        .map(([hash, item, tab]) => (item === 'Settings' ? [hash, item]
            : [hash, item, tab])), 'Status,Lists,Accounts,Settings');

{
    const page = await open({ viewport: { width: 375, height: 800 } });
    const titled = (title) => page.waitForFunction((wanted) =>
        document.title.replace(/[\u2066-\u2069]/g, '') === wanted, title);

    await page.goto(`/portal/#/link/${input.viewer}`);
    await page.waitForSelector('.sign-in');
    await titled(`Sign in, ${input.brand}`);
    is((await texts(page, 'main h1')).join(), input.brand,
        'the page of the sign-in says whose portal it is');
    await page.waitForFunction(() => {
        const logo = document.querySelector('.brand img');

        return logo.src.endsWith('/portal/icon.svg?own') && logo.naturalWidth;
    });
    ok(true, 'and shows the logo');
    await page.goto('about:blank');
    await page.goto(`/portal/#/link/${input.again}`);
    await page.press('.sign-in button', 'Enter');
    await page.waitForSelector('header .menu');
    await titled(`1 listed: Overview, ${input.name}`);
    ok(true, 'the title says how many hosts are listed, and where one is');
    await page.evaluate((hash) => { location.hash = hash; },
        `#/host/${input.host}`);
    await titled(`1 listed: 192.0.2.1, ${input.name}`);
    await page.evaluate(() => { location.hash = '#/hosts'; });
    await titled(`1 listed: Hosts, ${input.name}`);
    ok(true, 'it names the thing whose page is shown');
    is((await texts(page, 'header .brand small')).join(), input.brand,
        'the head of a screen says whose portal it is, too');
    is(await page.locator('header nav').isVisible(), false,
        'a phone hides the menu');
    await page.click('header .menu');
    await page.click('header nav >> text=Alerts');
    await page.waitForSelector('.tabs');
    await page.waitForSelector('header nav', { state: 'hidden' });
    ok(true, 'until one has chosen');
    await page.click('.tabs >> text=Groups');
    await titled(`1 listed: Groups, ${input.name}`);
    await page.evaluate(() => { location.hash = '#/log'; });
    await page.waitForFunction(() => {
        const tab = document.querySelector('.tabs [aria-current]');

        return tab && tab.textContent === 'Log'
            && tab.getBoundingClientRect().right <= innerWidth;
    });
    ok(true, 'the current tab is in sight');
    await page.click('header .menu');
    await page.fill('#look-up', '192.0.2');
    await page.press('#look-up', 'Enter');
    await page.waitForSelector('.rows tbody tr');
    ok(page.url().endsWith('#/hosts?text=192.0.2'),
        'a viewer finds hosts by the field of the header');
    await close(page, 'a phone');
}
{
    const page = await open();

    await signIn(page, input.keys);
    await page.waitForSelector('main h1');
    await tabTo(page, 'Signed in as');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#who', { state: 'visible' });
    await axe(page, 'the menu of the user');
    await page.keyboard.press('Escape');
    await page.waitForSelector('#who', { state: 'hidden' });
    is(clean(await page.evaluate(() => document.activeElement.textContent))
        .split(' ')[0], 'Signed', 'Escape closes it, and the focus is back');
    await close(page, 'the menu of the user');
}

await done();
