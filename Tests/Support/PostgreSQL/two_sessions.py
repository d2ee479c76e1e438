#!/usr/bin/env python3
"""Runs each purge of Sources on PostgreSQL 15 while another session renews the row that it picked.

Session A renews an expired row and does not commit yet; session B purges and waits for A; A commits.
The row stays. The same purge without the condition outside of its subquery deletes it, which shows
that the two sessions met.

Prints each purge that does otherwise, then the number of purges; exits with 1 if there are
findings. Needs Debian's packages python3 and postgresql-15.
"""

import re
import subprocess
import sys
import time

from sql_texts import numbered, schema_files, server, translated
from swift_sql import collect

# A statement that deletes expired rows: `?1` is the moment, `?2` the number of rows.
PURGE = re.compile(
    r"DELETE FROM (?P<table>\w+) WHERE (?P<key>\w+) IN \(.*\) AND (?P<expiry>\w+) < \?1"
    r"(?: RETURNING .*)?")
EXPIRED, NOW, RENEWED = 1_000, 2_000, 3_000
VALUES = {"bigint": EXPIRED, "text": "'text'", "bytea": "'bytes'", "double precision": "0"}
SECONDS_MAX = 20
# The values of a row are any of the right type. Below 16,384 is what PostgreSQL has itself.
WITHOUT_CHECKS = """
    DO $block$ DECLARE it record; BEGIN
        FOR it IN SELECT conrelid::regclass AS place, conname FROM pg_constraint
            WHERE contype = 'c' AND conrelid >= 16384
        LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', it.place, it.conname); END LOOP;
    END $block$"""


class Session:
    """A connection. One statement at a time."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, bufsize=1)

    def start(self, sql):
        self.process.stdin.write(f"{sql};\n\\echo @\n")

    def finish(self):
        """What the statement printed."""
        lines = []
        while (line := self.process.stdout.readline()) not in ("@\n", ""):
            lines.append(line.rstrip("\n"))
        return lines

    def run(self, sql):
        self.start(sql)
        return self.finish()


def make_row(session, table, key, expiry):
    """Makes an expired row; returns the condition that finds it."""
    columns = session.run(
        "SELECT column_name, data_type FROM information_schema.columns "
        f"WHERE table_schema = current_schema AND table_name = '{table}' "
        "AND is_nullable = 'NO' AND column_default IS NULL")
    values = dict(column.split("|") for column in columns)
    values = {name: VALUES[kind] for name, kind in values.items()}
    values |= {key: 1, expiry: EXPIRED}
    if said := session.run(
        f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join(map(str, values.values()))})"
    ):
        raise SystemExit(f"{table}: {said}")
    return f"{key} = 1"


def is_kept(a, b, found, purge):
    """Whether the row is there after a purge that met its renewal."""
    table, key, expiry = found["table"], found["key"], found["expiry"]
    a.run(f"DELETE FROM {table}")
    row = make_row(a, table, key, expiry)
    a.run("BEGIN")
    a.run(f"UPDATE {table} SET {expiry} = {RENEWED} WHERE {row}")
    b.start(numbered(purge).replace("$1", str(NOW)).replace("$2", "10"))
    end = time.monotonic() + SECONDS_MAX
    while a.run("SELECT count(*) FROM pg_locks WHERE NOT granted") == ["0"]:
        if time.monotonic() > end:
            raise SystemExit(f"{table}: the purge does not wait for the renewal")
        time.sleep(0.002)
    a.run("COMMIT")
    b.finish()
    return a.run(f"SELECT count(*) FROM {table} WHERE {row}") == ["1"]


def main():
    statements, _, findings = collect()
    schemas = schema_files()
    purges = {}
    for (module, sql), literal in statements.items():
        if found := PURGE.fullmatch(sql):
            has_table = re.compile(rf"CREATE TABLE {found['table']} \(")
            homes = [m for m in schemas if has_table.search(schemas[m]) and module in (m, "Storage")]
            if homes:
                purges[sql] = (found, homes[0], literal)
            else:
                findings.append(f"{literal.place}: no schema.sql has the table {found['table']}")
    with server() as command:
        a, b = Session(command), Session(command)
        for module, ddl in schemas.items():
            ddl = re.sub(r" REFERENCES [^,\n]*", "", translated(ddl))
            a.run(f'CREATE SCHEMA "{module}"; SET search_path = "{module}"; {ddl}')
        a.run(WITHOUT_CHECKS)
        for sql, (found, module, literal) in purges.items():
            for session in (a, b):
                session.run(f'SET search_path = "{module}"')
            former = sql.replace(f" AND {found['expiry']} < ?1", "")
            if not is_kept(a, b, found, sql):
                findings.append(f"{literal.place}: deletes a renewed row of {found['table']}")
            if is_kept(a, b, found, former):
                findings.append(f"{literal.place}: {found['table']} stays without the condition too")
        for session in (a, b):
            session.process.stdin.close()
            session.process.wait()
    for finding in findings:
        print(finding)
    print(f"{len(purges)} purges")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
