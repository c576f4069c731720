// Alerts: who is notified about what.  A matrix of groups and contacts, first
// the groups that no contact is notified about; when each contact is notified;
// mutes; webhooks.

import { useState } from 'preact/hooks';

import { get, post } from '../api.js';
import { isolate } from '../bidi.js';
import { Said, useChange } from '../change.js';
import { HookMark } from '../hook_parts.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { mutesPath, openMutes, Until } from '../mute_parts.js';
import { alertsPath, contactName, notifiedOf, NotifiedTable }
    from '../notified.js';
import { Answer, groupsOf, More, NameLink, State, When } from '../parts.js';
import { groupsPath, hooksPath } from '../paths.js';
import { number, t } from '../text.js';
import { MuteTable } from './mutes.js';

const pause = 30000;            // ms
const columns = 8;              // contacts side by side
const rows = 50;

const isSilent = (contacts) => (group) => group.total_hosts > 0
    && notifiedOf(contacts, group.id).length === 0;

// Adds a contact to a group, or takes it out, as it is now: others may have
// changed it.
async function flip(contact, group, on) {
    const { data: [now] } = await get(`contact/${contact.id}.json`);
    const others = groupsOf(now).filter((id) => id !== group.id);

    return post(`contact/update/${contact.id}.json`, {
        contact_group: [...others, ...on ? [group.id] : []].join(',') });
}

function Cell({ group, contact, may, run }) {
    const ids = groupsOf(contact);
    const on = ids.includes(group.id);
    const names = { contact: isolate(contactName(contact)),
        group: isolate(group.name) };
    const last = on && ids.length === 1;

    function turn(to) {
        run(t(to ? 'alerts_added' : 'alerts_taken', names),
            () => flip(contact, group, to), { undo: () => turn(!to) });
    }

    // What is shown follows the answer, not the click.
    return html`<td data-label=${contactName(contact)}>${may
        ? html`<input type="checkbox" checked=${on} disabled=${last}
            title=${last ? t('alerts_last') : null}
            aria-label=${t('alerts_cell', names)} onChange=${({ target }) => {
                target.checked = on;
                turn(!on);
            }} />`
        : on && html`<span>✓<span class="unseen">
            ${t('alerts_cell', names)}</span></span>`}</td>`;
}

function Row({ group, contacts, shown, mutes, may, run }) {
    const n = notifiedOf(contacts, group.id).length;
    const silent = isSilent(contacts)(group);

    return html`<tr class=${silent ? 'silent' : ''}>
        <th scope="row" data-label=${t('group')}><span>
            <${NameLink} to="groups/${group.id}" name=${group.name} />
            ${mutes.map((mute) => html`<p key=${mute.id} class="quiet">
                <${Until} mute=${mute} id=${group.id} /></p>`)}</span></th>
        <td data-label=${t('hosts')}><a href="#/hosts?group=${group.id}">
            ${number(group.total_hosts)}</a></td>
        <td data-label=${t('alerts_told')}>${silent ? html`<${State}
            name="failing" text=${t('alerts_nobody')} />` : n}</td>
        ${shown.map(({ contact }) => html`<${Cell} key=${contact.id}
            group=${group} contact=${contact} may=${may} run=${run} />`)}
    </tr>`;
}

// open: the mutes that hold now.
function Matrix({ groups, contacts, open, may, run }) {
    const [size, setSize] = useState(rows);
    const [from, setFrom] = useState(0);
    const shown = contacts.slice(from, from + columns);
    const silent = isSilent(contacts);
    const sorted = [...groups].sort((a, b) => silent(b) - silent(a)
        || b.total_hosts - a.total_hosts);

    return html`
        <div class="wide"><table class="dense matrix">
            <thead><tr>
                <th scope="col">${t('group')}</th>
                <th scope="col">${t('hosts')}</th>
                <th scope="col">${t('alerts_told')}</th>
                ${shown.map(({ contact }) => html`<th key=${contact.id}
                    scope="col"><${NameLink} to="contacts/${contact.id}"
                        name=${contactName(contact)} />
                    ${contact.status !== 'active' && html`<${State}
                        name=${contact.status} />`}</th>`)}
            </tr></thead>
            <tbody>${sorted.slice(0, size).map((group) => html`<${Row}
                key=${group.id} group=${group} contacts=${contacts}
                shown=${shown} may=${may} run=${run} mutes=${open.filter(
                    (one) => [one.target, one.group].includes(group.id))} />`)}
            </tbody>
        </table></div>
        ${groups.length > size && html`<${More} n=${size} size=${size}
            total=${groups.length} setSize=${setSize} />`}
        ${contacts.length > columns && html`<p class="pager">
            ${t('alerts_columns', { from: from + 1,
                to: from + shown.length, total: contacts.length })}
            ${from > 0 && html`<button onClick=${() =>
                setFrom(from - columns)}>${t('page_before')}</button>`}
            ${from + columns < contacts.length && html`<button onClick=${() =>
                setFrom(from + columns)}>${t('page_after')}</button>`}</p>`}`;
}

function Verdict({ groups, contacts, open }) {
    const silent = groups.filter(isSilent(contacts)).length;
    const hosts = groups.some(({ total_hosts: n }) => n > 0);
    const all = open.find(({ target }) => target === '');
    const active = contacts.filter(({ contact }) =>
        contact.status === 'active').length;

    return html`
        <h1 class=${silent ? 'bad' : hosts && !all ? 'good' : ''}>
            ${silent ? t('alerts_silent', { n: silent })
                : t(hosts ? 'alerts_all' : 'alerts')}</h1>
        ${all && html`<p class="banner" role="note">${t('alerts_muted')}${' '}
            <${When} text=${all.ends} />: <bdi>${all.reason}</bdi></p>`}
        <ul class="counts">
            <li><a href="#/contacts">${t('alerts_active', { n: active,
                total: contacts.length })}</a></li>
            <li><a href="#/mutes">${t('alerts_mutes', { n: open.length })}</a>
            </li>
            <li><a href="#/log">${t('alerts_log')}</a></li>
        </ul>`;
}

function Hooks({ hooks }) {
    return html`<section aria-labelledby="alerts-hooks">
        <h2 id="alerts-hooks">${t('webhooks')}</h2>
        <p class="quiet">${t('alerts_hooks')}</p>
        <ul class="counts">${hooks.map((hook) => html`<li key=${hook.id}>
            <a href="#/webhooks/${hook.id}"><${HookMark} hook=${hook} />
                <bdi class="name">${hook.name}</bdi></a></li>`)}</ul>
    </section>`;
}

export function Alerts({ me }) {
    const [round, setRound] = useState(0);
    const again = () => setRound((n) => n + 1);
    const change = useChange(again);
    const contacts = useLoad(alertsPath, round, pause);
    const groups = useLoad(groupsPath, round, pause);
    const mutes = useLoad(mutesPath, round).body;
    const hooks = useLoad(hooksPath, round, pause).body;
    const may = me.user.role !== 'viewer';
    const open = openMutes(mutes);
    const soon = mutes ? mutes.data.filter(({ active }) => active === 1) : [];

    return html`<${Answer} state=${contacts}>${({ data: people }) => html`
        <${Answer} state=${groups}>${({ data }) => html`
            <${Verdict} groups=${data} contacts=${people} open=${open} />
            ${people.length === 0 && html`<p>${t('no_contacts_text')}</p>`}
            ${may && html`<p><a class="button" href="#/contact_add">
                ${t('add_contact')}</a></p>`}
            <${Said} of=${change} />
            <${Matrix} groups=${data} contacts=${people} open=${open}
                may=${may} run=${change.run} />
            ${people.length > 0 && html`
                <section aria-labelledby="alerts-when">
                    <h2 id="alerts-when">${t('alerts_when')}</h2>
                    <${NotifiedTable} contacts=${people} /></section>`}
            ${soon.length > 0 && html`
                <section aria-labelledby="alerts-mutes">
                    <h2 id="alerts-mutes">${t('mutes')}</h2>
                    <${MuteTable} mutes=${soon} may=${may}
                        run=${change.run} /></section>`}
            ${hooks && hooks.data.length > 0 && html`
                <${Hooks} hooks=${hooks.data} />`}`}<//>`}
    <//>`;
}
