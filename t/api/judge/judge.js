'use strict';

/*
 * Judges answers by an OpenAPI description.  One JSON object a line comes in,
 * one goes out for each, in order; t/lib/RblJudge.pm is the other side.
 *
 *   {"do": "description"}           is it valid OpenAPI?
 *   {"do": "answer", "at": path of the description ("": none of it),
 *    "method": "get", "format": "json", "head": 0, "status": 200,
 *    "headers": {name in lower case: value}, "body": Base64, "value": 1}
 *
 * The answer: {"bad": [what is wrong], "value": the document, if asked for}.
 * XML becomes the value that JSON would have been, by the types of the schema,
 * and is then judged alike: so a value that is equal for both is the same tree.
 */

const fs = require('fs');
const readline = require('readline');
const Ajv = require('ajv/dist/2020').default;
const formats = require('ajv-formats').default;
const { SaxesParser } = require('saxes');

const file = process.argv[2];
const doc = JSON.parse(fs.readFileSync(file, 'utf8'));
const ajv = new Ajv({ strict: false, validateSchema: false, allErrors: true });
formats(ajv);
ajv.addSchema(doc, 'doc');

const types = {
    json: 'application/json; charset=utf-8',
    xml: 'application/xml; charset=utf-8',
    nagios: 'text/plain; charset=utf-8',
    zabbix: 'text/plain; charset=utf-8',
    csv: 'text/csv; charset=utf-8',
};

function resolve(node) {
    while (node && node.$ref) {
        node = node.$ref.slice(2).split('/').reduce((at, key) =>
            at[key.replace(/~1/g, '/').replace(/~0/g, '~')], doc);
    }
    return node;
}

const compiled = new Map();

function errorsOf(schema, value) {
    let validate = compiled.get(schema);
    if (!validate) {
        const absolute = JSON.parse(JSON.stringify(schema)
            .replace(/"#\//g, '"doc#/'));
        validate = ajv.compile(absolute);
        compiled.set(schema, validate);
    }
    return validate(value) ? [] : validate.errors.map((e) =>
        `${e.instancePath || 'document'} ${e.message} `
        + JSON.stringify(e.params));
}

/* Are the keys of each object in the order of the schema's properties? */

function orderOf(schema, value, where, bad) {
    schema = resolve(schema);
    if (Array.isArray(value) && schema.items) {
        value.forEach((v, i) => orderOf(schema.items, v, `${where}/${i}`, bad));
    } else if (value && typeof value === 'object' && schema.properties) {
        const keys = Object.keys(value);
        const known = Object.keys(schema.properties)
            .filter((k) => k in value);
        if (keys.join() !== known.join()) {
            bad.push(`${where}: the order is ${keys.join()}`);
        }
        known.forEach((k) => orderOf(schema.properties[k], value[k],
            `${where}/${k}`, bad));
    }
}


/* --- XML ----------------------------------------------------------------- */

function parseXml(text) {
    const root = { name: '', children: [], text: '' };
    const stack = [root];
    const parser = new SaxesParser();
    parser.on('error', (e) => { throw e; });
    parser.on('opentag', (tag) => {
        const node = { name: tag.name, children: [], text: '' };
        if (Object.keys(tag.attributes).length) {
            throw new Error(`<${tag.name}> has attributes`);
        }
        stack[stack.length - 1].children.push(node);
        stack.push(node);
    });
    parser.on('closetag', () => stack.pop());
    parser.on('text', (t) => { stack[stack.length - 1].text += t; });
    parser.on('xmldecl', (d) => {
        if (d.version !== '1.0' || !/^utf-8$/i.test(d.encoding || '')) {
            throw new Error('the XML declaration is not that of 1.0, UTF-8');
        }
        root.declared = true;
    });
    parser.write(text).close();
    if (!root.declared) {
        throw new Error('there is no XML declaration');
    }
    return root.children[0];
}

function fromXml(schema, node) {
    schema = resolve(schema) || {};
    if (schema.type === 'array' || schema.type === 'object') {
        if (node.text !== '') {
            throw new Error(`text in <${node.name}>: ${node.text}`);
        }
    } else if (node.children.length) {
        throw new Error(`elements in <${node.name}>`);
    }
    if (schema.type === 'array') {
        return node.children.map((c) => {
            if (c.name !== 'item') {
                throw new Error(`<${c.name}> among items`);
            }
            return fromXml(schema.items, c);
        });
    }
    if (schema.type === 'object') {
        const value = {};
        for (const c of node.children) {
            if (c.name in value) {
                throw new Error(`<${c.name}> twice`);
            }
            value[c.name] = fromXml((schema.properties || {})[c.name], c);
        }
        return value;
    }
    if (schema.type === 'integer' && /^(0|-?[1-9]\d*)$/.test(node.text)) {
        return Number(node.text);
    }
    if (schema.type === 'boolean' && /^(true|false)$/.test(node.text)) {
        return node.text === 'true';
    }
    return node.text;
}


/* --- answers ------------------------------------------------------------- */

function responseOf(q) {
    const item = doc.paths[q.at];
    const op = item && item[q.method];
    const code = String(q.status);
    if (!item || (!op && code === '405')) {
        return q.status >= 400 ? doc.components.responses.Refused : null;
    }
    return op ? resolve(op.responses[code]
        || (q.status >= 400 && op.responses.default)) : null;
}

function headersOf(response, q, bad) {
    for (const [name, ref] of Object.entries(response.headers || {})) {
        const header = resolve(ref);
        const value = q.headers[name.toLowerCase()];
        if (value === undefined) {
            if (header.required) {
                bad.push(`no header ${name}`);
            }
            continue;
        }
        bad.push(...errorsOf(header.schema, value)
            .map((e) => `${name}: ${e}`));
    }
}

function documentOf(schema, format, text, bad) {
    let value;
    if (format === 'json') {
        value = JSON.parse(text);
        if (JSON.stringify(value) !== text) {
            bad.push('not compact, escaped where it need not be, or a key '
                + 'twice');
        }
    } else if (format === 'xml') {
        const root = parseXml(text);
        if (root.name !== 'response') {
            bad.push(`the root is ${root.name}`);
        }
        value = fromXml(schema, root);
    } else {
        value = text;
    }
    bad.push(...errorsOf(schema, value));
    orderOf(schema, value, '', bad);
    return value;
}

function answer(q) {
    const bad = [];
    const response = responseOf(q);
    if (!response) {
        return { bad: [`${q.status} is not described`] };
    }
    headersOf(response, q, bad);
    const bytes = Buffer.from(q.body, 'base64');
    if (!response.content || q.head) {
        if (bytes.length) {
            bad.push('there is a body');
        }
        return { bad };
    }
    const type = q.headers['content-type'] || '';
    if (type !== types[q.format]) {
        bad.push(`Content-Type: ${type}`);
    }
    const content = response.content[types[q.format].split(';')[0]];
    if (!content) {
        bad.push(`${q.format} is not described`);
        return { bad };
    }
    let value;
    try {
        const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
            .decode(bytes);
        value = documentOf(content.schema, q.format, text, bad);
    } catch (e) {
        bad.push(`not well-formed: ${e.message}`);
        return { bad };
    }
    if (typeof value === 'object' && value !== null
        && value.status_code !== q.status) {
        bad.push(`status_code ${value.status_code}, HTTP ${q.status}`);
    }
    return q.value ? { bad, value } : { bad };
}

async function description() {
    const { Validator } = await import(process.env.NODE_PATH
        + '/@seriousme/openapi-schema-validator/index.js');
    const r = await new Validator().validate(file);
    const bad = r.valid ? [] : [].concat(r.errors).map((e) =>
        typeof e === 'string' ? e : `${e.instancePath} ${e.message}`);
    for (const [name, schema] of Object.entries(doc.components.schemas)) {
        for (const example of schema.examples || []) {
            bad.push(...errorsOf(schema, example).map((e) =>
                `example of ${name}: ${e}`));
        }
    }
    return { bad };
}

async function main() {
    for await (const line of readline.createInterface(process.stdin)) {
        const q = JSON.parse(line);
        const r = q.do === 'description' ? await description() : answer(q);
        if (!process.stdout.write(JSON.stringify(r) + '\n')) {
            await new Promise((go) => process.stdout.once('drain', go));
        }
    }
}

main();
