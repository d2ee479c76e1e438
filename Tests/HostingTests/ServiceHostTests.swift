import Cryptography
import Glibc
import NIOPosix
import RPC
import Storage
import TestSupport
import Testing

@testable import Hosting
@testable import ServiceRuntime

@Suite("Keys and channels that a program gets from its host")
struct ServiceHostTests {
    private let folder: TemporaryFolder
    private let log = CapturedLog()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func host(seed: UInt64 = 1) throws -> ServiceHost {
        let settings: ProgramSettings<SampleProgram> = try SettingsLoader.settings([
            "--keys-folder=\(folder.path)", "--applications-folder=\(folder.path)",
            "--data-folder=\(folder.path)",
        ])
        return ServiceHost(
            settings: settings.host, time: ManualTime(),
            randomness: SeededRandomness(seed: seed), logger: log.logger(),
            metrics: MetricsRegistry(), group: .singleton, description: SampleProgram.description)
    }

    @Test("a key is created once, readable by its owner only, and read again at the next start")
    func once() throws {
        let first = try host().key("session")
        #expect(first.count == 32)
        #expect(try folder.names() == ["session.key"])
        var status = stat()
        #expect(stat(folder.file("session.key"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let second = try host().key("session")
        #expect(first == second)
        #expect(try host().key("identity") != first)
        #expect(log.lines.filter { $0.contains("process.key.created") }.count == 2)
    }

    @Test("programs that start at once get the same key and leave no temporary file")
    func together() async throws {
        let hosts = try (0..<16).map { try host(seed: UInt64($0)) }
        let keys = try await withThrowingTaskGroup(of: SecretBytes.self) { starts in
            for host in hosts { starts.addTask { try host.key("sign-in-proof") } }
            return try await starts.reduce(into: [SecretBytes]()) { $0.append($1) }
        }
        let first = try #require(keys.first)
        #expect(keys.allSatisfy { $0 == first })
        #expect(try folder.names() == ["sign-in-proof.key"])
    }

    @Test(
        "an existing key file is never replaced, even if it is broken",
        arguments: [
            "", "too short", String(repeating: "x", count: 32),
        ])
    func broken(text: String) throws {
        let path = try folder.write(text, to: "session.key")
        #expect(chmod(path, 0o600) == 0)
        #expect(throws: SecretFileError.self) { try host().key("session") }
        #expect(try folder.names() == ["session.key"])
    }

    @Test("SECURITY.md, Secrets: a key file that other users may read is rejected")
    func exposed() throws {
        let path = folder.file("session.key")
        try SecretFile.create(path, .generate(count: 32, randomness: SeededRandomness()))
        #expect(chmod(path, 0o644) == 0)
        #expect(throws: SecretFileError.self) { try host().key("session") }
    }

    @Test("a store's lost key is an error and is not replaced")
    func lost() throws {
        _ = try host().masterKey("session", ofStore: "session")
        try folder.write("", to: "session.sqlite")
        _ = try host().masterKey("session", ofStore: "session")
        #expect(unlink(folder.file("session.key")) == 0)
        let error = #expect(throws: StartError.self) {
            try host().masterKey("session", ofStore: "session")
        }
        #expect(error?.description.contains("put the key back") == true)
        #expect(try folder.names() == ["session.sqlite"])
    }

    @Test("a lost key that another service has too is an error beside a store, with what to do")
    func lostTogether() throws {
        func key() throws -> SecretBytes {
            try host().key("sign-in-proof", sharedWith: "identity", besideStore: "session").value
        }
        let first = try key()
        try folder.write("", to: "session.sqlite")
        #expect(try key() == first)
        #expect(unlink(folder.file("sign-in-proof.key")) == 0)
        let error = #expect(throws: StartError.self) { try key() }
        #expect(error?.description.contains("identity has the same key") == true)
        #expect(try folder.names() == ["session.sqlite"])
    }

    @Test("a new store under a key from before is reported, and no other")
    func newStore() throws {
        func warnings() -> Int { log.lines.filter { $0.contains("\"store.created\"") }.count }
        _ = try host().masterKey("session", ofStore: "session")
        #expect(warnings() == 0)
        _ = try host().masterKey("session", ofStore: "session")
        #expect(warnings() == 1)
        #expect(log.lines.last?.contains("session.sqlite") == true)
        try folder.write("", to: "session.sqlite")
        _ = try host().masterKey("session", ofStore: "session")
        #expect(warnings() == 1)
    }

    @Test("Secrets: the password of the store's role is the first line of a file of its own")
    func password() throws {
        let file = try folder.write("s3cret\n", to: "password")
        func password() throws -> SecretBytes? {
            let settings: ProgramSettings<SampleProgram> = try SettingsLoader.settings([
                "--store-url=postgres://ada@a/b", "--store-password-file=\(file)",
            ])
            let place = try settings.host.store.place(of: "sample", folder: folder.path)
            guard case .server(let server, _, _) = place else { return nil }
            return server.password
        }
        #expect(chmod(file, 0o644) == 0)
        #expect(throws: SecretFileError.self) { try password() }
        #expect(chmod(file, 0o600) == 0)
        #expect(try password() == SecretBytes("s3cret"))
    }

    @Test("X-03: without its own key a program makes no channel and says what to do")
    func channel() throws {
        let peer = PeerSettings.identity
        let error = #expect(throws: ApplicationsError.self) { try host().channel(to: peer) }
        #expect(error?.description.contains("sample.KEYID.key") == true)
    }
}

extension PeerSettings {
    /// Where identity listens by default.
    fileprivate static var identity: PeerSettings {
        var reader = SettingsReader(sources: [])
        return PeerSettings(
            reading: &reader, "identity", service: "postern.identity", port: 7_401)
    }
}
