// What can be done with a host: pause, resume, change, delete, and what the
// screen has besides.

import { post } from './api.js';
import { Said, useChange } from './change.js';
import { Delete, Field, Options, Select, Turn } from './form.js';
import { html } from './html.js';
import { groupsOf } from './parts.js';
import { namesIn, RecordForm, useFields } from './record.js';
import { t } from './text.js';

const fieldsOf = (host) => ({ name: host.name, profile: host.rbl_profile,
    groups: groupsOf(host) });

function Change({ host, profiles = [], groups = [], onDone }) {
    const form = useFields(fieldsOf(host));
    const { mine, set } = form;
    const names = { name: { label: t('name') },
        profile: { label: t('profile'), show: namesIn(profiles) },
        groups: { label: t('groups'), show: namesIn(groups) } };

    return html`<${RecordForm} form=${form} path="host/${host.id}.json"
        of=${({ data: [now] }) => fieldsOf(now)} names=${names}
        onDone=${onDone} save=${({ name, profile, groups: chosen }) =>
            post(`host/update/${host.id}.json`, { name, rbl_profile: profile,
                contact_group: chosen.join(',') })}>
        <${Field} id="host-name" label=${t('name')} required maxlength="255"
            value=${mine.name} onChange=${set('name')} />
        ${profiles.length > 0 && html`<${Select} id="host-profile"
            label=${t('profile')} value=${mine.profile} from=${profiles}
            onChange=${set('profile')} />`}
        ${groups.length > 0 && html`<${Options} id="host-groups"
            legend=${t('groups')} from=${groups} chosen=${mine.groups}
            onChange=${set('groups')} />`}
    <//>`;
}

// profiles, groups: once they are known.
export function HostActions({ host, profiles, groups, onDone, children }) {
    const { run, ...said } = useChange(onDone);

    return html`<section class="acts" aria-label=${t('actions')}>
        ${children}
        <${Turn} path="host" id=${host.id} paused=${host.status === 'paused'}
            words=${{ pause: t('paused'), resume: t('resumed') }} run=${run} />
        <${Delete} path="host" id=${host.id} name=${host.host} back="hosts" />
        <${Said} of=${said} />
        <details>
            <summary>${t('change')}</summary>
            <${Change} host=${host} onDone=${onDone} profiles=${profiles}
                groups=${groups} />
        </details>
    </section>`;
}
