import NIOCore
import NIOEmbedded
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import RPC

@Suite("TLS: timeout of a handshake")
struct SlowHandshakeTests {
    @Test("Protos/README.md, Connection 6: TLS handshake and Hello share a limit of 5 s")
    func silent() throws {
        let fixture = QuietServerFixture()
        let folder = try TemporaryFolder()
        let authority = try TestAuthority(now: fixture.time.now())
        let files = try authority.issue([.dns("localhost")]).files(in: folder, "server")
        let tls = try ServerTLS(
            ServerTLSFiles(certificate: files, roots: nil), now: fixture.time.now())
        let (plain, shared) = try fixture.serverConnection()
        try plain.close().wait()
        let connection = ServerConnection(shared, LoopResources(fixture.loop))
        let channel = EmbeddedChannel(loop: fixture.loop)
        try tls.guardChannel(channel, before: connection, time: fixture.time)
        try channel.pipeline.syncOperations.addHandler(connection)
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        fixture.pass(.milliseconds(4_990))
        #expect(channel.isActive)
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        fixture.pass(.milliseconds(20))
        fixture.pass(.seconds(2))
        #expect(!channel.isActive)
        #expect(shared.connections.withLock { $0.isEmpty })
    }
}
