import Contracts
import Cryptography
import NIOPosix
import RPC
import ServiceRuntime
import Synchronization
import TestSupport

@testable import postern

/// A server for `NoteService`, and the endpoints file with its address.
struct NoteServer {
    let folder: TemporaryFolder
    let port: Int

    /// Runs `body` with a server, and stops the server afterwards.
    /// - Parameters:
    ///   - tls: the server's TLS; needs `folder`, which contains its files.
    ///   - callers: the permitted callers, in the form of `callers-file`.
    static func with(
        folder: TemporaryFolder? = nil, tls: ServerTLS? = nil, callers: [String] = ["tool"],
        _ body: (NoteServer) async throws -> Void
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        let key = SecretBytes(count: 32) { $0.copyBytes(from: 1...32) }
        try SecretFile.create(folder.file("tool.k1.key"), key)
        let server = try await RPCServer.start(
            ServerSettings(service: "postern.notes", host: "127.0.0.1", port: 0),
            services: [NoteService.methods, ReflectionDispatcher.methods(of: NoteService())],
            applications: Applications(
                folder: folder.path, callers: CallersList(callers, assertingClientAddress: []),
                needsKeys: false, sharedKeys: SharedKeyRule(ours: [], acceptsOthers: true)),
            tls: tls, group: .singleton, time: SystemTime(), randomness: SecureRandomness(),
            logger: .silent)
        do {
            try await body(NoteServer(folder: folder, port: server.port))
        } catch {
            await server.drain()
            throw error
        }
        await server.drain()
    }

    /// A caller that uses an endpoints file with the address and these members.
    func caller(_ members: String = #""application": {"id": "tool", "secret_file": "tool.k1.key"}"#)
        throws -> Caller
    {
        try Caller(endpoints(members), service: "notes")
    }

    func endpoints(_ members: String) throws -> Endpoints {
        try Endpoints(
            folder.write(#"{"notes": "127.0.0.1:\#(port)", \#(members)}"#, to: "endpoints.json"))
    }
}

/// The output of a call.
final class Shown: Sendable {
    private let held = Mutex<[String]>([])

    var lines: [String] { held.withLock { $0 } }

    func add(_ line: String) { held.withLock { $0.append(line) } }
}

extension Caller {
    /// The output of the call, in order.
    func shown(_ method: String, _ request: String) async throws -> [String] {
        let shown = Shown()
        try await call(
            "\(NoteService.name)/\(method)", RequestText(request), metadata: Metadata(), token: nil,
            timeout: .seconds(10)
        ) { shown.add($0) }
        return shown.lines
    }
}
