import Glibc
import RPC
import TestSupport
import Testing

@testable import postern

@Suite("The tool's key, as endpoints.json names it")
struct EndpointKeyTests {
    private let folder: TemporaryFolder
    private let keys: KeyFolders

    init() throws {
        folder = try TemporaryFolder()
        keys = KeyFolders(path: folder.file("keys"))
        _ = mkdir(keys.path, 0o700)
        _ = try keys.prepare()
    }

    /// The id of the key that the tool uses if the file names this path.
    private func keyID(_ secretFile: String) throws -> String {
        let application = #""application": {"id": "tool", "secret_file": "\#(secretFile)"}"#
        return try NoteServer(folder: folder, port: 7_403).endpoints(application)
            .client(of: "notes").keyID
    }

    /// Sets the age of a key of the tool.
    private func age(_ keyID: String, seconds: Int) {
        let made = timespec(tv_sec: time(nil) - seconds, tv_nsec: 0)
        let file = "\(keys.outside)/tool.\(keyID).key"
        #expect(utimensat(AT_FDCWD, file, [made, made], 0) == 0)
    }

    @Test("a folder selects the tool's newest key that is old enough for servers to have read it")
    func rotated() throws {
        age("k1", seconds: 3_600)
        let second = try keys.makeKey(of: "tool", for: [])
        #expect(try keyID("keys/applications") == "k1")
        age("k2", seconds: 60)
        #expect(try keyID("keys/applications") == "k2")
        #expect(try keyID("keys/applications/tool.k1.key") == "k1")
        try keys.remove("\(keys.outside)/tool.k1.key")
        #expect(try keyID("keys/applications") == "k2")
        try keys.remove(second)
        #expect(throws: ToolError.self) { try keyID("keys/applications") }
    }
}
