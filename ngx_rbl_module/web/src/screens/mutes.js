// Mutes: all of them; one of a thing ("#/mutes/ID") or of the account.

import { useEffect, useState } from 'preact/hooks';

import { get, post } from '../api.js';
import { isolate } from '../bidi.js';
import { Said, useChange } from '../change.js';
import { now } from '../clock.js';
import { Field, Form, Select } from '../form.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { mutesPath, Target } from '../mute_parts.js';
import { Answer, Head, When } from '../parts.js';
import { groupsPath } from '../paths.js';
import { useFields } from '../record.js';
import { rhythmText } from '../rhythm.js';
import { absolute, date, t } from '../text.js';

const slow = 60000;             // ms

// A local time of the browser; how long and other texts stay as they are.
function utcOf(text) {
    const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text)
        ? new Date(text) : NaN;

    return isNaN(at) ? text : at.toISOString().replace(/\.\d+/, '');
}

// The next Friday at 17:00, in the form of utcOf.
function friday() {
    const day = new Date(now());

    day.setDate(day.getDate() + ((12 - day.getDay()) % 7 || 7));
    day.setHours(17, 0, 0, 0);

    return new Date(day - day.getTimezoneOffset() * 60000).toISOString()
        .slice(0, 16);
}

const At = ({ text }) => html`<time datetime=${text}>
    ${absolute(date(text))}</time>`;

// The present or next time of a mute, which may not be known yet, and when it
// is repeated.
function Times({ mute: { begins, ends, repeat, minutes, active, open } }) {
    const planned = begins !== '' && active === 1 && open === 0;
    const Ends = planned ? At : When;

    return html`
        ${planned && html`${t('mute_from')}${' '}
            <${At} text=${begins} />${' '}`}
        ${ends !== '' && html`${t('mute_to')}${' '}<${Ends} text=${ends} />`}
        ${active === 0 ? html` ${t('mute_over')}` : open === 1
            && html` ${t('mute_open')}`}
        ${repeat !== 'none' && html`<p class="quiet">${t('mute_repeats',
            { when: rhythmText(repeat), minutes })}</p>`}`;
}

export function MuteTable({ mutes, run, may }) {
    return html`<table class="dense">
        <${Head} names=${['mute_target', 'mute_times', 'mute_reason',
            'mute_by']} />
        <tbody>${mutes.map((mute) => html`<tr key=${mute.id}>
            <th scope="row" data-label=${t('mute_target')}>
                <${Target} mute=${mute} /></th>
            <td data-label=${t('mute_times')}><${Times} mute=${mute} />
                ${mute.active === 1 && may && html`${' '}<button
                    onClick=${() => run(t('mute_ended'), () => post(
                        `mute/end/${mute.id}.json`))}>${t('mute_end')}
                    </button>`}</td>
            <td data-label=${t('mute_reason')}><p><bdi>${mute.reason}</bdi></p>
            </td>
            <td data-label=${t('mute_by')}><bdi class="name">${mute.by}</bdi>
            </td>
        </tr>`)}</tbody>
    </table>`;
}

const isHost = (id) => id.startsWith('HT');
const isList = (id) => id.startsWith('RB');

// The address of a host, by its id, which it is until it is known.
function useHost(id) {
    const [host, setHost] = useState(id);

    useEffect(() => {
        isHost(id) && get(`host/${id}.json`).then(({ data: [one] }) =>
            setHost(one.host), () => {});
    }, [id]);

    return host;
}

const listName = ({ list: { name, host } }) => (name && name !== host
    ? `${name}, ${host}` : host);

// What is chosen: hosts, which are all of them, those of a group, or one, and
// all lists or one.  Of one host all lists are muted.
function Choice({ id, hosts, list, set }) {
    const host = useHost(id);
    const body = useLoad(groupsPath, 0, slow).body;
    const groups = body ? body.data : [];
    const lists = useLoad('lists/mine.json', 0, slow).body;
    const all = lists ? lists.data.map((one) => ({ id: one.list.id,
        name: listName(one) })).sort((a, b) => a.name.localeCompare(b.name))
        : [];

    return html`<div class="fields">
        <div><${Select} id="hosts" label=${t('mute_hosts')} value=${hosts}
            help=${t('mute_hosts_help')} onChange=${set('hosts')}
            from=${[{ id: '', name: t('mute_hosts_all') },
                ...id && !isList(id) && !groups.some((one) => one.id === id)
                    ? [{ id, name: host }] : [],
                ...groups.map((one) => ({ id: one.id, name: t('mute_group',
                    { name: isolate(one.name) }) }))]} />
        </div>
        ${!isHost(hosts) && html`<div><${Select} id="list"
            label=${t('mute_lists')} value=${list} onChange=${set('list')}
            from=${[{ id: '', name: t('mute_lists_all') },
                ...list && !all.some((one) => one.id === list)
                    ? [{ id: list, name: list }] : [], ...all]} /></div>`}
    </div>`;
}

// id: of what a link leads here from.
function Add({ id, onDone }) {
    const { mine: { hosts, list, ...mine }, set } = useFields({
        hosts: isList(id) ? '' : id, list: isList(id) ? id : '', begin: '',
        until: '', repeat: '', minutes: '', reason: '' });
    const one = !isHost(hosts) && list;

    return html`<${Form} button=${t('mute_add')} onDone=${onDone}
        call=${() => post('mute/add.json', { ...mine,
            target: one || hosts, group: one ? hosts : '',
            begin: utcOf(mine.begin), until: utcOf(mine.until),
            minutes: mine.minutes || undefined })}>
        <${Choice} id=${id} hosts=${hosts} list=${list} set=${set} />
        <datalist id="lengths">
            ${['1h', '4h', '1d', '3d', '7d', 'never'].map((length) => html`
                <option key=${length} value=${length} />`)}
            <option value=${friday()} label=${t('day_fri')} /></datalist>
        <div class="fields">
            <div><${Field} id="begin" label=${t('mute_begins')}
                help=${t('mute_begins_help')} value=${mine.begin}
                onChange=${set('begin')} /></div>
            <div><${Field} id="until" label=${t('mute_ends')} required
                list="lengths" help=${t('mute_ends_help')} value=${mine.until}
                onChange=${set('until')} /></div>
            <div><${Field} id="repeat" label=${t('mute_repeat')}
                help=${t('mute_repeat_help')} value=${mine.repeat}
                onChange=${set('repeat')} /></div>
            <div><${Field} id="minutes" label=${t('mute_minutes')}
                type="number" min="1" max="1439" value=${mine.minutes}
                onChange=${set('minutes')} /></div>
        </div>
        <${Field} id="reason" label=${t('mute_reason')} required
            maxlength="200" value=${mine.reason} onChange=${set('reason')} />
    <//>`;
}

export function Mutes({ me, rest }) {
    const [round, setRound] = useState(0);
    const state = useLoad(mutesPath, round);
    const again = () => setRound((n) => n + 1);
    const { run, ...said } = useChange(again);
    const may = me.user.role !== 'viewer';

    return html`
        <${Answer} state=${state}>${({ data }) => html`
            <h1>${t('mutes')}</h1>
            <p>${t('mutes_text')}</p>
            <${Said} of=${said} />
            ${data.length > 0 && html`<${MuteTable} mutes=${data} run=${run}
                may=${may} />`}
            ${may && html`<h2>${t('mute_add')}</h2>
                <${Add} key=${`${rest} ${round}`} id=${rest}
                    onDone=${again} />`}`}
        <//>`;
}
