// The portal: who is signed in, which screen is shown, and the frame around it.

import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { forget, get, post, whenSignedOut } from './api.js';
import { html } from './html.js';
import { lazy } from './lazy.js';
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

// Others, with what is current in the menu.
const others = {
    add: [lazy(() => import('./screens/add.js'), 'Add'), 'hosts'],
    contact_add: [lazy(() => import('./screens/contact_add.js'), 'ContactAdd'),
        'contacts'],
    host: [lazy(() => import('./screens/host.js'), 'Host'), 'hosts'],
    passkeys: [lazy(() => import('./screens/passkeys.js'), 'Passkeys'), '']
};

function find(screen) {
    const known = Object.hasOwn(menu, screen) || Object.hasOwn(others, screen);
    const name = known ? screen : 'overview';

    return menu[name] ? [menu[name], name] : others[name];
}

function Link({ to, at, text }) {
    return html`<a href="#/${to}" aria-current=${to === at ? 'page' : null}>
        ${text}</a>`;
}

function Frame({ me, at, onSignOut, children }) {
    return html`
        <a class="skip" href="#main">${t('skip')}</a>
        <header>
            <strong>${me.account.name}</strong>
            <nav aria-label=${t('menu')}>
                ${Object.keys(menu).filter((name) => me.user.role === 'owner'
                    || !owners.includes(name) && (me.user.role === 'admin'
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
        <main id="main" tabindex="-1">${children}</main>`;
}

function App() {
    const hash = useHash();
    const [me, setMe] = useState(undefined);
    const [doors, setDoors] = useState([]);
    const { screen, rest } = route(hash);

    async function load() {
        try {
            const { data } = await get('me.json');

            setZone(data.account.timezone);
            setMe(data);
        } catch {
            setMe(null);
        }
    }

    function signedOut(refusal) {
        setDoors(refusal.doors);
        setMe(null);
    }

    async function signOut(everywhere) {
        stay();
        await post('session/end.json', { everywhere: everywhere ? 1 : 0 })
            .catch(() => {});
        forget();
        location.hash = '#/';
        await load();
    }

    useEffect(() => {
        document.documentElement.lang = lang;
        document.title = t('title');
        whenSignedOut(signedOut);

        if (screen !== 'link') {
            load();
        }
    }, []);

    if (screen === 'link') {
        return html`<${SignIn} key=${rest} link=${rest} onSignedIn=${load} />`;
    }

    if (me === undefined) {
        return html`<p class="loading" role="status">${t('loading')}</p>`;
    }

    if (me === null) {
        return html`<${SignIn} doors=${doors} onSignedIn=${load} />`;
    }

    const [Screen, at] = find(screen);

    return html`<${Frame} me=${me} at=${at} onSignOut=${signOut}>
        <${Screen} key=${rest} me=${me} rest=${rest} reload=${load} /><//>`;
}

await loadMessages();
render(html`<${App} />`, document.getElementById('app'));
