import ServiceRuntime
import TestSupport
import Testing

@testable import postern

@Suite("The file endpoints.json")
struct EndpointsTests {
    private func endpoints(_ member: String) throws -> Endpoints {
        let application = #""application": {"id": "tool", "secret_file": "tool.k1.key"}"#
        return try NoteServer(folder: TemporaryFolder(), port: 7_403)
            .endpoints(application + ", " + member)
    }

    @Test(
        "a member that is neither a text nor a known object makes the file invalid",
        arguments: [
            #""session": 7402"#, #""session": null"#, #""session": true"#,
            #""session": ["127.0.0.1:7402"]"#, #""session": {"port": 7402}"#,
            #""unknown": 1"#, #""metrics": 9400"#, #""metrics": {"session": 9402}"#,
            #""metrics": {"gateway": "127.0.0.1:9400", "session": null}"#,
        ])
    func invalid(member: String) {
        #expect(throws: ToolError.self) { try endpoints(member) }
    }

    @Test("without --endpoints, POSTERN_ENDPOINTS names the file, unless it is empty")
    func defaultPath() {
        #expect(Endpoints.chosenPath(nil) == ".postern/endpoints.json")
        #expect(Endpoints.chosenPath("") == ".postern/endpoints.json")
        #expect(Endpoints.chosenPath("/srv/endpoints.json") == "/srv/endpoints.json")
        #expect(Endpoints.pathVariable == "POSTERN_ENDPOINTS")
    }

    @Test("without --data, the folder of `postern up` is that of the endpoints file")
    func defaultFolder() {
        for (file, folder) in [
            (".postern/endpoints.json", ".postern"), ("/srv/a/endpoints.json", "/srv/a"),
            ("endpoints.json", "."), ("/endpoints.json", "/"),
        ] {
            #expect(Files.folder(of: file) == folder)
        }
    }

    @Test("a missing file is reported with what to do, an unreadable one with its reason")
    func missing() throws {
        let folder = try TemporaryFolder()
        let missing = #expect(throws: ToolError.self) {
            try Endpoints(folder.file("endpoints.json"))
        }
        #expect(missing?.description.contains("postern up") == true)
        // A folder can be opened, but not read.
        let unreadable = #expect(throws: ToolError.self) { try Endpoints(folder.path) }
        #expect(unreadable?.description.contains("postern up") == false)
    }

    @Test("what makes the file invalid is named, and so is an address without a port")
    func reasons() throws {
        let invalid = #expect(throws: ToolError.self) { try endpoints(#""session": 7402"#) }
        #expect(invalid?.description.contains("\"session\" is neither") == true)
        let folder = try TemporaryFolder()
        let text = try folder.write("{", to: "endpoints.json")
        let cut = #expect(throws: ToolError.self) { try Endpoints(text) }
        #expect(cut?.description.contains("it is not a JSON object") == true)
        let address = #expect(throws: ToolError.self) {
            try endpoints(#""session": "127.0.0.1""#).client(of: "session")
        }
        #expect(address?.description.contains("HOST:PORT, not \"127.0.0.1\"") == true)
    }

    @Test("texts and known objects are valid, also those of unknown names")
    func valid() throws {
        _ = try endpoints(#""other": "127.0.0.1:7410", "more": {"a": "b"}"#)
        let endpoints = try endpoints(#""metrics": {"session": "127.0.0.1:9402"}"#)
        #expect(endpoints.metrics(of: "session")?.port == 9_402)
        #expect(endpoints.metrics(of: "gateway") == nil)
    }
}
