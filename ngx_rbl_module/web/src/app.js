// The portal: who is signed in, which screen is shown, and the frame around it.

import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { forget, get, post, whenSignedOut } from './api.js';
import { html } from './html.js';
import { route, useHash } from './route.js';
import { Add } from './screens/add.js';
import { Apps } from './screens/apps.js';
import { ContactAdd } from './screens/contact_add.js';
import { Contacts } from './screens/contacts.js';
import { Groups } from './screens/groups.js';
import { Host } from './screens/host.js';
import { Hosts } from './screens/hosts.js';
import { Overview } from './screens/overview.js';
import { SignIn } from './screens/sign_in.js';
import { Users } from './screens/users.js';
import { lang, setZone, t } from './text.js';

// Those of the menu, and others, with what is current in the menu.
const menu = { overview: Overview, hosts: Hosts, contacts: Contacts,
    groups: Groups, apps: Apps, users: Users };
const owners = ['users'];
const others = { add: [Add, 'hosts'], host: [Host, 'hosts'],
    contact_add: [ContactAdd, 'contacts'] };

function find(screen) {
    const name = screen in menu || screen in others ? screen : 'overview';

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
                    || !owners.includes(name)).map((name) => html`
                    <${Link} key=${name} to=${name} at=${at}
                        text=${t(name)} />`)}
            </nav>
            <div class="who">
                <span>${t('signed_in_as', { mail: me.user.mail })}</span>
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

    async function signOut(everywhere) {
        await post('session/end.json', { everywhere: everywhere ? 1 : 0 })
            .catch(() => {});
        forget();
        setMe(null);
        location.hash = '#/';
    }

    useEffect(() => {
        document.documentElement.lang = lang;
        document.title = t('title');
        whenSignedOut(() => setMe(null));

        if (screen !== 'link') {
            load();
        }
    }, []);

    if (screen === 'link') {
        return html`<${SignIn} link=${rest} onSignedIn=${load} />`;
    }

    if (me === undefined) {
        return html`<p class="loading" role="status">${t('loading')}</p>`;
    }

    if (me === null) {
        return html`<${SignIn} />`;
    }

    const [Screen, at] = find(screen);

    return html`<${Frame} me=${me} at=${at} onSignOut=${signOut}>
        <${Screen} key=${rest} me=${me} rest=${rest} /><//>`;
}

render(html`<${App} />`, document.getElementById('app'));
