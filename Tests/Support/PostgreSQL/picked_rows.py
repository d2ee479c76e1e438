"""The rule for a DELETE or an UPDATE that picks its rows by a subquery, for sql_texts.py.

On a server with several writers such a statement waits for a flow that renews a picked row. Then
PostgreSQL looks at the new version of the row, by the conditions outside of the subquery only
(READ COMMITTED, documentation of PostgreSQL 15, 13.2.1). Without a condition there it deletes a row
that was renewed.
"""

import re

# Statements that break the rule, by their beginning, and why each is right all the same.
EXCEPTIONS = {
    "DELETE FROM deletions WHERE step = 0 AND source = ? AND NOT EXISTS":
        "settles a restored copy: nothing else uses the store before the service has started",
}


def unrepeated(sql):
    """What a statement lacks, each as a text.

    The condition of each subquery that reads the same table stands outside too, word for word:

    >>> pick = "SELECT k FROM t WHERE x < ?1 AND y = ?3 ORDER BY x LIMIT ?2"
    >>> unrepeated(f"DELETE FROM t WHERE k IN ({pick}) AND y = ?3 AND x < ?1")
    []
    >>> unrepeated(f"DELETE FROM t WHERE k IN ({pick}) AND y = ?3")
    ['repeat x < ?1 outside of the subquery']
    >>> unrepeated("UPDATE t SET a = 1 WHERE k IN (SELECT k FROM (SELECT k, x FROM t LIMIT 9) AS o"
    ...     " WHERE x < ?)")
    ['repeat x < ? outside of the subquery']

    Without a condition inside there is another one outside. What is set picks no rows:

    >>> unrepeated("DELETE FROM t WHERE k = (SELECT min(k) FROM t) RETURNING k")
    ['add a condition that shows whether the row is still to be picked']
    >>> unrepeated("DELETE FROM t WHERE k = (SELECT min(k) FROM t) AND x IS NULL")
    []
    >>> unrepeated("UPDATE t SET a = (SELECT b FROM u WHERE u.k = ?1) WHERE k = ?1")
    []

    Rows of another table cannot be looked at again by a condition:

    >>> unrepeated("DELETE FROM t WHERE k IN (SELECT k FROM u WHERE x < ?1) AND k > 0")
    ['picks rows of t by another table: read, lock, read again, and delete by key']
    """
    verb = re.match(r"(?:DELETE FROM|UPDATE) (\w+) ", sql)
    if not verb:
        return []
    outside = conjuncts(clause(sql, "WHERE"))
    picks = [condition for condition in outside if list(selects(condition))]
    missing = []
    for pick in picks:
        levels = list(selects(pick))
        if not any(re.search(rf"\bFROM {verb[1]}\b", flattened(level)) for level in levels):
            missing.append(
                f"picks rows of {verb[1]} by another table: read, lock, read again, and delete by "
                "key")
            continue
        inside = [c for level in levels for c in conjuncts(clause(level, "WHERE"))]
        missing += [
            f"repeat {c} outside of the subquery" for c in inside if c not in outside]
        if not inside and len(outside) == len(picks):
            missing.append("add a condition that shows whether the row is still to be picked")
    return missing


def findings(statements):
    """The findings of all statements, and exceptions that no statement needs any more."""
    used = set()
    for (_, sql), literal in statements.items():
        if missing := unrepeated(sql):
            if reasons := [begin for begin in EXCEPTIONS if sql.startswith(begin)]:
                used.update(reasons)
            else:
                yield from (f"{literal.place}: {text}" for text in missing)
    yield from (f"picked_rows.py: no statement begins so: {b}" for b in EXCEPTIONS.keys() - used)


def clause(sql, word):
    """The text of a statement's own clause, not of one in its subqueries; "" if it has none."""
    ends = r"\b(?:WHERE|GROUP BY|HAVING|ORDER BY|LIMIT|OFFSET|RETURNING)\b"
    found = re.search(rf"\b{word}\b(.*?)(?:{ends}|$)", flattened(sql))
    return sql[found.start(1) : found.end(1)].strip() if found else ""


def flattened(sql):
    """A statement with spaces for what stands in parentheses and in literals."""
    text, depth = list(sql), 0
    for at, character in enumerate(re.sub(r"'[^']*'", lambda f: "~" * len(f[0]), sql)):
        depth -= character == ")"
        if depth or character == "~":
            text[at] = " "
        depth += character == "("
    return "".join(text)


def conjuncts(condition):
    """The conditions that AND joins."""
    flat, found, start = flattened(condition), [], 0
    for joint in re.finditer(r"\bAND\b|$", flat):
        found.append(condition[start : joint.start()].strip())
        start = joint.end()
    return [part for part in found if part]


def selects(text):
    """The subqueries in a text, and those in them, without their parentheses."""
    start, depth = 0, 0
    for at, character in enumerate(text):
        if character == "(":
            start, depth = (at + 1, 1) if depth == 0 else (start, depth + 1)
        elif character == ")":
            depth -= 1
            if depth == 0:
                inner = text[start:at].strip()
                if inner.startswith("SELECT "):
                    yield inner
                yield from selects(inner)
