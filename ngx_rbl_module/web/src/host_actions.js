// What can be done with a host: pause, resume, change, delete.

import { useState } from 'preact/hooks';

import { post } from './api.js';
import { Said, useChange } from './change.js';
import { Delete, Field, Form, Options, Select, Turn } from './form.js';
import { html } from './html.js';
import { useLoad } from './load.js';
import { t } from './text.js';

function Change({ host, profiles, groups, onDone }) {
    const [name, setName] = useState(host.name);
    const [profile, setProfile] = useState(host.rbl_profile);
    const [chosen, setChosen] = useState(host.contact_group.split(','));

    return html`<${Form} button=${t('save')} onDone=${onDone} call=${() =>
        post(`host/update/${host.id}.json`, { name, rbl_profile: profile,
            contact_group: chosen.join(',') })}>
        <${Field} id="host-name" label=${t('name')} required maxlength="255"
            value=${name} onChange=${setName} />
        ${profiles && html`<${Select} id="host-profile" label=${t('profile')}
            value=${profile} from=${profiles.data} onChange=${setProfile} />`}
        ${groups && html`<${Options} id="host-groups"
            legend=${t('groups')} from=${groups.data} chosen=${chosen}
            onChange=${setChosen} />`}
    <//>`;
}

export function HostActions({ host, onDone }) {
    const { say, run, ...said } = useChange(onDone);
    const profiles = useLoad('rblprofiles.json?page_size=1000');
    const groups = useLoad('contactgroups.json?page_size=1000');

    function saved() {
        say(t('saved'));
        onDone();
    }

    return html`<section aria-label=${t('actions')}>
        <${Turn} path="host" id=${host.id} paused=${host.status === 'paused'}
            words=${{ pause: t('paused'), resume: t('resumed') }} run=${run} />
        ${' '}<${Delete} path="host" id=${host.id} back="hosts" run=${run}
            question=${t('delete_host', { host: host.host })} />
        <${Said} of=${said} />
        <details>
            <summary>${t('change')}</summary>
            <${Change} host=${host} profiles=${profiles.body}
                groups=${groups.body} onDone=${saved} />
        </details>
    </section>`;
}
