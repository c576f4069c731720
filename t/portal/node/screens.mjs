// Each screen in the looks of the input, light (in English) or dark (in
// German), as wide as a phone or a desk: axe, and what axe cannot see; with
// 'keys' the way of the focus, too, which takes as long as all the rest.

import { axe, close, done, input, is, ok, open, start }
    from './browser.mjs';

const screens = ['overview', 'hosts', 'add', 'users',
    `host/${input.host}`, `range/${input.range}`, 'alerts', 'log', 'mutes',
    'contacts',
    ...input.contacts.map((id) => `contacts/${id}`), 'contact_add',
    ...['email', 'slack', 'datadog', 'aws-sns'].map((type) =>
        `contact_add/${type}`), 'groups', `groups/${input.group}`,
    'apps', 'apps/new', `apps/${input.app}`,
    'webhooks', 'webhooks/new', ...input.hooks.map((id) => `webhooks/${id}`),
    'checks', 'lists', 'lists/add', ...input.lists.map((id) => `lists/${id}`),
    'profiles', 'profiles/add',
    ...input.profiles.map((id) => `profiles/${id}`), 'audit',
    `audit/target/${input.host}`, 'account', 'passkeys', 'billing'];
const operator = ['status', 'status?hours=168', 'accounts',
    'accounts?sort=worst', `accounts/${input.account}`, 'unpaid', 'lists',
    'lists?off=1',
    ...input.lists.slice(0, 1).map((id) => `lists/${id}`), 'users', 'audit',
    `open/${input.account}`, 'hosts'];
const lapsed = ['overview', 'hosts', `host/${input.stopped}`, 'billing'];
const empty = ['overview', 'hosts', 'alerts', 'log', 'contacts', 'groups',
    'apps', 'webhooks', 'checks', 'lists', 'profiles', 'billing'];

async function fits(page, name) {
    const { scroll, inner } = await page.evaluate(() => ({
        scroll: document.documentElement.scrollWidth, inner: innerWidth }));

    ok(scroll <= inner, `${name}: no sideways scroll`, `${scroll} > ${inner}`);
}

// Everything that can be used is reached by the key Tab, and shows that it is.
async function focus(page, name) {
    const all = await page.evaluate(() => [...document.querySelectorAll(
        'a[href], button, input, select, textarea, summary')]
        .filter((e) => e.checkVisibility() && !e.disabled
            && !e.matches('.square [tabindex="-1"]')  // by arrow keys
            && (e.type !== 'radio' || e.checked)).length);
    const times = await page.locator(
        'input:is([type=datetime-local], [type=time])').count();

    await page.evaluate(() => {
        document.activeElement.blur();
        globalThis.reached = { seen: new Set(), hidden: [] };
        globalThis.onfocus = ({ target }) => {
            if (!(target instanceof Element)) {
                return;
            }

            const style = getComputedStyle(target);
            const { seen, hidden } = globalThis.reached;

            seen.add([...document.querySelectorAll('*')].indexOf(target));

            if (style.outlineStyle === 'none'
                || parseFloat(style.outlineWidth) < 2)
            {
                hidden.push(target.outerHTML.slice(0, 80));
            }
        };
        addEventListener('focusin', globalThis.onfocus);
    });

    for (let i = 0; i < all + 2 + 8 * times; i++) {
        await page.keyboard.press('Tab');
    }

    const { seen, hidden } = await page.evaluate(() => {
        removeEventListener('focusin', globalThis.onfocus);
        return { seen: globalThis.reached.seen.size,
            hidden: globalThis.reached.hidden.join('\n') };
    });

    is(hidden, '', `${name}: focus is visible`);
    is(seen, all, `${name}: Tab reaches everything`);
}

// The portal's own text reads from left to right, whatever stands beside it.
async function reads(page, name) {
    const turned = await page.evaluate(() => {
        const texts = document.createTreeWalker(document.body,
            NodeFilter.SHOW_TEXT);
        const found = [];
        const range = document.createRange();
        const at = (node, i) => {
            range.setStart(node, i);
            range.setEnd(node, i + 1);
            return range.getBoundingClientRect();
        };

        while (texts.nextNode()) {
            const node = texts.currentNode;
            const i = node.data.search(/[a-z]{2}/);

            if (i >= 0 && !node.parentNode.closest('bdi')
                && node.parentNode.checkVisibility()
                && at(node, i).left > at(node, i + 1).left
                && at(node, i).top === at(node, i + 1).top)
            {
                found.push(node.data);
            }
        }

        return found.join(', ');
    });

    is(turned, '', `${name}: a text from outside turns around no other`);
}

// The menu of a small window.
async function menu(page, name) {
    const button = page.locator('header .menu');

    if (await button.isVisible()) {
        await button.click();
        await page.waitForSelector('header nav');
        await axe(page, `${name}, menu`);
        await fits(page, `${name}, menu`);
        await focus(page, `${name}, menu`);
        await picture(page, `${name}, menu`);
        await button.click();
    }
}

async function picture(page, name) {
    if (process.env.RBL_PICTURES) {
        await page.screenshot({ fullPage: true, path:
            `${process.env.RBL_PICTURES}/${name.replace(/\W+/g, '-')}.png` });
    }
}

async function judge(page, name, look) {
    await page.waitForSelector('main h1');
    await page.waitForFunction(() => !document.querySelector('.loading'));
    is(await page.locator('main :is(b, i, script)').count(), 0,
        `${name}: markup is text`);
    await page.evaluate(() => document.querySelectorAll('main details')
        .forEach((e) => e.setAttribute('open', '')));
    await axe(page, name);
    await fits(page, name);
    await reads(page, name);
    look.focus && await focus(page, name);
    await page.evaluate(() => {
        document.documentElement.style.fontSize = '200%';
    });
    await fits(page, `${name}, text at 200 %`);
    await page.evaluate(() => {
        document.documentElement.style.fontSize = '';
    });

    await picture(page, name);
}

// Shows another screen.  A new address behind "#" loads no page, so the screen
// before is there until the portal has drawn this one.
async function turn(page, name) {
    if (page.url() === 'about:blank') {
        await page.goto(`/portal/#/${name}`);
        return;
    }

    await page.evaluate((hash) => new Promise((drawn) => {
        addEventListener('hashchange', () => requestAnimationFrame(() =>
            requestAnimationFrame(drawn)), { once: true });
        location.hash = hash;
    }), `#/${name}`);
}

async function all(cookie, names, how, { keys, ...options }) {
    const page = await open(options);

    await page.context().addCookies([{ url: input.url, ...cookie }]);

    for (const name of names) {
        await turn(page, name);
        await judge(page,
            `${name.replace(/(\w\w)[0-9a-f]{32}/, '$1')}, ${how}`,
            { focus: keys });

        if (name.startsWith('open/')) {
            await page.click('main button.main');
            await page.waitForSelector('main .banner');
        }
    }

    await menu(page, how);

    await close(page, how);
}

await start();

const walks = [];

for (const [colorScheme, width, keys] of input.looks) {
    const how = `${colorScheme}, ${width}`;
    const options = { keys, colorScheme, viewport: { width, height: 800 },
        locale: colorScheme === 'dark' ? 'de-DE' : 'en-GB' };

    walks.push([input.cookie, screens, how, options],
        [input.empty, empty, `empty, ${how}`, options],
        // profiles are of paid plans
        [input.lapsed, lapsed, `expired, ${how}`,
            { ...options, expected: /status of 403/ }],
        [{ name: 'none', value: 'x' }, [''], `signed out, ${how}`,
            { ...options, expected: /status of 401/ }],
        [input.operator, operator, `operator, ${how}`, options]);
}

// Three at a time: no other program of the tests takes as long as this one.
await Promise.all([1, 2, 3].map(async () => {
    while (walks.length) {
        await all(...walks.shift());
    }
}));

await done();
