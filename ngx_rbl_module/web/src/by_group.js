// Hosts by group, how many are listed now and were yesterday, and how many
// contacts are told about them.

import { html } from './html.js';
import { Answer, Head, State, stateOf } from './parts.js';
import { number, signed, t } from './text.js';

const few = 8;

export const groupsOf = ({ contact_group: groups }) => groups.split(',');

// How many active contacts a group has; undefined: not all are at hand.
export function told(group, contacts) {
    return group.total_contacts === 0 ? 0
        : contacts && contacts.data.length === contacts.total_contacts
            ? contacts.data.filter((one) => one.status === 'active'
                && groupsOf(one).includes(group.id)).length
            : undefined;
}

// change: since yesterday; null if that is not known.
function Row({ group, listed, change, active }) {
    return html`<tr>
        <th scope="row" data-label=${t('group')}>
            <a href="#/groups/${group.id}">
                <bdi class="name">${group.name}</bdi></a></th>
        <td data-label=${t('hosts')}><a href="#/hosts?group=${group.id}">
            ${number(group.total_hosts)}</a></td>
        <td data-label=${t('listed')}>
            <a href="#/hosts?state=listed&group=${group.id}">
                ${number(listed)}</a></td>
        <td data-label=${t('yesterday')}>${change !== null
            && (change === 0 ? '=' : signed(change))}</td>
        <td data-label=${t('contacts')}>${active === 0
            && group.total_hosts > 0
            ? html`<${State} name="failing" text=${t('group_nobody')} />`
            : number(active ?? group.total_contacts)}</td>
    </tr>`;
}

// state: of the groups; contacts, listed: answers, the second one of a search
// for listed hosts; trend: has the listed hosts of groups, and those of
// yesterday.
export function ByGroup({ state, contacts, listed, trend }) {
    const all = listed && (listed.next === null
        || listed.data.length === listed.total_listed);
    const hosts = all && listed.data.filter((host) =>
        stateOf(host) === 'listed').map(groupsOf);
    const [{ yesterday: known }] = trend.weights;
    const none = { hosts: 0, yesterday: known === null ? null : 0 };

    function rows({ data }) {
        return data.map((group) => {
            const { hosts: now, yesterday } = trend.groups.find(({ id }) =>
                id === group.id) || none;

            return { group, active: told(group, contacts), listed: hosts
                ? hosts.filter((ids) => ids.includes(group.id)).length : now,
            change: yesterday === null ? null : now - yesterday };
        }).sort((a, b) => b.listed - a.listed
            || b.group.total_hosts - a.group.total_hosts);
    }

    return html`<section aria-labelledby="by-group">
        <h2 id="by-group">${t('by_group')}</h2>
        <${Answer} state=${state}>${(body) => html`
            <table class="dense brief">
                <${Head} names=${['group', 'hosts', 'listed',
                    'yesterday', 'contacts']} />
                <tbody>${rows(body).slice(0, few).map((row) => html`
                    <${Row} key=${row.group.id} ...${row} />`)}</tbody>
            </table>
            ${body.total_contact_groups > few && html`<p><a href="#/groups">
                ${t('by_group_more', { n: body.total_contact_groups - few })}
            </a></p>`}`}
        <//></section>`;
}
