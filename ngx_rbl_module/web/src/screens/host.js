// One host: what to do about its listings, when lists listed it, which lists
// gave no answer and why, who is notified; a check on demand.

import { useEffect, useState } from 'preact/hooks';

import { CheckNow } from '../check_now.js';
import { now } from '../clock.js';
import { HostActions } from '../host_actions.js';
import { OtherLists } from '../host_lists.js';
import { html } from '../html.js';
import { lazy } from '../lazy.js';
import { useLoad } from '../load.js';
import { Muted } from '../mute_parts.js';
import { Answer, Changes, groupsOf, NameLink, Place, State, stateOf, uncovered,
    When } from '../parts.js';
import { groupsPath, netOf, profilesPath } from '../paths.js';
import { date, t } from '../text.js';
import { daysOf, Timeline } from '../timeline.js';
import { Alerts } from '../host_alerts.js';

const Cards = lazy(() => import('../card.js'), 'Cards', 'cards');
const slow = 60000;             // ms

function Next({ at }) {
    return at && date(at) < now() ? t('due') : html`<${When} text=${at} />`;
}

function Facts({ host, profile }) {
    return html`<dl class="facts">
        ${host.name !== host.host && html`<div><dt>${t('name')}</dt>
            <dd><bdi>${host.name}</bdi></dd></div>`}
        <${Alerts} id=${host.id} />
        ${profile && html`<div><dt>${t('profile')}</dt><dd>
            <${NameLink} to="profiles/${profile.id}" name=${profile.name} />
        </dd></div>`}
        <div><dt>${t('checked')}</dt>
            <dd><${When} text=${host.last_checked} /></dd></div>
        ${host.reason === 'plan expired' ? html`
            <div><dt>${t('stopped_since')}</dt>
                <dd><${When} text=${host.not_checked_since} /></dd></div>`
            : html`<div><dt>${t('next_check')}</dt>
                <dd><${Next} at=${host.next_check} /></dd></div>`}
        ${host.flapping_since && html`<div><dt>${t('flapping_since')}</dt>
            <dd><${When} text=${host.flapping_since} /></dd></div>`}
    </dl>`;
}

function Actions({ host, onDone, ...records }) {
    return html`<${HostActions} host=${host} onDone=${onDone} ...${records}>
        <${CheckNow} id=${host.id} onDone=${onDone} />
        <a class="button" href="#/mutes/${host.id}">${t('mute_this')}</a>
    <//>`;
}

export function Host({ me, rest: id, query }) {
    const [round, setRound] = useState(0);
    const path = encodeURIComponent(id);
    const lists = useLoad(`host/lists/${path}.json`, round);
    const history = useLoad(`host/history/${path}.json`, round);
    const profiles = useLoad(profilesPath, 0, slow).body;
    const groups = useLoad(groupsPath, 0, slow).body;
    const again = () => setRound((n) => n + 1);
    const may = me.user.role !== 'viewer';
    const range = lists.body && lists.body.data.host.type === 'ip_range'
        && lists.body.data.host.host;

    // A range has a screen of its own.
    useEffect(() => {
        if (range) {
            location.replace(`#/range/${range}`);
        }
    }, [range]);

    return html`<${Answer} state=${lists}>${({ data }) => html`
        <${Place} path=${[['hosts', t('hosts')], ...data.host.type === 'rbl'
            ? [[`range/${netOf(data.host.host)}`, netOf(data.host.host)]]
            : []]} />
        <h1><bdi>${data.host.host}</bdi>
            <${State} name=${stateOf(data.host)} /></h1>
        ${data.host.covered === '0' && html`
            <p>${uncovered(data.host.reason)}</p>`}
        <${Facts} host=${data.host} profile=${profiles && profiles.data
            .find((one) => one.id === data.host.rbl_profile)} />
        <${Muted} ids=${[data.host.id, data.host.parent,
            ...groupsOf(data.host)]} id=${data.host.id} />
        ${may && html`<${Actions} host=${data.host} onDone=${again}
            profiles=${profiles && profiles.data}
            groups=${groups && groups.data} />`}
        ${data.lists.some(({ card }) => card) && html`
            <${Cards} lists=${data.lists} host=${data.host.id} may=${may}
                groups=${data.host.contact_group.split(',')}
                onDone=${again} />`}
        <${Answer} state=${history}>${(body) => html`
            <${Timeline} changes=${body.data} now=${now()}
                names=${new Map(data.lists.map((one) => [one.id, one.name]))}
                at=${`host/${id}`} days=${daysOf(query)} />`}<//>
        <${OtherLists} lists=${data.lists} />
        <${Changes} may=${may} id=${data.host.id} />`}
    <//>`;
}
