"""Collects the SQL texts of Sources for sql_texts.py.

A text is a string literal of Swift that begins with a word of SQL. What is interpolated is resolved
from declarations: constants, the loop around the literal, and the arguments of the calls of the
function around it.
"""

import itertools
import pathlib
import re

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
SOURCES = CHECKOUT / "Sources"
# Pragmas, savepoints and SQLite's own tables are in this folder only, and are not collected.
SQLITE_ONLY = SOURCES / "Storage/SQLite"
# Modules whose tables are in the schema.sql of another one: identity's four have one store.
STORES = dict.fromkeys(["PersonalData", "AccountLife", "IdentityAssembly"], "IdentityService")

STATEMENT = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH|VALUES|PRAGMA)\s")
# Or one that ends with a semicolon.
MIGRATION = re.compile(r"\s*(CREATE|ALTER|DROP)\s")
CALL = re.compile(r"\b(?:query|queryOne|execute|put)\(\s*")
TYPE = re.compile(r"^( *)(?:[a-z]+ )*(?:struct|enum|class|extension|actor) ([\w.]+)", re.M)
FUNCTION = re.compile(r"\b(?:func (\w+)(?:<[^>]*>)?|(?<!\.)init)\(")
PARAMETER = re.compile(r"(\w+)(?: (\w+))?: String\b")


class Unresolved(Exception):
    """An interpolation whose value this script cannot find."""


class Literal:
    """A string literal. `parts` alternates between text and a tuple with an interpolated
    expression; `start` is its first quote."""

    def __init__(self, file, start, parts):
        self.file, self.start, self.parts = file, start, parts
        self.place = file.place(start)
        begins, ends = STATEMENT.match(parts[0]), str(parts[-1]).rstrip().endswith(";")
        self.is_statement = bool(begins) and not ends
        self.is_migration = bool(begins) and ends or bool(MIGRATION.match(parts[0]))
        self.names = {part[0] for part in parts if isinstance(part, tuple)}


class File:
    """A Swift file: the module that has its tables, its text, its literals by their start, and its
    code: the text with spaces for comments and for all of a literal but its first quote."""

    def __init__(self, path):
        self.path, self.text, self.literals = path, path.read_text(), {}
        module = path.relative_to(SOURCES).parts[0]
        self.module = STORES.get(module, module)
        code, at = list(self.text), 0
        opening = re.compile(r'//[^\n]*|/\*.*?\*/|#*"', re.S)
        while match := opening.search(self.text, at):
            start, at = match.span()
            if match[0].endswith('"') and not match[0].startswith("/"):
                start = at - 1
                at, parts = self.parts(start, hashes="#" * (len(match[0]) - 1))
                self.literals[start] = Literal(self, start, parts)
                start += 1
            code[start:at] = re.sub(r"[^\n]", " ", self.text[start:at])
        self.code = "".join(code)

    def parts(self, start, hashes):
        """The end of the literal that starts at `start`, and its parts."""
        quote = '"""' if self.text.startswith('"""', start) else '"'
        escape, at, parts = "\\" + hashes, start + len(quote), [""]
        while not self.text.startswith(quote + hashes, at):
            if not self.text.startswith(escape, at):
                parts[-1] += self.text[at]
                at += 1
                continue
            at += len(escape) + 1
            character = self.text[at - 1]
            if character == "(":
                end = closing_parenthesis(self.text, at)
                parts += [(self.text[at:end],), ""]
                at = end + 1
            elif character != "\n":
                parts[-1] += {"n": "\n", "t": "\t"}.get(character, character)
        return at + len(quote + hashes), parts

    def place(self, at):
        return f"{self.path.relative_to(CHECKOUT)}:{self.text.count(chr(10), 0, at) + 1}"

    def arguments(self, at):
        """The arguments of the call whose parenthesis was opened before `at`: where each begins and
        its code, by label; `_` is the first without one."""
        found, start, depth = {}, at, 0
        while depth >= 0:
            character = self.code[at]
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
            if depth < 0 or (depth == 0 and character == ","):
                label = re.compile(r"\s*(?:(\w+):\s*)?").match(self.code, start)
                value = (label.end(), self.code[label.end() : at].strip())
                found.setdefault(label[1] or "_", value)
                start = at + 1
            at += 1
        return found

    def type_around(self, at):
        """The last name of the type or extension in which the code at `at` stands."""
        line = self.text[self.text.rfind("\n", 0, at) + 1 :]
        indentation = len(line) - len(line.lstrip(" "))
        outer = [m for m in TYPE.finditer(self.code, 0, at) if len(m[1]) < indentation]
        return outer[-1][2].split(".")[-1] if outer else ""


def closing_parenthesis(text, at):
    """Where the parenthesis that was opened before `at` is closed."""
    depth = 1
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[()]', text[at:]):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return at + match.start()
    raise Unresolved("a parenthesis is not closed")


class Resolver:
    """Resolves interpolations by the declarations in `files`."""

    def __init__(self, files):
        self.files = files
        # The literals and numbers of `let name =`, by type and name, each with its file.
        self.constants = {}
        declaration = re.compile(r'\blet (\w+)(?:: \w+)? =\s*(?:([\d_]+)$|#*")', re.M)
        for file in files:
            for match in declaration.finditer(file.code):
                value = match[2] and match[2].replace("_", "")
                key = (file.type_around(match.start()), match[1])
                self.constants.setdefault(key, []).append(
                    (file, value or file.literals[match.end() - 1]))

    def texts(self, literal):
        """Each text that a literal can be, with the module whose tables it uses."""
        return [
            (module, text)
            for module, known in self.bindings(literal.file, literal.start, literal.names)
            for text in self.products(literal, known)]

    def bindings(self, file, at, names):
        """What `names` can be at a place, as far as they are bound together: as a tuple of
        constants, or as parameters of the function around it. Each with the caller's module."""
        code = file.code[:at]
        # `let (a, b) = thing.name`, of a property `name` that is a tuple.
        tuples = re.findall(r"\blet \(([\w, ]+)\) = [\w.]*\b(\w+)\n", code)
        if tuples and names & set(tuples[-1][0].split(", ")):
            bound = tuples[-1][0].split(", ")
            return [(file.module, dict(zip(bound, given))) for given in self.tuples(tuples[-1][1])]
        function = None
        for function in FUNCTION.finditer(code):
            pass
        if not function:
            return [(file.module, {})]
        code = file.code.replace('"', " ")
        code = code[function.end() : closing_parenthesis(code, function.end())]
        labels = {name or label: label for label, name in PARAMETER.findall(code)}
        labels = {name: label for name, label in labels.items() if name in names}
        if not labels:
            return [(file.module, {})]
        owner = file.type_around(function.start())
        found = [
            (module, dict(zip(labels, values)))
            for caller, call in self.calls(function[1], owner)
            if set(labels.values()) <= (given := caller.arguments(call.end())).keys()
            for module, known in self.bindings(
                caller, call.start(), self.names(caller, [given[n] for n in labels.values()]))
            for values in itertools.product(
                *(self.argument(caller, given[label], known) for label in labels.values()))]
        if not found:
            raise Unresolved(f"there is no call with {sorted(labels)}")
        return found

    def calls(self, function, owner):
        """The calls of a function, or of an `init` of the type `owner`; each with its file."""
        for file in self.files:
            if function:
                found = re.finditer(rf"(?<!func )\b{function}\(", file.code)
            else:
                found = re.finditer(rf"\b(?:{owner}|self\.init)\(", file.code)
            for call in found:
                if call[0] != "self.init(" or file.type_around(call.start()) == owner:
                    yield file, call

    def names(self, file, arguments):
        """The names that decide what some arguments are."""
        literals = [file.literals[at] for at, code in arguments if code.startswith('"')]
        return {code for _, code in arguments}.union(*(literal.names for literal in literals))

    def argument(self, file, argument, known):
        """What an argument can be."""
        at, code = argument
        literal = file.literals.get(at)
        return self.products(literal, known) if literal else self.values(code, file, at, known)

    def tuples(self, name):
        """The tuples of literals that a computed property can be."""
        for file in self.files:
            if declared := re.search(rf"\bvar {name}: \(.*?\n    }}", file.text, re.S):
                found = re.findall(r'\(("[^"]*"(?:, "[^"]*")+)\)', declared[0])
                return [re.findall(r'"([^"]*)"', given) for given in found]
        raise Unresolved(f"cannot resolve .{name}")

    def products(self, literal, known):
        """Each text that a literal can be where the names in `known` have these values."""
        choices = [
            [part] if isinstance(part, str)
            else self.values(part[0], literal.file, literal.start, known)
            for part in literal.parts]
        return ["".join(choice) for choice in itertools.product(*choices)]

    def values(self, expression, file, at, known):
        """What an expression at a place can be."""
        if expression in known:
            return [known[expression]]
        if choice := re.fullmatch(r'[^"]*\? "([^"]*)" : "([^"]*)"', expression):
            return [choice[1], choice[2]]
        if loops := re.findall(rf"\bfor {re.escape(expression)} in \[([^]]*)\]", file.text[:at]):
            return re.findall(r'"([^"]*)"', loops[-1])
        owner, _, name = expression.rpartition(".")
        owner = owner.split(".")[-1] if owner not in ("", "Self") else file.type_around(at)
        found = self.constants.get((owner, name), [])
        found = [value for place, value in found if place is file] or [value for _, value in found]
        if len(found) != 1:
            raise Unresolved(f"cannot resolve \\({expression})")
        return [found[0]] if isinstance(found[0], str) else self.products(found[0], known)


def collect():
    """The statements and the migrations: a literal by its module and text; and findings."""
    # Only files that import `Storage`, or are part of it, can run SQL.
    files = [
        File(path) for path in sorted(SOURCES.rglob("*.swift"))
        if SQLITE_ONLY not in path.parents
        and (SOURCES / "Storage" in path.parents or "import Storage\n" in path.read_text())]
    resolver, statements, migrations, findings = Resolver(files), {}, {}, []
    for file in files:
        for literal in file.literals.values():
            if not literal.is_statement and not literal.is_migration:
                continue
            try:
                for module, text in resolver.texts(literal):
                    target = statements if literal.is_statement else migrations
                    target.setdefault((module, " ".join(text.split())), literal)
            except Unresolved as problem:
                findings.append(f"{literal.place}: {problem}")
        for call in CALL.finditer(file.code):
            literal = file.literals.get(call.end())
            # A name stands for a literal of this file, or of a caller.
            name = re.compile(r"(?:_ )?(\w+)").match(file.code, call.end())
            is_named = name and re.search(rf"\b{name[1]}: String\b|\blet {name[1]} =", file.code)
            if not literal and not is_named:
                findings.append(f"{file.place(call.end())}: the SQL is not a literal")
            elif literal and not literal.is_statement:
                findings.append(f"{literal.place}: does not begin with a word of SQL")
    return statements, migrations, findings
