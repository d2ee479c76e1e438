import ArgumentParser
import Cryptography
import Glibc
import TestSupport
import Testing

@testable import postern

@Suite("postern applications: an unreadable key file does not affect other keys")
struct StoredKeyTests {
    private let folder: TemporaryFolder
    private let keys: KeyFolders

    init() throws {
        folder = try TemporaryFolder()
        keys = KeyFolders(path: folder.file("keys"))
        _ = mkdir(keys.path, 0o700)
        _ = try keys.prepare()
    }

    private func spoil(_ file: String) throws {
        try keys.remove(file)
        try SecretFile.create(file, SecretBytes(copying: Array("no key".utf8)))
    }

    private func keyIDs(_ application: String) throws -> [String] {
        try StoredKey.all(in: keys).keys.filter { $0.application == application }.map(\.keyID)
    }

    private func rotate(_ name: String) throws {
        try ApplicationsCommand.Rotate.parse([name, "--data", folder.path]).run()
    }

    private func remove(_ name: String, _ keyID: String) throws {
        try ApplicationsCommand.Remove.parse([name, "--key", keyID, "--data", folder.path, "--yes"])
            .run()
    }

    @Test("a bad private key, public key and file name are each reported with their path")
    func unreadable() throws {
        let privateHalf = "\(keys.outside)/app.k1.key"
        let publicHalf = "\(keys.server("identity"))/tool.k1.pub"
        try spoil(privateHalf)
        try spoil(publicHalf)
        let strangeName = try folder.write("", to: "keys/session/strange.key")
        let (keys, otherFiles) = try StoredKey.all(in: self.keys)
        #expect(keys.map(\.application) == KeyFolders.applications)
        let bad = keys.filter { !$0.errors.isEmpty }
        #expect(bad.map(\.application) == ["app", "tool"])
        #expect(bad.first?.row.line == "app  k1  unreadable  known to gateway  \(privateHalf)")
        let errors = bad.flatMap(\.errors) + otherFiles
        #expect(errors.count == 3)
        for (error, file) in zip(errors, [privateHalf, publicHalf, strangeName]) {
            #expect(error.hasPrefix(file))
        }
        #expect(throws: ExitCode.self) {
            try ApplicationsCommand.List.parse(["--data", folder.path]).run()
        }
    }

    @Test("the other keys can still be listed, added, rotated and removed")
    func others() throws {
        try spoil("\(keys.outside)/app.k1.key")
        try folder.write("", to: "keys/applications/strange.key")
        try ApplicationsCommand.Add.parse(["shop", "--data", folder.path]).run()
        try rotate("tool")
        #expect(try keyIDs("shop") == ["k1"])
        #expect(try keyIDs("tool") == ["k1", "k2"])
        try remove("shop", "k1")
        try remove("tool", "k1")
        #expect(try keyIDs("shop").isEmpty)
        #expect(try keyIDs("tool") == ["k2"])
    }

    @Test("an unreadable key can be rotated and removed, and does not count as the last key")
    func itself() throws {
        try spoil("\(keys.outside)/app.k1.key")
        try rotate("app")
        #expect(try keyIDs("app") == ["k1", "k2"])
        #expect(throws: ToolError.self) { try remove("app", "k2") }
        try remove("app", "k1")
        #expect(try keyIDs("app") == ["k2"])
        #expect(try StoredKey.all(in: keys).keys.flatMap(\.errors) == [])
    }

    @Test("rotating the tool's key prints the setting for compose, which has no endpoints file")
    func composeHint() throws {
        let option = try ApplicationsCommand.Folder.parse(["--data", folder.path])
        let hint = "then, in docker/compose/.env: POSTERN_TOOL_KEY=tool.k2.key"
        #expect(option.composeHint(after: "keys/tool.k2.key", of: "tool") == hint)
        #expect(option.composeHint(after: "keys/app.k2.key", of: "app") == nil)
        try folder.write("{}", to: "endpoints.json")
        #expect(option.composeHint(after: "keys/tool.k2.key", of: "tool") == nil)
    }
}
