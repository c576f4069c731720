"""A mail as Python's email package reads it.

Reads a mail and writes JSON: {type, defects, headers, parts: [{type, charset,
encoding, text}], html: {text, links, tags, faults}}.  The HTML is read by
Python's parser: faults are tags that are not closed, and whatever would fetch
or run something.
"""

import email
import email.policy
import json
import sys
from html.parser import HTMLParser

VOID = {'meta', 'br', 'link', 'img', 'input', 'hr'}
ALLOWED = {'html', 'head', 'meta', 'title', 'style', 'body', 'table', 'tr', 'td',
           'h1', 'h2', 'p', 'div', 'span', 'strong', 'a', 'br'}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.links, self.faults = [], [], []
        self.tags, self.text, self.sheet = {}, [], ''

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if tag not in ALLOWED:
            self.faults.append('tag ' + tag)
        for name, value in attrs:
            if name == 'href':
                self.links.append(value)
            elif name not in ('style', 'class', 'role', 'width', 'align',
                              'cellpadding', 'cellspacing', 'lang', 'charset',
                              'name', 'content'):
                self.faults.append('attribute ' + name)
            if name == 'style' and ('url' in value or 'expression' in value):
                self.faults.append('style ' + value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append('end of ' + tag)

    def handle_data(self, data):
        if 'style' in self.open:
            self.sheet += data
        elif 'title' not in self.open:
            self.text.append(data)

    def handle_comment(self, data):
        self.faults.append('comment')


def read_page(text):
    page = Page()
    page.feed(text)
    page.close()
    faults = page.faults + ['open ' + tag for tag in page.open]
    if 'url(' in page.sheet or '@import' in page.sheet:
        faults.append('the sheet fetches')
    return {'text': ' '.join(' '.join(page.text).split()),
            'links': page.links, 'tags': page.tags, 'faults': faults}


mail = email.message_from_bytes(sys.stdin.buffer.read(),
                                policy=email.policy.default)
result = {'type': mail.get_content_type(), 'parts': [], 'html': None,
          'defects': [str(d) for d in mail.defects],
          'headers': {k.lower(): str(v) for k, v in mail.items()}}
for part in mail.walk():
    result['defects'] += [str(d) for d in part.defects]
    if part.is_multipart():
        continue
    result['parts'].append({
        'type': part.get_content_type(), 'charset': part.get_content_charset(),
        'encoding': part['content-transfer-encoding'],
        'text': part.get_content()})
    if part.get_content_type() == 'text/html':
        result['html'] = read_page(part.get_content())
json.dump(result, sys.stdout)
