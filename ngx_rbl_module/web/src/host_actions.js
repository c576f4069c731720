// What can be done with a host: pause, resume, change, delete.

import { post } from './api.js';
import { Said, useChange } from './change.js';
import { Delete, Field, Options, Select, Turn } from './form.js';
import { html } from './html.js';
import { useLoad } from './load.js';
import { namesIn, RecordForm, useFields } from './record.js';
import { t } from './text.js';

const fieldsOf = (host) => ({ name: host.name, profile: host.rbl_profile,
    groups: host.contact_group.split(',') });

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

export function HostActions({ host, onDone }) {
    const { run, ...said } = useChange(onDone);
    const profiles = useLoad('rblprofiles.json?page_size=1000');
    const groups = useLoad('contactgroups.json?page_size=1000');

    return html`<section aria-label=${t('actions')}>
        <${Turn} path="host" id=${host.id} paused=${host.status === 'paused'}
            words=${{ pause: t('paused'), resume: t('resumed') }} run=${run} />
        ${' '}<${Delete} path="host" id=${host.id} name=${host.host}
            back="hosts" />
        <${Said} of=${said} />
        <details>
            <summary>${t('change')}</summary>
            <${Change} host=${host} onDone=${onDone}
                profiles=${profiles.body && profiles.body.data}
                groups=${groups.body && groups.body.data} />
        </details>
    </section>`;
}
