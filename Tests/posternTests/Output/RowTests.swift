import ArgumentParser
import JSON
import Testing

@testable import postern

@Suite("Output of reading commands: a table, lines or JSON")
struct RowTests {
    private static let rows = [
        Row([
            .init("key_id", "k1", heading: "key"),
            .init("made", .integer(7), text: "seven", phrase: "made seven"),
            .init(json: "secret", .boolean(false)), .init("last_use", ""),
        ]),
        Row([
            .init("key_id", "a longer key", heading: "key"),
            .init("made", .integer(8), text: "eight", phrase: "made eight"),
            .init(json: "secret", .boolean(true)), .init("last_use", "today"),
        ]),
    ]

    private func printed(_ form: RowWriter.Form, _ pages: [[Row]]) throws -> [String] {
        var lines: [String] = []
        var writer = RowWriter(form) { lines.append($0) }
        for page in pages { try writer.write(page) }
        try writer.finish()
        return lines
    }

    @Test("a table has headings and aligned columns, without the values that only JSON has")
    func table() throws {
        #expect(
            try printed(.table, [Self.rows]) == [
                "KEY           MADE   LAST USE", "k1            seven",
                "a longer key  eight  today",
            ])
    }

    @Test("a cell contains no terminal escapes")
    func escapes() throws {
        let row = Row([.init("name", "A\u{1B}[2Jda")])
        for form in [RowWriter.Form.table, .lines] {
            #expect(try printed(form, [[row]]).last == "A\u{FFFD}[2Jda")
        }
    }

    @Test("a value makes no further row, and JSON escapes what a terminal would obey")
    func forgedRow() throws {
        let row = Row([.init("health", "serving\nsession\u{9b}2J\u{202e}")])
        for form in [RowWriter.Form.table, .lines] {
            #expect(
                try printed(form, [[row]]).last == "serving\u{FFFD}session\u{FFFD}2J\u{FFFD}")
        }
        #expect(
            try printed(.json, [[row]]).first
                == #"[ {"health":"serving\nsession\u009b2J\u202e"}"#)
    }

    @Test("pages of a table have one line of headings in all")
    func pages() throws {
        let lines = try printed(.table, [[Self.rows[0]], [], [Self.rows[1]]])
        #expect(lines.count == 3)
        #expect(lines.last == "a longer key  eight  today")
    }

    @Test("lines have no headings, the words that replace them, and no empty values")
    func lines() throws {
        #expect(
            try printed(.lines, [Self.rows]) == [
                "k1  made seven", "a longer key  made eight  today",
            ])
    }

    @Test("JSON is one array over all pages, also without rows")
    func json() throws {
        #expect(
            try printed(.json, [[Self.rows[0]], [Self.rows[1]]]) == [
                #"[ {"key_id":"k1","made":7,"secret":false,"last_use":""}"#,
                #", {"key_id":"a longer key","made":8,"secret":true,"last_use":"today"}"#, "]",
            ])
        #expect(try printed(.json, []) == ["[]"])
        #expect(try printed(.table, []).isEmpty && printed(.lines, []).isEmpty)
    }

    @Test("a list without rows is noted beside the result, in each form; one with rows is not")
    func nothing() throws {
        for form in [RowWriter.Form.table, .lines, .json] {
            for rows in [[], Self.rows] {
                var notes: [String] = []
                var writer = RowWriter(form) { _ in
                } note: {
                    notes.append($0)
                }
                try writer.write(rows)
                try writer.finish(ifEmpty: "no keys")
                #expect(notes == (rows.isEmpty ? ["no keys"] : []))
            }
        }
    }

    @Test("the default is a table on a terminal, and lines elsewhere, as scripts read them")
    func form() throws {
        #expect(OutputOption.form(nil, isOnTerminal: true) == .table)
        #expect(OutputOption.form(nil, isOnTerminal: false) == .lines)
        for isOnTerminal in [true, false] {
            #expect(OutputOption.form(.text, isOnTerminal: isOnTerminal) == .table)
            #expect(OutputOption.form(.json, isOnTerminal: isOnTerminal) == .json)
        }
        #expect(try OutputOption.parse(["-o", "json"]).isJSON)
        #expect(try OutputOption.parse(["--output", "text"]).output == .text)
        #expect(throws: (any Error).self) { try OutputOption.parse(["-o", "xml"]) }
    }

    @Test("every command that reads takes -o json")
    func commands() throws {
        let commands: [[String]] = [
            ["accounts", "look-up", "acc_1"], ["accounts", "list"], ["applications", "list"],
            ["audit", "list"], ["clock", "check"], ["describe", "a/b"], ["errors"], ["inbox"],
            ["keys", "list"], ["limits", "list"], ["limits", "peek", "a", "b"],
            ["limits", "keys"], ["mail", "address", "ada@example.org"], ["methods"],
            ["outbox", "list"], ["outbox", "show", "msg_1"], ["outbox", "watch"],
            ["push", "list", "acc_1"], ["status"],
            ["template", "list"], ["top", "--once"], ["webhooks", "list"],
        ]
        for command in commands {
            _ = try PosternTool.parseAsRoot(command + ["-o", "json"])
        }
    }
}
