// One profile: its name, its lists, whether it is the default.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { isolate } from '../bidi.js';
import { Said, useChange } from '../change.js';
import { Delete, Field, Form } from '../form.js';
import { html } from '../html.js';
import { Kind, kindOf, ListChoice, listsOf } from '../list_choice.js';
import { PaidAnswer } from '../list_parts.js';
import { useLoad } from '../load.js';
import { Changes, Place } from '../parts.js';
import { listsPath } from '../paths.js';
import { namesIn, RecordForm, useFields } from '../record.js';
import { t } from '../text.js';

// The fields of the form.  kind: of its lists (list_choice.js); except: those
// that it leaves out; chosen: those that it has.
const fieldsOf = (shown) => ({ name: shown.profile.name, kind: kindOf(shown),
    except: shown.except, chosen: shown.profile.entries });

const save = (does, { name, kind, except, chosen }) => (kind === 'chosen'
    ? post(`rblprofile/${does}.json`, { name, entries: chosen.join(',') })
    : post(`profile/${does}.json`, { name,
        except: kind === 'except' ? except.join(',') : '' }));

// Only system lists can be left out.
function Fields({ form: { mine, set }, lists }) {
    return html`
        <${Field} id="profile-name" label=${t('name')} required maxlength="255"
            value=${mine.name} onChange=${set('name')} />
        <${Kind} value=${mine.kind} onChange=${set('kind')} />
        ${mine.kind === 'except' && html`<${ListChoice} key="except"
            lists=${lists.filter(({ custom }) => custom === 0)}
            chosen=${new Set(mine.except)} legend="left_out"
            onChange=${(ids) => set('except')([...ids])} />`}
        ${mine.kind === 'chosen' && html`<${ListChoice} key="chosen"
            lists=${lists} chosen=${new Set(mine.chosen)}
            onChange=${(ids) => set('chosen')([...ids])} />`}
        ${mine.kind === 'chosen' && mine.chosen.length === 0 && html`
            <p class="wrong">${t('no_choice')}</p>`}`;
}

const fresh = { profile: { name: '', uses_defaults: 1, entries: [] },
    except: [] };

function Add({ lists }) {
    const form = useFields(fieldsOf(fresh));

    return html`<${Form} button=${t('add_profile')} invalid="refused_label"
        call=${() => save('add', form.mine)}
        onDone=${({ data }) => {
            location.hash = `#/profiles/${(data.profile || data).id}`;
        }}><${Fields} form=${form} lists=${lists} /><//>`;
}

export function ProfileAdd({ me }) {
    const lists = useLoad(listsPath);

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

function Change({ shown, lists, onDone }) {
    const form = useFields(fieldsOf(shown));
    const { id } = shown.profile;
    const zones = namesIn(lists.map(({ id: list, host }) => ({ id: list,
        name: host })));

    return html`<${RecordForm} form=${form} onDone=${onDone}
        path="profile/${id}.json" invalid="refused_label"
        of=${({ data }) => fieldsOf(data)} names=${{
            name: { label: t('name') },
            kind: { label: t('which_lists'),
                show: (kind) => t(`profile_kind_${kind}`) },
            except: { label: t('except'), show: zones },
            chosen: { label: t('lists'), show: zones }
        }} save=${(fields) => save(`update/${id}`, fields)}>
        <${Fields} form=${form} lists=${lists} /><//>`;
}

function Actions({ shown, lists, onDone }) {
    const { profile } = shown;
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
            <${Change} shown=${shown} lists=${lists} onDone=${onDone} />
        </details>
    </section>`;
}

function Entries({ ids, lists }) {
    const of = new Map(lists.map((list) => [list.id, list]));
    const there = ids.filter((id) => of.has(id));

    return html`
        ${there.length > 0 && html`<ul class="columns">${there.map((id) => html`
            <li key=${id}><a href="#/lists/${id}">
                <bdi>${of.get(id).host}</bdi></a></li>`)}</ul>`}
        ${there.length < ids.length && html`<p>${t('gone_lists',
            { n: ids.length - there.length })}</p>`}`;
}

const Except = ({ ids, lists }) => ids.length > 0 && html`
    <h2>${t('left_out', { n: ids.length })}</h2>
    <${Entries} ids=${ids} lists=${lists} />
    <h2>${t('lists')}</h2>`;

export function Profile({ me, id }) {
    const [round, setRound] = useState(0);
    const state = useLoad(`profile/${encodeURIComponent(id)}.json`, round);
    const lists = useLoad(listsPath);

    return html`
        <${Place} path=${[['profiles', t('profiles')]]} />
        <${PaidAnswer} title=${t('profile')} state=${lists}>${(all) => html`
            <${PaidAnswer} title=${t('profile')} state=${state}>
                ${({ data: { profile, except } }) => html`
                <h1><bdi>${profile.name}</bdi></h1>
                ${profile.is_default === 1 && html`
                    <p>${t('profile_is_default')}</p>`}
                <p>${listsOf({ profile, except })}</p>
                ${me.user.role !== 'viewer' && html`
                    <${Actions} shown=${{ profile, except }} lists=${all.data}
                        onDone=${() => setRound((n) => n + 1)} />`}
                <${Except} ids=${except} lists=${all.data} />
                <${Entries} ids=${profile.entries} lists=${all.data} />
                <${Changes} may=${me.user.role !== 'viewer'}
                    id=${profile.id} />`}
            <//>`}
        <//>`;
}
