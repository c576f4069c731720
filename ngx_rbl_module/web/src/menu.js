// The menus: their items, the screens of each, and which screen an address
// shows.  Each screen is loaded when it is first shown.

import { lazy } from './lazy.js';

const users = lazy(() => import('./screens/users.js'), 'Users');
const audit = lazy(() => import('./screens/audit.js'), 'Audit', 'audit');
const passkeys = lazy(() => import('./screens/passkeys.js'), 'Passkeys');

// items: each with its tabs, the second level of the menu.  screens: by the
// first word of their address.  under: the tab of a screen that is none.
export const menu = {
    items: {
        overview: ['overview'],
        hosts: ['hosts'],
        lists: ['lists', 'profiles'],
        alerts: ['alerts', 'contacts', 'groups', 'webhooks', 'mutes', 'log'],
        api: ['apps'],
        settings: ['account', 'users', 'passkeys', 'audit', 'billing']
    },
    screens: {
        overview: lazy(() => import('./screens/overview.js'), 'Overview'),
        hosts: lazy(() => import('./screens/hosts.js'), 'Hosts'),
        add: lazy(() => import('./screens/add.js'), 'Add'),
        host: lazy(() => import('./screens/host.js'), 'Host'),
        range: lazy(() => import('./screens/range.js'), 'Range', 'range'),
        checks: lazy(() => import('./screens/checks.js'), 'Checks'),
        lists: lazy(() => import('./screens/lists.js'), 'Lists'),
        profiles: lazy(() => import('./screens/profiles.js'), 'Profiles'),
        alerts: lazy(() => import('./screens/alerts.js'), 'Alerts', 'alerts'),
        log: lazy(() => import('./screens/log.js'), 'Log', 'alerts'),
        contacts: lazy(() => import('./screens/contacts.js'), 'Contacts'),
        contact_add: lazy(() => import('./screens/contact_add.js'),
            'ContactAdd', 'contact_add'),
        groups: lazy(() => import('./screens/groups.js'), 'Groups'),
        webhooks: lazy(() => import('./screens/webhooks.js'), 'Webhooks'),
        mutes: lazy(() => import('./screens/mutes.js'), 'Mutes'),
        apps: lazy(() => import('./screens/apps.js'), 'Apps', 'api'),
        account: lazy(() => import('./screens/account.js'), 'Account'),
        users, passkeys, audit,
        billing: lazy(() => import('./screens/billing.js'), 'Billing',
            'billing')
    },
    under: { add: 'hosts', host: 'hosts', range: 'hosts',
        contact_add: 'contacts' }
};

// That of operators, who have an account of their own; with "#/open/SID" they
// open that of others.
export const operatorMenu = {
    items: {
        status: ['status'],
        lists: ['lists'],
        accounts: ['accounts', 'unpaid'],
        settings: ['users', 'passkeys', 'audit']
    },
    screens: {
        status: lazy(() => import('./screens/status.js'), 'Status',
            'operator'),
        lists: lazy(() => import('./screens/system.js'), 'SystemLists',
            'operator'),
        accounts: lazy(() => import('./screens/accounts.js'), 'Accounts',
            'operator'),
        unpaid: lazy(() => import('./screens/unpaid.js'), 'Unpaid', 'billing'),
        users, passkeys, audit
    },
    under: {}
};

const operators = `AC${'0'.repeat(32)}`;

export const isOperator = (me) => me.account.id === operators;

// Whether a screen is an operator's alone.  The operator need not leave an
// account that is open to see it.
export const isOfOperators = (screen) =>
    ['status', 'accounts', 'unpaid'].includes(screen);

const owners = ['users', 'billing'];
const admins = ['audit'];

// The tabs of an item that this user may see.
export const tabsOf = (mine, item, { user: { role }, account: { bill } }) =>
    mine.items[item].filter((tab) => (role === 'owner' || !owners.includes(tab)
        && (role === 'admin' || !admins.includes(tab)))
        && (bill || tab !== 'billing'));

export const itemOf = (mine, tab) => Object.keys(mine.items).find((item) =>
    mine.items[item].includes(tab));

// The screen of an address, with its name and its tab.  The first item is shown
// for an address that is none.
export function find(screen, mine) {
    const name = Object.hasOwn(mine.screens, screen) ? screen
        : Object.keys(mine.screens)[0];

    return [mine.screens[name], mine.under[name] || name];
}
