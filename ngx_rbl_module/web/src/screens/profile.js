// One profile: its name, its lists, whether it is the default.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { Said, useChange } from '../change.js';
import { Delete } from '../form.js';
import { html } from '../html.js';
import { Follow, ListChoice } from '../list_choice.js';
import { PaidAnswer } from '../list_parts.js';
import { useLoad } from '../load.js';
import { Changes, Place } from '../parts.js';
import { isolate, t } from '../text.js';

// A profile that has a choice of its own cannot follow the defaults again, so
// only those that still do, and new ones, are asked.
function Form({ profile, lists, button, onSubmit }) {
    const [name, setName] = useState(profile.name);
    const [follows, setFollows] = useState(profile.uses_defaults === 1);
    const [chosen, setChosen] = useState(new Set(profile.entries));

    function submit(event) {
        event.preventDefault();
        onSubmit(follows ? { name } : { name, entries: [...chosen].join(',') });
    }

    return html`<form onSubmit=${submit}>
        <label for="profile-name">${t('name')}</label>
        <input id="profile-name" required maxlength="255" autocomplete="off"
            value=${name} onInput=${(e) => setName(e.target.value)} />
        ${profile.uses_defaults === 1 && html`
            <${Follow} value=${follows} onChange=${setFollows} />`}
        ${!follows && html`<${ListChoice} lists=${lists} chosen=${chosen}
            onChange=${setChosen} />`}
        ${!follows && chosen.size === 0 && html`
            <p class="wrong">${t('no_choice')}</p>`}
        <button class="main">${button}</button>
    </form>`;
}

export function ProfileAdd({ me }) {
    const lists = useLoad('rbls.json?page_size=1000');
    const { run, ...said } = useChange(({ data }) => {
        location.hash = `#/profiles/${data.id}`;
    });
    const fresh = { name: '', uses_defaults: 1, entries: [] };

    return html`
        <${Place} path=${[['profiles', t('profiles')]]} />
        <${PaidAnswer} title=${t('add_profile')} state=${lists}>
            ${({ data }) => html`
                <h1>${t('add_profile')}</h1>
                ${me.user.role === 'viewer'
                    ? html`<p>${t('viewers_read')}</p>`
                    : html`<${Form} profile=${fresh} lists=${data}
                        button=${t('add_profile')} onSubmit=${(fields) =>
                            run('', () => post('rblprofile/add.json', fields),
                                { invalid: 'refused_label' })} />
                    <${Said} of=${said} />`}`}
        <//>`;
}

function Actions({ profile, lists, onDone }) {
    const { run, ...said } = useChange(onDone);
    const path = `rblprofile/update/${profile.id}.json`;

    return html`<section aria-label=${t('actions')}>
        ${profile.is_default === 0 && html`<button onClick=${() =>
            run(t('made_default'), () => post(path, { is_default: 1 }))}>
            ${t('make_default')}</button>${' '}`}
        <${Delete} path="rblprofile" id=${profile.id} back="profiles"
            run=${run} question=${t(profile.is_default === 1
                ? 'delete_default_profile' : 'delete_profile',
            { name: isolate(profile.name) })} />
        <${Said} of=${said} />
        <details>
            <summary>${t('change')}</summary>
            <${Form} key=${profile.uses_defaults} profile=${profile}
                lists=${lists} button=${t('save')} onSubmit=${(fields) =>
                    run(t('saved'), () => post(path, fields),
                        { invalid: 'refused_label' })} />
        </details>
    </section>`;
}

function Entries({ profile, lists }) {
    const of = new Map(lists.map((list) => [list.id, list]));
    const there = profile.entries.filter((id) => of.has(id));

    return html`
        ${there.length > 0 && html`<ul class="columns">${there.map((id) => html`
            <li key=${id}><a href="#/lists/${id}">
                <bdi>${of.get(id).host}</bdi></a></li>`)}</ul>`}
        ${there.length < profile.entries.length && html`<p>${t('gone_lists',
            { n: profile.entries.length - there.length })}</p>`}`;
}

export function Profile({ me, id }) {
    const [round, setRound] = useState(0);
    const state = useLoad(`rblprofile/${encodeURIComponent(id)}.json`, round);
    const lists = useLoad('rbls.json?page_size=1000');

    return html`
        <${Place} path=${[['profiles', t('profiles')]]} />
        <${PaidAnswer} title=${t('profile')} state=${lists}>${(all) => html`
            <${PaidAnswer} title=${t('profile')} state=${state}>
                ${({ data: [profile] }) => html`
                <h1><bdi>${profile.name}</bdi></h1>
                ${profile.is_default === 1 && html`
                    <p>${t('profile_is_default')}</p>`}
                <p>${t(profile.uses_defaults ? 'follows' : 'chosen',
                    { n: profile.total_entries })}</p>
                ${me.user.role !== 'viewer' && html`
                    <${Actions} profile=${profile} lists=${all.data}
                        onDone=${() => setRound((n) => n + 1)} />`}
                <${Entries} profile=${profile} lists=${all.data} />
                <${Changes} may=${me.user.role !== 'viewer'}
                    id=${profile.id} />`}
            <//>`}
        <//>`;
}
