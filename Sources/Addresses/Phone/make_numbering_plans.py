"""Writes the numbering plans of all calling codes, from the metadata of Google's libphonenumber:
Sources/Addresses/Generated/NumberingPlanTable.swift, and the examples of its tests. Run it with a
newer version of the PyPI package `phonenumbers`, which has the metadata of the libphonenumber of
the same version, and commit both files:

    python3 -m venv venv && venv/bin/pip install phonenumbers
    venv/bin/python Sources/Addresses/Phone/make_numbering_plans.py

Needs Python 3.11 to 3.13, whose parser of regular expressions it uses.
"""

import collections
import pathlib
import random
import re
from re import _constants as op, _parser as parser

import phonenumbers
from phonenumbers import PhoneMetadata

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Numbers to which no code is sent. No text message can reach a voicemail's number.
REFUSED = ("premium_rate", "shared_cost", "voicemail")
# Numbers that can be a person's. Freephone numbers are left out: some begin with the digit that is
# a trunk prefix elsewhere in their plan, and behind a country code few of them can be called.
PERSONAL = ("fixed_line", "mobile", "voip", "personal_number", "pager", "uan")

ANY = frozenset(range(10))
# E.164, 6: digits with the country code.
DIGITS_MAX = 15


def plans():
    """Yields each calling code with the metadata of its regions, by their names."""
    PhoneMetadata.load_all()
    for code, regions in sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE.items()):
        if regions == ("001",):
            yield code, {"--": PhoneMetadata.metadata_for_nongeo_region(code)}
        else:
            yield code, {r: PhoneMetadata.metadata_for_region(r) for r in regions}


def numbers(pattern):
    """All numbers that a regular expression matches, each as one set of digits a place."""
    if not pattern:
        return set()
    return set(expanded(parser.parse(pattern)))


def expanded(tree):
    results = [()]
    for kind, value in tree:
        if kind is op.LITERAL:
            parts = [(frozenset([int(chr(value))]),)]
        elif kind is op.IN:
            parts = [(frozenset(digit for item in value for digit in digits(item)),)]
        elif kind is op.BRANCH:
            parts = [part for branch in value[1] for part in expanded(branch)]
        elif kind is op.SUBPATTERN:
            parts = expanded(value[-1])
        elif kind is op.MAX_REPEAT:
            parts = repeated(value)
        else:
            raise ValueError(f"{kind} in a pattern")
        results = [result + part for result in results for part in parts]
    return results


def digits(item):
    kind, value = item
    if kind is op.LITERAL:
        return [int(chr(value))]
    if kind is op.RANGE:
        return range(int(chr(value[0])), int(chr(value[1])) + 1)
    if item == (op.CATEGORY, op.CATEGORY_DIGIT):
        return ANY
    raise ValueError(f"{item} in a class")


def repeated(value):
    fewest, most, tree = value
    once, parts, current = expanded(tree), [], [()]
    for count in range(most + 1):
        if count >= fewest:
            parts += current
        current = [front + back for front in current for back in once]
    return parts


def patterns(metadata, kinds):
    """The numbers of these kinds in all regions of a calling code."""
    found = set()
    for region in metadata.values():
        for kind in kinds:
            description = getattr(region, kind)
            found |= numbers(description and description.national_number_pattern)
    return found


def lengths(code, metadata):
    """How many digits the national numbers of a calling code have."""
    found = {n for region in metadata.values() for n in region.general_desc.possible_length}
    return {n for n in found if n > 0 and n + len(str(code)) <= DIGITS_MAX}


def trunk_prefixes(code, metadata):
    """The prefixes of calls within the country with which no person's number begins, unless the
    number is too short to have one. Empty for a plan without (Italy)."""
    found = set()
    for region in metadata.values():
        if region.national_prefix:
            found.add(region.national_prefix)
        # Former and alternative ones: "[08]", "0|80?". Those with groups insert or replace digits.
        parsing = region.national_prefix_for_parsing or ""
        if "(" not in parsing:
            found |= {
                "".join(str(*place) for place in number)
                for one in numbers(parsing) for number in concrete(one)
            }
    possible = lengths(code, metadata)
    personal = patterns(metadata, PERSONAL)
    return sorted(
        prefix for prefix in found
        if not any(
            len(number) - len(prefix) in possible
            and all(int(digit) in place for digit, place in zip(prefix, number))
            for number in personal))


def concrete(number):
    results = [()]
    for place in number:
        results = [result + (frozenset([digit]),) for result in results for digit in sorted(place)]
    return results


def refused(code, metadata):
    """Leading digits of refused numbers, by the lengths of these numbers."""
    found = collections.defaultdict(set)
    for number in patterns(metadata, REFUSED):
        if len(number) + len(str(code)) <= DIGITS_MAX:
            found[leading(number)].add(len(number))
    groups = collections.defaultdict(list)
    for prefix, counts in found.items():
        groups[ranges(counts)].append(prefix)
    return {counts: sorted(prefixes) for counts, prefixes in sorted(groups.items())}


def leading(number):
    """`137[7-9]`: the digits before those that may be any. A dot is any digit."""
    places = list(number)
    while places and places[-1] == ANY:
        places.pop()
    return "".join(written(place) for place in places)


def written(place):
    if place == ANY:
        return "."
    if len(place) == 1:
        return str(*place)
    return "[" + "".join(str(digit) for digit in sorted(place)) + "]"


def ranges(counts):
    """`4-6,9`"""
    parts = []
    for count in sorted(counts):
        if parts and parts[-1][1] == count - 1:
            parts[-1][1] = count
        else:
            parts.append([count, count])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in parts)


NOTICE = f"""\
// Generated by Sources/Addresses/Phone/make_numbering_plans.py. Do not edit.
//
// From the metadata of libphonenumber {phonenumbers.__version__}, in another form and shortened:
//
// Copyright (C) 2010-2026 The Libphonenumber Authors
//
// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
// in compliance with the License. You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// (in this checkout: Sources/Addresses/Phone/libphonenumber-LICENSE.txt)
//
// Unless required by applicable law or agreed to in writing, software distributed under the License
// is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
// or implied. See the License for the specific language governing permissions and limitations under
// the License.
"""


def table():
    shapes, kinds = [], []
    for code, metadata in plans():
        prefixes = ",".join(trunk_prefixes(code, metadata)) or "-"
        shapes.append(f"{code} {ranges(lengths(code, metadata))} {prefixes}")
        for counts, leads in refused(code, metadata).items():
            row = f"{code} {counts}"
            for lead in leads:
                if len(row) + 1 + len(lead) > 90:
                    kinds.append(row)
                    row = f"{code} {counts}"
                row += f" {lead}"
            kinds.append(row)
    return f"""{NOTICE}
/// The tables of `NumberingPlan`.
enum NumberingPlanTable {{
    /// A calling code, the possible numbers of digits after it, and its trunk prefixes, or "-".
    static let plans = \"\"\"
{indented(shapes)}
        \"\"\"

    /// Premium-rate, shared-cost and voicemail numbers: a calling code, the numbers of digits after
    /// it, and the first of these digits. A dot is any digit.
    static let refused = \"\"\"
{indented(kinds)}
        \"\"\"
}}
"""


def examples():
    """Examples of libphonenumber, which it chose apart from its patterns."""
    rows = []
    for code, metadata in plans():
        for region, data in sorted(metadata.items()):
            own = next((e for e in map(example, [data.mobile, data.fixed_line, data.voip, data.uan,
                                                 data.toll_free]) if e), "-")
            others = [example(getattr(data, kind)) for kind in REFUSED]
            trunk = data.national_prefix or "-"
            rows.append(" ".join([region, str(code), trunk, own] + [o for o in others if o]))
    return f"""{NOTICE}
/// Examples of numbers.
enum NumberingPlanExamples {{
    /// A region, its calling code, its trunk prefix or "-", a national number that gets codes (of a
    /// mobile phone, where the region has some) or "-", and national numbers that get none.
    static let lines = \"\"\"
{indented(rows)}
        \"\"\"
}}
"""


def example(description):
    return description and description.example_number


def indented(rows):
    return "\n".join("        " + row for row in rows)


def check():
    """No number that libphonenumber takes for a mobile phone's is refused by the table."""
    draw = random.Random(1)
    for code, metadata in plans():
        rules = [(counts, re.compile(lead)) for counts, leads in refused(code, metadata).items()
                 for lead in leads]
        prefixes = tuple(trunk_prefixes(code, metadata))
        for number in patterns(metadata, ["mobile"]):
            for _ in range(20):
                text = "".join(str(draw.choice(sorted(place))) for place in number)
                assert not any(
                    ranges([len(text)]) == counts and lead.match(text) for counts, lead in rules)
                assert not prefixes or not text.startswith(prefixes) or not any(
                    len(text) - len(p) in lengths(code, metadata) for p in prefixes)


if __name__ == "__main__":
    check()
    sources, tests = ROOT / "Sources/Addresses/Generated", ROOT / "Tests/AddressesTests/Generated"
    for path, text in [
        (sources / "NumberingPlanTable.swift", table()),
        (tests / "NumberingPlanExamples.swift", examples()),
    ]:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
