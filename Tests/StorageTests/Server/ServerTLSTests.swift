import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("TLS to the server", .enabled(if: TestStore.writers > 1), .serialized)
struct ServerTLSTests {
    let folder: TemporaryFolder
    let authority: TestAuthority
    let server: TestServer

    init() throws {
        folder = try TemporaryFolder()
        authority = try TestAuthority(now: SystemTime().now())
        let certificate = try authority.issue([.address(127, 0, 0, 2)])
        server = try TestServer(certificate: try certificate.write(to: folder, as: "server"))
    }

    /// Opens a store by TCP. At other addresses than those of this machine itself, the server must
    /// show a certificate.
    private func open(_ host: String, trusting authority: TestAuthority) throws -> Store {
        var settings = try ServerSettings(
            url: "postgres://postgres@\(host):\(server.port)/postgres", schema: "tls")
        settings.certificates = try folder.write(authority.pem, to: "authority.pem")
        settings.durability = .noneForTests
        return try TestStore.open(
            at: .server(settings, folder: folder.path, name: "tls"), Entries.migrations)
    }

    @Test("a certificate of the right name and authority is taken, all others are refused at once")
    func names() async throws {
        let store = try open("127.0.0.2", trusting: authority)
        let isEncrypted = try await store.read { session in
            try session.queryOne("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") {
                try $0.boolean(0)
            }
        }
        #expect(isEncrypted == true)
        store.close()
        let stranger = try TestAuthority("another", now: SystemTime().now())
        for (host, authority) in [("127.0.0.3", authority), ("127.0.0.2", stranger)] {
            let error = #expect(throws: StoreError.self) {
                try open(host, trusting: authority)
            }
            #expect(error?.description.contains("certificate") == true, "\(host)")
        }
        try server.end()
    }
}
