// One profile: its name, its lists, whether it is the default.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { isolate } from '../bidi.js';
import { Said, useChange } from '../change.js';
import { Delete, Form } from '../form.js';
import { html } from '../html.js';
import { Follow, ListChoice } from '../list_choice.js';
import { PaidAnswer } from '../list_parts.js';
import { useLoad } from '../load.js';
import { Changes, Place } from '../parts.js';
import { namesIn, RecordForm, useFields } from '../record.js';
import { t } from '../text.js';

// The fields of the form.  chosen: null if the profile follows the defaults.
const fieldsOf = (profile) => ({ name: profile.name,
    chosen: profile.uses_defaults === 1 ? null : profile.entries });

const sent = ({ name, chosen }) => (chosen ? { name, entries: chosen.join(',') }
    : { name });

// A profile that has a choice of its own cannot follow the defaults again, so
// only those that still do, and new ones, are asked.
function Fields({ form: { mine, set }, profile, lists }) {
    return html`
        <label for="profile-name">${t('name')}</label>
        <input id="profile-name" required maxlength="255" autocomplete="off"
            value=${mine.name} onInput=${(e) => set('name')(e.target.value)} />
        ${profile.uses_defaults === 1 && html`
            <${Follow} value=${!mine.chosen} onChange=${(follows) =>
                set('chosen')(follows ? null : profile.entries)} />`}
        ${mine.chosen && html`<${ListChoice} lists=${lists}
            chosen=${new Set(mine.chosen)}
            onChange=${(chosen) => set('chosen')([...chosen])} />`}
        ${mine.chosen && mine.chosen.length === 0 && html`
            <p class="wrong">${t('no_choice')}</p>`}`;
}

const fresh = { name: '', uses_defaults: 1, entries: [] };

function Add({ lists }) {
    const form = useFields(fieldsOf(fresh));

    return html`<${Form} button=${t('add_profile')} invalid="refused_label"
        call=${() => post('rblprofile/add.json', sent(form.mine))}
        onDone=${({ data }) => {
            location.hash = `#/profiles/${data.id}`;
        }}><${Fields} form=${form} profile=${fresh} lists=${lists} /><//>`;
}

export function ProfileAdd({ me }) {
    const lists = useLoad('rbls.json?page_size=1000');

    return html`
        <${Place} path=${[['profiles', t('profiles')]]} />
        <${PaidAnswer} title=${t('add_profile')} state=${lists}>
            ${({ data }) => html`
                <h1>${t('add_profile')}</h1>
                ${me.user.role === 'viewer'
                    ? html`<p>${t('viewers_read')}</p>`
                    : html`<${Add} lists=${data} />`}`}
        <//>`;
}

function Change({ profile, lists, onDone }) {
    const form = useFields(fieldsOf(profile));
    const zones = lists.map(({ id, host }) => ({ id, name: host }));

    return html`<${RecordForm} form=${form} onDone=${onDone}
        path="rblprofile/${profile.id}.json" invalid="refused_label"
        of=${({ data: [now] }) => fieldsOf(now)} names=${{
            name: { label: t('name') },
            chosen: { label: t('which_lists'), show: (ids) => (ids
                ? namesIn(zones)(ids) : t('follow_defaults')) }
        }} save=${(fields) => post(`rblprofile/update/${profile.id}.json`,
            sent(fields))}>
        <${Fields} form=${form} profile=${profile} lists=${lists} /><//>`;
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
            <${Change} profile=${profile} lists=${lists} onDone=${onDone} />
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
