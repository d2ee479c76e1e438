import ArgumentParser
import Cryptography
import SessionService
import Storage
import TestSupport
import Testing

@testable import postern

@Suite("postern store restored")
struct StoreCommandTests {
    private static let url = "postgres://ada@a.example/postern"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func parsed(_ arguments: String...) throws -> StoreCommand.Restored {
        try StoreCommand.Restored.parse(arguments)
    }

    @Test("Secrets: the password comes from its file")
    func password() throws {
        let file = folder.file("password")
        try SecretFile.create(file, SecretBytes("s3cret\n"))
        let command = try parsed(
            "--store", Self.url, "--store-password-file", file, "--store-ca-file", "/ca.pem")
        let settings = try command.server.settings(schema: "session")
        #expect(settings.user == "ada" && settings.schema == "session")
        #expect(settings.password == SecretBytes("s3cret"))
        #expect(settings.certificates == "/ca.pem")
    }

    @Test("a password in the URL, no URL, and one schema for four services are refused")
    func refused() throws {
        let open = try parsed("--store", "postgres://ada:s3cret@a.example/postern")
        let error = #expect(throws: StoreError.self) { try open.server.settings(schema: "session") }
        #expect(error?.description.contains("store-password-file") == true)
        #expect(error?.description.contains("s3cret") == false)
        let none = try parsed()
        #expect(throws: ValidationError.self) { try none.server.settings(schema: "session") }
        #expect(throws: (any Error).self) { try parsed("--store", Self.url, "--schema", "a") }
    }

    @Test("it marks a store of a real server", .enabled(if: TestStore.writers > 1))
    func marked() throws {
        let settings = try TestServer.shared.get().schema(of: "session", in: folder.path)
        try TestStore.open("session", SessionTables.migrations, in: folder.path).close()
        try parsed(
            "--store", "postgres://\(settings.user)@/\(settings.database)?host=\(settings.hosts)",
            "--only", "session", "--schema", settings.schema
        ).run()
        let store = try TestStore.open("session", SessionTables.migrations, in: folder.path)
        #expect(store.isRestoredCopy)
        store.close()
    }
}
