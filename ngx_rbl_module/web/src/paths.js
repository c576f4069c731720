// The paths of requests: for all records of a kind, for searches, and the first
// ones of screens.  Those are sent while the module of the screen is loaded.

export const listsPath = 'rbls.json?page_size=1000';
export const profilesPath = 'rblprofiles.json?page_size=1000';
export const groupsPath = 'contactgroups.json?page_size=1000';
export const hooksPath = 'webhooks.json?page_size=100';

const size = 200;               // rows of a page
const sizeFirst = 50;           // of the first page, which arrives earlier

// The page of a search behind a cursor; "": the first one.
export function pageOf(search, after = '') {
    const [path, query] = search.split('?');
    const given = new URLSearchParams(query);

    given.set('limit', after ? size : sizeFirst);

    if (after) {
        given.set('after', after);
    }

    return `${path}?${given}`;
}

// The filters of hosts in the query of an address.
export const filters = ['text', 'state', 'weight', 'group', 'profile', 'list',
    'since', 'sort'];

// The filters alone, in one order: the same search has the same query.
export function known(query) {
    const given = new URLSearchParams(query);

    return `${new URLSearchParams(filters.filter((name) => given.get(name))
        .map((name) => [name, given.get(name)]))}`;
}

// The subnet of 256 addresses around an address.
export const netOf = (address) => (address.includes(':') ? `${address}/120`
    : address.replace(/\d+$/, '0/24'));

// Hosts come in the order of their addresses, unless another one is chosen; the
// addresses of ranges are left out as long as nothing is.
export const searchOf = (query) => (query === ''
    ? 'hosts/find.json?sort=address&parent=none'
    : `hosts/find.json?part=1&${query}${
        /(^|&)sort=/.test(query) ? '' : '&sort=address'}`);

export const firstPaths = {
    overview: () => ['counts.json'],
    hosts: (query) => [pageOf(searchOf(known(query))), 'counts.json']
};
