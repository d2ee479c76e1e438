import JSON
import ServiceRuntime
import TestSupport
import Testing

@Suite("Files of the operator with lists of objects")
struct FileTreeTests {
    private func tree(_ text: String, _ name: String = "f.yaml") throws -> FileTree {
        let folder = try TemporaryFolder()
        return FileTree(path: try folder.write(text, to: name), bytesMax: 4_096)
    }

    private func json(_ text: String, _ name: String = "f.yaml") throws -> String {
        let tree = try tree(text, name)
        #expect(tree.problems == [])
        return JSONWriter.text(try #require(tree.root).json, .required)
    }

    @Test(
        "YAML is read with the types of its core schema",
        arguments: [
            ("a: 1\nb: [x, 2.5, true]\n", #"{"a":1,"b":["x",2.5,true]}"#),
            ("a:\n  - b: {c: d}\n    e: f\n  - g\n", #"{"a":[{"b":{"c":"d"},"e":"f"},"g"]}"#),
            ("a: '1'\nb: \"true\"\nc: ''\n", #"{"a":"1","b":"true","c":""}"#),
            ("a:\nb: ~\nc: null\n", #"{"a":null,"b":null,"c":null}"#),
            (
                "a: 07:30\nb: 2026-01-31\nc: yes\nd: 1-2\n",
                #"{"a":"07:30","b":"2026-01-31","c":"yes","d":"1-2"}"#
            ),
            ("a: -5\nb: 1e3\nc: .5\nd:\n  -\n", #"{"a":-5,"b":1000.0,"c":0.5,"d":[null]}"#),
            ("a: >\n  b\n  c\nd: |\n  e\n", #"{"a":"b c\u000a","d":"e\u000a"}"#),
            ("- [a, [b]]\n", #"[["a",["b"]]]"#), ("", "null"), ("# a\n", "null"),
        ])
    func yaml(text: String, expected: String) throws {
        #expect(try json(text) == expected)
    }

    @Test(
        "other YAML is rejected with its line",
        arguments: [
            ("a: 1\na: 2\n", "line 2: a is given twice, first in line 1"),
            ("a: &x 1\n", "line 1: a value that begins with & must be in quotes"),
            ("a: *x\n", "line 1: a value that begins with * must be in quotes"),
            ("a: !x 1\n", "line 1: a value that begins with ! must be in quotes"),
            ("a: 1\n---\nb: 2\n", "line 2: the file must be one document without directives"),
            ("a: b\n  c\n", "line 1: the value continues on the next line"),
            ("[a]: 1\n", "line 1: a name must be a plain text"),
        ])
    func rejected(text: String, problem: String) throws {
        let problems = try tree(text).problems
        #expect(problems.count == 1)
        #expect(problems.first?.hasSuffix("f.yaml \(problem)") == true, "\(problems)")
    }

    @Test("a violation of the syntax leaves no values")
    func syntax() throws {
        let tree = try tree("a: [1, 2\n")
        #expect(tree.root == nil)
        #expect(tree.problems.count == 1)
    }

    @Test("nesting is limited, in YAML and in JSON", arguments: ["f.yaml", "f.json"])
    func depth(name: String) throws {
        let deepest = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        #expect(try tree(deepest, name).root != nil)
        let tree = try tree("[" + deepest + "]", name)
        #expect(tree.root == nil && tree.problems.count == 1)
    }

    @Test("JSON has the same values, and its mistakes have a line")
    func jsonFile() throws {
        #expect(try json(#"{"a": [1, {"b": null}]}"#, "f.json") == #"{"a":[1,{"b":null}]}"#)
        #expect(
            try tree("{\n  \"a\": 1,\n  \"a\": 2}", "f.json").problems.first?
                .hasSuffix(#"f.json line 3: "a" appears twice"#) == true)
    }

    @Test("each value knows its place")
    func places() throws {
        guard case .mapping(let entries)? = try tree("a:\n  - b: 1\n").root?.value,
            case .list(let items)? = entries.first?.node.value,
            case .mapping(let inner)? = items.first?.value
        else {
            Issue.record("the tree has another form")
            return
        }
        #expect(inner.first?.node.place.description.hasSuffix("f.yaml line 2 a[0].b") == true)
    }

    @Test("files that are absent, too long, not UTF-8 or of another kind are refused")
    func refused() throws {
        #expect(FileTree(path: "/nowhere/f.yaml", bytesMax: 9).problems.count == 1)
        #expect(try tree(String(repeating: "#", count: 4_097)).root == nil)
        #expect(try tree("a: 1", "f.toml").root == nil)
    }
}
