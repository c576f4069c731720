// The portal: who is signed in, which screen is shown, and the frame around it.

import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { actIn, forget, get, post, whenSignedOut } from './api.js';
import { html } from './html.js';
import { lazy } from './lazy.js';
import { close, kept, open, Opened } from './opened.js';
import { route, useHash } from './route.js';
import { SignIn, stay } from './screens/sign_in.js';
import { lang, loadMessages, setZone, t } from './text.js';

// The screens of the menu, each loaded when it is first shown.
const menu = {
    overview: lazy(() => import('./screens/overview.js'), 'Overview'),
    hosts: lazy(() => import('./screens/hosts.js'), 'Hosts'),
    checks: lazy(() => import('./screens/checks.js'), 'Checks'),
    lists: lazy(() => import('./screens/lists.js'), 'Lists'),
    profiles: lazy(() => import('./screens/profiles.js'), 'Profiles'),
    contacts: lazy(() => import('./screens/contacts.js'), 'Contacts'),
    groups: lazy(() => import('./screens/groups.js'), 'Groups'),
    apps: lazy(() => import('./screens/apps.js'), 'Apps'),
    webhooks: lazy(() => import('./screens/webhooks.js'), 'Webhooks'),
    users: lazy(() => import('./screens/users.js'), 'Users'),
    account: lazy(() => import('./screens/account.js'), 'Account'),
    audit: lazy(() => import('./screens/audit.js'), 'Audit')
};
const owners = ['users'];
const admins = ['audit'];

// The menu of operators, who have an account of their own; with "#/open/SID"
// they open that of others.
const operators = `AC${'0'.repeat(32)}`;
const operatorMenu = {
    status: lazy(() => import('./screens/status.js'), 'Status'),
    lists: lazy(() => import('./screens/system.js'), 'SystemLists'),
    accounts: lazy(() => import('./screens/accounts.js'), 'Accounts'),
    users: menu.users,
    audit: menu.audit
};

// Others, with what is current in the menu.
const others = {
    add: [lazy(() => import('./screens/add.js'), 'Add'), 'hosts'],
    contact_add: [lazy(() => import('./screens/contact_add.js'), 'ContactAdd'),
        'contacts'],
    host: [lazy(() => import('./screens/host.js'), 'Host'), 'hosts'],
    passkeys: [lazy(() => import('./screens/passkeys.js'), 'Passkeys'), '']
};

function find(screen, mine) {
    const known = Object.hasOwn(mine, screen) || screen === 'passkeys'
        || (mine === menu && Object.hasOwn(others, screen));
    const name = known ? screen : Object.keys(mine)[0];

    return mine[name] ? [mine[name], name] : others[name];
}

const isOperator = (me) => me.account.id === operators;

function Link({ to, at, text }) {
    return html`<a href="#/${to}" aria-current=${to === at ? 'page' : null}>
        ${text}</a>`;
}

function Frame({ me, opened, mine, at, onLeave, onSignOut, children }) {
    const { user, account } = opened || me;

    return html`
        <a class="skip" href="#main">${t('skip')}</a>
        <header>
            <strong><bdi>${isOperator({ account }) ? t('operator')
                : account.name}</bdi></strong>
            <nav aria-label=${t('menu')}>
                ${Object.keys(mine).filter((name) => user.role === 'owner'
                    || !owners.includes(name) && (user.role === 'admin'
                        || !admins.includes(name))).map((name) => html`
                    <${Link} key=${name} to=${name} at=${at}
                        text=${t(name)} />`)}
            </nav>
            <div class="who">
                <${Link} to="passkeys" at=${at || 'passkeys'}
                    text=${t('signed_in_as', { mail: me.user.mail })} />
                <button onClick=${() => onSignOut(false)}>
                    ${t('sign_out')}</button>
                <button onClick=${() => onSignOut(true)}>
                    ${t('sign_out_everywhere')}</button>
            </div>
        </header>
        <main id="main" tabindex="-1">
            ${opened && html`<${Opened} account=${account}
                onLeave=${onLeave} />`}
            ${children}</main>`;
}

function App() {
    const hash = useHash();
    const [me, setMe] = useState(undefined);
    const [doors, setDoors] = useState([]);
    const [opened, setOpened] = useState(null);
    const { screen, rest } = route(hash);

    async function load() {
        try {
            actIn('');
            const { data } = await get('me.json');

            setZone(data.account.timezone);
            setOpened(isOperator(data) && kept() ? await open(kept()) : null);
            setMe(data);
        } catch {
            setMe(null);
        }
    }

    function signedOut(refusal) {
        setDoors(refusal.doors);
        setMe(null);
    }

    async function enter(sid) {
        const found = await open(sid);

        setOpened(found);
        location.replace(found ? '#/overview' : '#/accounts');
    }

    function leave() {
        close();
        setOpened(null);
        location.hash = '#/accounts';
    }

    async function signOut(everywhere) {
        stay();
        await post('session/end.json', { everywhere: everywhere ? 1 : 0 })
            .catch(() => {});
        forget();
        close();
        setOpened(null);
        setMe(null);
        location.hash = '#/';
        await load();                   // which says how to sign in
    }

    useEffect(() => {
        document.documentElement.lang = lang;
        document.title = t('title');
        whenSignedOut(signedOut);

        if (screen !== 'link') {
            load();
        }
    }, []);

    const opening = screen === 'open' && me && isOperator(me);

    useEffect(() => {
        if (opening) {
            enter(rest);
        }
    }, [opening, rest]);

    if (screen === 'link') {
        return html`<${SignIn} key=${rest} link=${rest} onSignedIn=${load} />`;
    }

    if (me === undefined || opening) {
        return html`<p class="loading" role="status">${t('loading')}</p>`;
    }

    if (me === null) {
        return html`<${SignIn} doors=${doors} onSignedIn=${load} />`;
    }

    const mine = isOperator(me) && !opened ? operatorMenu : menu;
    const [Screen, at] = find(screen, mine);
    const there = opened || me;

    return html`<${Frame} me=${me} opened=${opened} mine=${mine} at=${at}
        onLeave=${leave} onSignOut=${signOut}>
        <${Screen} key=${`${there.account.id}/${rest}`} me=${there}
            rest=${rest} reload=${load} /><//>`;
}

await loadMessages();
render(html`<${App} />`, document.getElementById('app'));
