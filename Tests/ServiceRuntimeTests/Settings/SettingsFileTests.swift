import ServiceRuntime
import TestSupport
import Testing

@Suite("Settings: files")
struct SettingsFileTests {
    private func outcome(_ text: String, _ name: String = "s.yaml") throws -> (
        SampleOutcome, String
    ) {
        let folder = try TemporaryFolder()
        let file = try folder.write(text, to: name)
        return (SampleOutcome(["--config", file]), file)
    }

    @Test(
        "the YAML that settings need is read",
        arguments: [
            "listen-port: 5", "---\nlisten-port: 5\n", "# a comment\n\nlisten-port:   5   # why\n",
            "listen-port: '5'", "listen-port: \"5\"", "listen-port: \"\\u0035\"",
            "listen:\n  port: 5\n", "listen:\n    # deep\n\n    port: 5\nlifeline: false\n",
            "listen-port: \"\\x35\"", "  listen-port: 5\n  lifeline: no\n",
            "listen-port: 5\r\nlifeline: false\r\n",
        ])
    func yaml(text: String) throws {
        let (outcome, _) = try outcome(text)
        #expect(outcome.values?.port == 5, "\(outcome.text)")
    }

    @Test(
        "a file of nothing but comments has no settings",
        arguments: ["", "# a\n", "---\n", "---\n# a\n", "# a\n---\n"])
    func comments(text: String) throws {
        let (empty, file) = try outcome(text)
        let (some, _) = try outcome(text + "listen-port: 5\n")
        #expect(!empty.text.contains(file), "\(empty.text)")
        #expect(some.values?.port == 5, "\(some.text)")
    }

    @Test(
        "other YAML is rejected with its line number",
        arguments: [
            ("listen-port: &a 5", "line 1: a value that begins with & must stand in quotes"),
            ("data-folder: *a", "line 1: a value that begins with * must stand in quotes"),
            ("data-folder: !!str a", "line 1: a value that begins with ! must stand in quotes"),
            ("data-folder: |\n  a", "line 1: a value that begins with | must stand in quotes"),
            ("data-folder: {a: b}", "line 1: a value that begins with { must stand in quotes"),
            ("data-folder: a: b", "line 1: mapping values are not allowed in this context"),
            ("data-folder: ~", "line 1: a value is missing"),
            ("data-folder: null", "line 1: a value is missing"),
            ("data-folder:", "line 1: data-folder has no value"),
            ("data-folder: # none", "line 1: data-folder has no value"),
            ("lifeline: no\ndata-folder:\n", "line 2: data-folder has no value"),
            (
                "\tdata-folder: a",
                "line 1: while scanning for the next token: "
                    + "found character that cannot start any token"
            ),
            ("lifeline: no\ndata-folder: a\u{1}", "line 2: control characters are not allowed"),
            (
                "lifeline: no\n---\nlifeline: yes",
                "line 2: a settings file is one document without directives"
            ),
            (
                "%YAML 1.2\n---\nlifeline: no",
                "line 1: a settings file is one document without directives"
            ),
            ("data-folder:a", "line 1: a space is missing after the colon"),
            ("data folder: a", "line 1: a setting's name is letters, digits and dashes"),
            ("data-folder", #"line 1: neither "name: value" nor "- value""#),
            ("- a", "line 1: this list item belongs to no key"),
            (
                "link-origins:\n  - a\n - b",
                "line 3: while parsing a block mapping: did not find expected key"
            ),
            ("link-origins:\n  - [a]", "line 2: a list holds plain values only"),
            (
                "link-origins: [a",
                "line 1: while parsing a flow sequence: did not find expected ',' or ']'"
            ),
            (
                "link-origins: [a] b",
                "line 1: while parsing a block mapping: did not find expected key"
            ),
            (
                "data-folder: \"a",
                "line 1: while scanning a quoted scalar: found unexpected end of stream"
            ),
            (
                "data-folder: 'a",
                "line 1: while scanning a quoted scalar: found unexpected end of stream"
            ),
            (
                "data-folder: 'a' b",
                "line 1: while parsing a block mapping: did not find expected key"
            ),
            (
                "data-folder: \"\\q\"",
                "line 1: while parsing a quoted scalar: found unknown escape character"
            ),
            (
                "data-folder: \"\\ud800\"",
                "line 1: while parsing a quoted scalar: found invalid Unicode character escape code"
            ),
            (
                "data-folder: a\n  lifeline: no",
                "line 1: the value continues on the next line"
            ),
            (
                "data-folder: a\n  lifeline: no",
                "line 2: mapping values are not allowed in this context"
            ),
            ("data-folder: \"a\n  b\"", "line 1: the value continues on the next line"),
            ("link-origins: &a [b]", "line 1: a value that begins with & must stand in quotes"),
            ("'*-origins': a", "line 1: a setting's name is letters, digits and dashes"),
            (
                "a:\n b:\n  c:\n   d:\n    e:\n     f:\n      g:\n       h:\n        i: 1",
                "line 9: the line is nested too deeply"
            ),
            (
                "data-folder: a\ndata-folder: b",
                "line 2: data-folder is given twice, first in line 1"
            ),
            (
                "listen: a:1\nlisten:\n  port: 1\nlisten-port: 2",
                "line 4: listen-port is given twice, first in line 3"
            ),
            (
                "listen:\n  port: 1\nlisten:\n  port: 2",
                "line 4: listen-port is given twice, first in line 2"
            ),
        ])
    func refused(text: String, problem: String) throws {
        let (outcome, file) = try outcome(text)
        #expect(outcome.problems.contains("\(file) \(problem)"), "\(outcome.text)")
    }

    @Test("all mistakes of a file are reported, with those before a violation of the syntax")
    func together() throws {
        let (outcome, file) = try outcome(
            "data-folder: &a x\nlisten: *a\nb c: 1\nlink-origins: [a, [b], {c: d}]\n"
                + "identity-addresses:\n  - 10.0.0.1:1\n - b\n")
        #expect(
            outcome.problems.filter { $0.hasPrefix("\(file) line ") } == [
                "\(file) line 1: a value that begins with & must stand in quotes",
                "\(file) line 2: a value that begins with * must stand in quotes",
                "\(file) line 3: a setting's name is letters, digits and dashes",
                "\(file) line 4: a list holds plain values only",
                "\(file) line 4: a value that begins with { must stand in quotes",
                "\(file) line 7: while parsing a block mapping: did not find expected key",
            ])
    }

    @Test("lists may use dashes, brackets or commas, or be empty")
    func lists() throws {
        let wanted = ["https://a.example", "b"]
        for text in [
            "link-origins:\n- https://a.example\n- b",
            "link-origins:\n  - 'https://a.example'\n  - b # x\nlifeline: no",
            "link-origins: [https://a.example, \"b\"]", "link-origins: https://a.example,b",
            "link:\n  origins: [https://a.example,b]", "link-origins: [https://a.example,\n  b]",
        ] {
            let (outcome, _) = try outcome(text)
            #expect(outcome.values?.origins == wanted, "\(text) \(outcome.text)")
        }
        #expect(try outcome("link-origins: []").0.values?.origins == [])
    }

    @Test(
        "JSON: nested objects join their names, and values that are no settings are rejected",
        arguments: [
            (#"{"listen": {"port": 5}}"#, nil), (#"{"listen-port": "5"}"#, nil),
            (#"[1]"#, "the file's top is not an object"),
            (#"{"listen-port": null}"#, "listen-port has no value"),
            (#"{"listen-port": 5, "listen": {"port": 6}}"#, "listen-port is given twice"),
            (#"{"listen-port": 5.5}"#, "the file is not the JSON of settings"),
            (#"{"listen-port": [5]}"#, #"["5"] is not a whole number"#),
            (#"{"link-origins": [["a"]]}"#, "link-origins holds more than a list of values"),
            (#"{"listen-prot": 5}"#, "did you mean listen-port?"),
            ("{", "the file is not the JSON of settings"),
            ("", "the file is not the JSON of settings"),
        ] as [(String, String?)])
    func json(text: String, problem: String?) throws {
        let (outcome, _) = try outcome(text, "s.json")
        if let problem {
            #expect(outcome.text.contains(problem), "\(outcome.text)")
        } else {
            #expect(outcome.values?.port == 5, "\(outcome.text)")
        }
    }

    @Test("a missing, wrongly named, non-UTF-8 or huge file is one error")
    func unreadable() throws {
        #expect(SampleOutcome(["--config", "/nonexistent/s.yaml"]).problems.count == 1)
        #expect(try outcome("listen-port: 5", "s.toml").0.problems.count == 1)
        #expect(try outcome(String(repeating: "#\n", count: 200_000)).0.problems.count == 1)
        #expect(SampleOutcome(["--config", "/proc/self/exe"]).problems.count == 1)
        #expect(SampleOutcome(["--config", "/"]).problems.count == 1)
    }

    @Test("2,000 seeded mutations of a file give settings or errors, never a trap")
    func mutations() throws {
        let randomness = SeededRandomness(seed: 11)
        let original = Array(
            """
            listen:
              port: 5
            link-origins: [a, "b\\n", 'c''']
            identity-addresses:
              - 10.0.0.1:1
              - "[::1]:2"
            idle-timeout: 30d # x
            """.utf8)
        let folder = try TemporaryFolder()
        for round in 0..<2_000 {
            var bytes = original
            for _ in 0...(round % 4) {
                let place = Int(randomness.integer() % UInt64(bytes.count))
                let odd = Array("\"'[]{}:,-# \n\t\\&u0é".utf8)
                bytes[place] = odd[Int(randomness.integer() % UInt64(odd.count))]
            }
            let name = round.isMultiple(of: 5) ? "s.json" : "s.yaml"
            let file = try folder.write(String(decoding: bytes, as: UTF8.self), to: name)
            let outcome = SampleOutcome(["--config", file])
            #expect(outcome.values != nil || outcome.exitCode == SettingsLoader.invalidExitCode)
        }
    }
}
