// Contact groups: a table of all of them, and one group.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { Said, useChange } from '../change.js';
import { Delete, Field, Form } from '../form.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Muted } from '../mute_parts.js';
import { alertsPath, notifiedOf, NotifiedTable } from '../notified.js';
import { Answer, groupsOf, Head, More, NameLink, Place, State }
    from '../parts.js';
import { RecordForm, useFields } from '../record.js';
import { number, t } from '../text.js';

function Default({ group }) {
    return group.is_default === 1
        && html`${' '}<span class="badge">${t('default')}</span>`;
}

function GroupTable({ groups, linked }) {
    return html`<table class="dense">
        <${Head} names=${['group', 'hosts', 'contacts']} />
        <tbody>${groups.map((group) => html`<tr key=${group.id}>
            <th scope="row" data-label=${t('group')}>${linked
                ? html`<${NameLink} to="groups/${group.id}"
                    name=${group.name} />`
                : html`<bdi class="name">${group.name}</bdi>`}
                <${Default} group=${group} /></th>
            <td data-label=${t('hosts')}><a href="#/hosts?group=${group.id}">
                ${number(group.total_hosts)}</a></td>
            <td data-label=${t('contacts')}>${group.total_contacts === 0
                && group.total_hosts > 0 ? html`<${State} name="failing"
                    text=${t('alerts_nobody')} />` : group.total_contacts}</td>
        </tr>`)}</tbody>
    </table>`;
}

function AddGroup({ onDone }) {
    const [name, setName] = useState('');

    return html`<h2>${t('add_group')}</h2>
        <${Form} button=${t('add_group')} onDone=${() => {
            setName('');
            onDone();
        }} call=${() => post('contactgroup/add.json', { name })}>
            ${(problem) => html`<${Field} id="group-name" label=${t('name')}
                help=${t('help_group_name')} error=${problem} required
                maxlength="255" value=${name} onChange=${setName} />`}
        <//>`;
}

function All({ me }) {
    const [size, setSize] = useState(100);
    const [round, setRound] = useState(0);
    const again = () => setRound((n) => n + 1);
    const { say, ...said } = useChange(again);
    const writes = me.user.role !== 'viewer';
    const state = useLoad(`contactgroups.json?page_size=${size}`, round);

    function added() {
        say(t('group_added'));
        again();
    }

    return html`<${Answer} state=${state}>${({ data,
        total_contact_groups: total }) => html`
        <h1>${t('total_groups', { n: total })}</h1>
        <p>${t('groups_text')}</p>
        <${GroupTable} groups=${data} linked=${writes} />
        <${More} n=${data.length} total=${total} size=${size}
            setSize=${setSize} />
        ${writes && html`<${AddGroup} onDone=${added} />
            <${Said} of=${said} />`}`}
    <//>`;
}

function Rename({ group, onDone }) {
    const form = useFields({ name: group.name });

    return html`<${RecordForm} form=${form} onDone=${onDone}
        path="contactgroup/${group.id}.json"
        of=${({ data: [{ name }] }) => ({ name })}
        names=${{ name: { label: t('name') } }}
        save=${(fields) =>
            post(`contactgroup/update/${group.id}.json`, fields)}>
        ${(problem) => html`<${Field} id="group-name" label=${t('name')}
            error=${problem} required maxlength="255" value=${form.mine.name}
            onChange=${form.set('name')} />`}
    <//>`;
}

// Deleting is refused for a group with hosts or contacts, so it is explained.
function Actions({ group, again }) {
    const { run, ...said } = useChange(again);
    const { total_hosts: hosts, total_contacts: contacts } = group;
    const isDefault = group.is_default === 1;

    return html`
        <${Said} of=${said} />
        <${Rename} group=${group} onDone=${again} />
        <section aria-label=${t('actions')}>
            <p>${isDefault ? t('default_text') : html`
                <button onClick=${() => run(t('is_default'), () =>
                    post(`contactgroup/update/${group.id}.json`,
                        { is_default: 1 }))}>${t('make_default')}</button>`}
            </p>
            ${hosts + contacts > 0
                ? html`<p>${t('group_used', {
                    hosts: t('total_hosts', { n: hosts }),
                    contacts: t('total_contacts', { n: contacts }) })}</p>`
                : html`<${Delete} path="contactgroup" id=${group.id}
                    name=${group.name} back="groups" run=${run}
                    question=${isDefault && t('delete_default',
                        { group: group.name })} />`}
        </section>`;
}

// The contacts of the group, also those that are not notified.
function Notified({ group }) {
    const state = useLoad(alertsPath);

    return html`<section aria-labelledby="notified">
        <h2 id="notified">${t('group_told')}</h2>
        <${Answer} state=${state}>${({ data }) => html`
            ${group.total_hosts > 0 && notifiedOf(data, group.id).length === 0
                && html`<p><${State} name="failing"
                    text=${t('alerts_nobody')} /></p>`}
            ${group.total_contacts > 0 && html`<${NotifiedTable}
                contacts=${data.filter(({ contact }) =>
                    groupsOf(contact).includes(group.id))} />`}`}<//>
    </section>`;
}

function Group({ me, id }) {
    const [round, setRound] = useState(0);
    const state = useLoad(`contactgroup/${encodeURIComponent(id)}.json`, round);

    return html`
        <${Place} path=${[['groups', t('groups')]]} />
        <${Answer} state=${state}>${({ data: [group] }) => html`
            <h1><bdi>${group.name}</bdi><${Default} group=${group} /></h1>
            <dl class="facts">
                <div><dt>${t('hosts')}</dt><dd>
                    <a href="#/hosts?group=${group.id}">
                        ${number(group.total_hosts)}</a></dd></div>
                <div><dt>${t('contacts')}</dt>
                    <dd>${group.total_contacts}</dd></div>
            </dl>
            <${Notified} group=${group} />
            <${Muted} ids=${[group.id]} id=${group.id}
                may=${me.user.role !== 'viewer'} />
            ${me.user.role !== 'viewer' && html`<${Actions} group=${group}
                again=${() => setRound((n) => n + 1)} />`}`}
        <//>`;
}

export function Groups({ me, rest }) {
    return rest ? html`<${Group} me=${me} id=${rest} />`
        : html`<${All} me=${me} />`;
}
