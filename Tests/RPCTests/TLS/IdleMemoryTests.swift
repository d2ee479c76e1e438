import Cryptography
import Glibc
import NIOPosix
import RPC
import ServiceRuntime
import TestSupport
import Testing

/// Memory of idle connections. Both ends are in this process, so the limits are twice those of one
/// end.
@Suite("Memory of idle connections", .serialized, .timeLimit(.minutes(1)))
struct IdleMemoryTests {
    private static let count = 300

    @Test("an idle TLS connection costs at most 64 KiB at each end")
    func tls() async throws {
        try await TLSLoopback.run { loopback in
            let bytes = try await Self.bytes {
                try loopback.client()
            }
            #expect(bytes <= 2 * 64 * 1024)
        }
    }

    @Test("an idle connection without TLS costs at most 16 KiB at each end")
    func plain() async throws {
        try await Loopback.run(limits: Loopback.Limits().with { $0.connectionsMax = 1_000 }) {
            loopback in
            let bytes = try await Self.bytes {
                Loopback.client(port: loopback.server.port, group: loopback.group)
            }
            #expect(bytes <= 2 * 16 * 1024)
        }
    }

    /// Resident bytes for each connection of a client from `make`.
    private static func bytes(_ make: () throws -> RPCClient) async throws -> Int {
        var clients: [RPCClient] = []
        func connect(_ count: Int) async throws {
            for _ in 0..<count {
                let client = try make()
                #expect(await TLSLoopback.outcome(of: client) == nil)
                clients.append(client)
            }
        }
        // The first connections allocate what is shared.
        try await connect(20)
        let before = residentBytes
        try await connect(count)
        let after = residentBytes
        for client in clients { client.close() }
        return (after - before) / count
    }

    private static var residentBytes: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let text = String(decoding: buffer[..<fread(&buffer, 1, 256, file)], as: UTF8.self)
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
    }
}
