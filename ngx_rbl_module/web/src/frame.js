// The frame around each screen: menu, account, user.  Which screen an address
// shows.

import { useState } from 'preact/hooks';

import { html } from './html.js';
import { Deleted } from './later.js';
import { lazy } from './lazy.js';
import { Opened } from './opened.js';
import { Service } from './service.js';
import { t } from './text.js';

// The screens of the menu, each loaded when it is first shown.
export const menu = {
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
    audit: lazy(() => import('./screens/audit.js'), 'Audit', 'audit'),
    billing: lazy(() => import('./screens/billing.js'), 'Billing', 'billing')
};
const BillBanner = lazy(() => import('./bill_banner.js'), 'BillBanner',
    'billing');
const owners = ['users', 'billing'];
const admins = ['audit'];

// The menu of operators, who have an account of their own; with "#/open/SID"
// they open that of others.
const operators = `AC${'0'.repeat(32)}`;
export const operatorMenu = {
    status: lazy(() => import('./screens/status.js'), 'Status'),
    lists: lazy(() => import('./screens/system.js'), 'SystemLists'),
    accounts: lazy(() => import('./screens/accounts.js'), 'Accounts'),
    unpaid: lazy(() => import('./screens/unpaid.js'), 'Unpaid', 'billing'),
    users: menu.users,
    audit: menu.audit
};

export const isOperator = (me) => me.account.id === operators;

// Others, with what is current in the menu.
const others = {
    add: [lazy(() => import('./screens/add.js'), 'Add'), 'hosts'],
    contact_add: [lazy(() => import('./screens/contact_add.js'), 'ContactAdd',
        'contact_add'), 'contacts'],
    host: [lazy(() => import('./screens/host.js'), 'Host'), 'hosts'],
    mutes: [lazy(() => import('./screens/mutes.js'), 'Mutes'), 'contacts'],
    passkeys: [lazy(() => import('./screens/passkeys.js'), 'Passkeys'), '']
};

export function find(screen, mine) {
    const known = Object.hasOwn(mine, screen) || screen === 'passkeys'
        || (mine === menu && Object.hasOwn(others, screen));
    const name = known ? screen : Object.keys(mine)[0];

    return mine[name] ? [mine[name], name] : others[name];
}

function Link({ to, at, text, onClick }) {
    return html`<a href="#/${to}" aria-current=${to === at ? 'page' : null}
        onClick=${onClick}>${text}</a>`;
}

// opened: the account that an operator has opened, or null.
export function Frame({ me, opened, mine, at, onLeave, onSignOut, onDraw,
    children })
{
    const { user, account } = opened || me;
    const { bill } = account;
    const [open, setOpen] = useState(false);
    const shut = () => setOpen(false);

    return html`
        <a class="skip" href="#main">${t('skip')}</a>
        <header class=${open ? 'open' : ''}>
            <strong><bdi>${isOperator({ account }) ? t('operator')
                : account.name}</bdi></strong>
            <button class="menu" aria-expanded=${`${open}`}
                onClick=${() => setOpen(!open)}>${t('menu')}</button>
            <div class="who">
                <${Link} to="passkeys" at=${at || 'passkeys'} onClick=${shut}
                    text=${t('signed_in_as', { mail: me.user.mail })} />
                <button onClick=${() => onSignOut(false)}>
                    ${t('sign_out')}</button>
                <button onClick=${() => onSignOut(true)}>
                    ${t('sign_out_everywhere')}</button>
            </div>
            <nav aria-label=${t('menu')}>
                ${Object.keys(mine).filter((name) => (user.role === 'owner'
                    || !owners.includes(name) && (user.role === 'admin'
                        || !admins.includes(name)))
                    && (bill || name !== 'billing')).map((name) => html`
                    <${Link} key=${name} to=${name} at=${at} onClick=${shut}
                        text=${t(name)} />`)}
            </nav>
        </header>
        <main id="main" tabindex="-1">
            <${Deleted} onDraw=${onDraw} />
            <${Service} operator=${isOperator(me)} />
            ${opened && html`<${Opened} account=${account}
                onLeave=${onLeave} />`}
            ${bill && bill.state !== 'active' && html`<${BillBanner}
                bill=${bill} owner=${user.role === 'owner'} />`}
            ${children}</main>`;
}
