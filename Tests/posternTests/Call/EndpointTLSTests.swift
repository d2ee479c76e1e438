import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import postern

@Suite("The tool's TLS, as endpoints.json names it", .timeLimit(.minutes(1)))
struct EndpointTLSTests {
    private static let key = #""application": {"id": "tool", "secret_file": "tool.k1.key"}"#

    /// Runs `body` with a server whose certificate is for `notes.example.org`, and which accepts
    /// the tool's certificate.
    private func withServer(_ body: (NoteServer) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let now = SystemTime().now()
        let authority = try TestAuthority(now: now)
        let roots = try folder.write(authority.pem, to: "roots.pem")
        let own = try authority.issue([.dns("notes.example.org")])
            .write(to: folder, as: "server")
        _ = try authority.issue([.dns("tool")]).write(to: folder, as: "tool")
        let files = ServerTLSFiles(
            certificate: CertificateFiles(chain: own.chain, key: own.key), roots: roots)
        try await NoteServer.with(folder: folder, tls: ServerTLS(files, now: now), body)
    }

    /// The member `tls` with these members.
    private func tls(_ members: String...) -> String {
        #""tls": {"# + members.joined(separator: ", ") + "}"
    }

    private let roots = #""roots": "roots.pem""#
    private let name = #""certificate_name": "notes.example.org""#
    private let own = #""certificate": "tool.pem", "certificate_key": "tool.key.pem""#

    @Test("calls succeed with a certificate and a key, both found beside the file")
    func both() async throws {
        try await withServer { server in
            let caller = try server.caller(Self.key + ", " + tls(roots, own, name))
            #expect(try await caller.shown("Say", #"{"text": "hello"}"#).count == 1)
            #expect(try await caller.shown("Spell", #"{"text": "abc"}"#).count == 3)
        }
    }

    @Test("the certificate alone authenticates the tool")
    func certificateAlone() async throws {
        try await withServer { server in
            let application = #""application": {"id": "tool"}"#
            let caller = try server.caller(application + ", " + tls(roots, own, name))
            #expect(try await caller.shown("Say", #"{"text": "hello"}"#).count == 1)
        }
    }

    @Test("a server whose certificate has another name is rejected")
    func wrongName() async throws {
        try await withServer { server in
            for name in [[], [#""certificate_name": "horse.example.org""#]] {
                let members = [roots, own] + name
                let caller = try server.caller(
                    Self.key + #", "tls": {"# + members.joined(separator: ", ") + "}")
                await #expect(throws: ServiceError.self) {
                    _ = try await caller.shown("Say", #"{"text": "hello"}"#)
                }
            }
        }
    }

    @Test("an invalid TLS setting is an error and never means plaintext")
    func broken() async throws {
        let server = NoteServer(folder: try TemporaryFolder(), port: 7_403)
        let members = [
            #""tls": {}"#, #""tls": true"#, #""tls": "roots.pem""#, #""tls": {"roots": ""}"#,
            tls(roots, #""certificate": "tool.pem""#), tls(own, name), tls(roots, own, name),
        ]
        for member in members {
            #expect(throws: (any Error).self, "\(member)") {
                try server.endpoints(Self.key + ", " + member).client(of: "notes")
            }
        }
    }

    @Test("without a certificate the tool needs a key, and one of its own")
    func keys() async throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "app.k1.key")
        let server = NoteServer(folder: folder, port: 7_403)
        for application in [#"{"id": "tool"}"#, #"{"id": "tool", "secret_file": "app.k1.key"}"#] {
            #expect(throws: (any Error).self, "\(application)") {
                try server.endpoints(#""application": \#(application)"#).client(of: "notes")
            }
        }
    }
}
