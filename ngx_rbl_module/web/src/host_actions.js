// What can be done with a host: pause, resume, change, delete.  Pausing and
// resuming can be undone for ten seconds.

import { useEffect, useState } from 'preact/hooks';

import { post } from './api.js';
import { html } from './html.js';
import { useLoad } from './load.js';
import { reason } from './parts.js';
import { t } from './text.js';

const undoFor = 10000;

function Select({ id, label, value, from, onChange }) {
    return html`
        <label for=${id}>${label}</label>
        <select id=${id} value=${value}
            onChange=${(e) => onChange(e.target.value)}>
            ${from.map(({ id: sid, name }) => html`
                <option key=${sid} value=${sid}>${name}</option>`)}
        </select>`;
}

function Change({ host, profiles, groups, run }) {
    const [name, setName] = useState(host.name);
    const [profile, setProfile] = useState(host.rbl_profile);
    const [group, setGroup] = useState(host.contact_group);

    function submit(event) {
        event.preventDefault();
        run(t('saved'), () => post(`host/update/${host.id}.json`, { name,
            rbl_profile: profile, contact_group: group }));
    }

    return html`<form onSubmit=${submit}>
        <label for="host-name">${t('name')}</label>
        <input id="host-name" required maxlength="255" value=${name}
            onInput=${(e) => setName(e.target.value)} />
        ${profiles && html`<${Select} id="host-profile" label=${t('profile')}
            value=${profile} from=${profiles.data} onChange=${setProfile} />`}
        ${groups && !group.includes(',') && html`<${Select} id="host-group"
            label=${t('group')} value=${group} from=${groups.data}
            onChange=${setGroup} />`}
        <button class="main">${t('save')}</button>
    </form>`;
}

function Delete({ host, run }) {
    const [asked, setAsked] = useState(false);

    if (!asked) {
        return html`<button onClick=${() => setAsked(true)}>
            ${t('delete')}</button>`;
    }

    return html`<p role="alert">${t('delete_host', { host: host.host })}
        <button class="danger" onClick=${() => run('', () =>
            post(`host/delete/${host.id}.json`), () => {
                location.hash = '#/hosts';
            })}>${t('delete_now')}</button>
        <button onClick=${() => setAsked(false)}>${t('cancel')}</button></p>`;
}

export function HostActions({ host, onDone }) {
    const [said, setSaid] = useState(null);
    const profiles = useLoad('rblprofiles.json?page_size=1000');
    const groups = useLoad('contactgroups.json?page_size=1000');
    const paused = host.status === 'paused';

    useEffect(() => {
        const timer = said && said.undo
            && setTimeout(() => setSaid(null), undoFor);

        return () => clearTimeout(timer);
    }, [said]);

    async function run(text, call, then) {
        try {
            await call();
            setSaid({ text });
            (then || onDone)();
        } catch (refusal) {
            setSaid({ problem: reason(refusal) });
        }
    }

    async function turn(to) {
        await run(t(`${to}d`), () => post(`host/${to}/${host.id}.json`));
        setSaid((last) => (last.problem ? last : { ...last,
            undo: to === 'pause' ? 'resume' : 'pause' }));
    }

    return html`<section aria-label=${t('actions')}>
        <button onClick=${() => turn(paused ? 'resume' : 'pause')}>
            ${t(paused ? 'resume' : 'pause')}</button>
        ${' '}<${Delete} host=${host} run=${run} />
        <p role="status">${said && said.text}
            ${said && said.undo && html`
                <button onClick=${() => turn(said.undo)}>${t('undo')}</button>`}
        </p>
        ${said && said.problem && html`
            <p class="banner" role="alert">${said.problem}</p>`}
        <details>
            <summary>${t('change')}</summary>
            <${Change} host=${host} profiles=${profiles.body}
                groups=${groups.body} run=${run} />
        </details>
    </section>`;
}
