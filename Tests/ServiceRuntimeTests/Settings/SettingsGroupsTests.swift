import ServiceRuntime
import TestSupport
import Testing

@Suite("Groups of settings whose names the operator chooses")
struct SettingsGroupsTests {
    /// A file with a port and hosts for each name.
    private struct Ports: Settings, Equatable {
        var ports: [String: Int] = [:]
        var hosts: [String: [String]] = [:]

        init(reading settings: inout SettingsReader) {
            for name in settings.groups(of: ["port", "host-names"]) {
                ports[name] = settings.parsed(
                    "\(name)-port", expected: "a port", unit: "port", reason: "A test.",
                    parse: { Int($0) })
                settings.parsedList(
                    "\(name)-host-names", &hosts[name, default: ["standard"]], counts: 1...2,
                    expected: "a name without a dot", unit: "name", reason: "A test.",
                    parse: { $0.contains(".") ? nil : $0 })
            }
        }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(_ text: String) throws -> SettingsDocument<Ports> {
        SettingsDocument(path: try folder.write(text, to: "ports.yaml"))
    }

    @Test("a group has the name that the file gives it, with dashes or without")
    func groups() throws {
        let document = try read(
            "a:\n  port: 1\nb-c:\n  port: 2\n  host-names: [x, y]\nd-host-names: z\n")
        #expect(document.problems == [])
        #expect(document.values?.ports == ["a": 1, "b-c": 2])
        #expect(document.values?.hosts == ["a": ["standard"], "b-c": ["x", "y"], "d": ["z"]])
    }

    @Test("a pattern applies to the groups that are there")
    func patterns() throws {
        let document = try read("a-host-names: x\nb-host-names: y\n\"b*port\": 7\n")
        #expect(document.problems == [])
        #expect(document.values?.ports == ["b": 7])
    }

    @Test(
        "an unknown setting, another name and a wrong value are mistakes with their lines",
        arguments: [
            ("a:\n  port: 1\n  prot: 2\n", "line 3 \"a-prot\": there is no such setting; did you"),
            ("A:\n  port: 1\n", "line 2 \"A-port\": there is no such setting"),
            ("a:\n  port: x\n", "line 2: \"x\" is not a port"),
            ("a:\n  host-names: []\n", "line 2: [] is not a list of 1 to 2, each a name"),
            ("a:\n  host-names: [x, y, z]\n", "is not a list of 1 to 2"),
            ("a:\n  host-names: [x, y.z]\n", "is not a list of 1 to 2"),
        ])
    func mistakes(_ text: String, _ expected: String) throws {
        let document = try read(text)
        #expect(document.values == nil)
        #expect(document.problems.contains { $0.contains(expected) }, "\(document.problems)")
    }

    @Test("equal files are equal documents")
    func equal() throws {
        let first = try read("a-port: 1\n")
        #expect(try read("a-port: 1\n") == first)
        #expect(try read("a-port: 2\n") != first)
    }
}
