import Messages
import NIOCore
import NIOEmbedded
import ServiceRuntime
import TestSupport
import Testing

@testable import RPC

@Suite("Timeouts of a client connection, with manual time")
struct ClientTimeoutTests {
    /// What a connection reported to its owner.
    private final class Reported {
        var ready = 0
        var lost: [ServiceError] = []
    }

    private let fixture = QuietServerFixture()
    private let reported = Reported()

    private func connected() throws -> (EmbeddedChannel, ClientConnection) {
        let settings = ClientSettings(
            service: "test.echo", host: "127.0.0.1", port: 1, application: TestKey.application,
            keyID: TestKey.keyID, secret: TestKey.right)
        let connection = ClientConnection(
            settings, time: fixture.time, onReady: { [reported] _ in reported.ready += 1 },
            onLoss: { [reported] _, error in reported.lost.append(error) })
        let channel = EmbeddedChannel(handler: connection, loop: fixture.loop)
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return (channel, connection)
    }

    private func serverHello(_ channel: EmbeddedChannel, floor: UInt32 = 10_000) throws {
        try fixture.say(
            .hello(WireV1.Hello(version: 1, keepaliveFloorMs: floor, challenge: [1])), to: channel)
        #expect(reported.ready == 1)
        _ = try fixture.received(from: channel)
    }

    @Test(
        "a server that sends no Hello is disconnected after 5 s, so that the client can reconnect")
    func silentServer() throws {
        let (channel, _) = try connected()
        fixture.pass(.milliseconds(4_999))
        #expect(channel.isActive)
        fixture.pass(.milliseconds(1))
        #expect(!channel.isActive)
        #expect(reported.lost.map(\.code) == [.unavailable])
    }

    @Test(
        "Protos/README.md, Connection 3: a vanished server is detected by pings and its calls fail")
    func vanishedServer() throws {
        let (channel, connection) = try connected()
        try serverHello(channel)
        var result: Result<BorrowedResponse, ServiceError>?
        connection.start(
            PendingCall(
                OutgoingRequest(method: "a/b", metadata: Metadata(), payload: []),
                deadline: fixture.time.uptime() + .seconds(600), connectDue: .zero
            ) { result = $0 })
        fixture.loop.run()
        _ = try fixture.received(from: channel)
        fixture.pass(.seconds(30))
        #expect(try fixture.received(from: channel) == [.ping(WireV1.Ping())])
        fixture.pass(.seconds(20))
        #expect(!channel.isActive)
        guard case .failure(let error) = result else {
            Issue.record("the call did not end")
            return
        }
        #expect(error.code == .unavailable)
        #expect(!error.notProcessed)
        #expect(reported.lost.count == 1)
    }

    @Test("Protos/README.md, Connection 3: a client pings no more often than the server accepts")
    func floor() throws {
        let (channel, _) = try connected()
        try serverHello(channel, floor: 60_000)
        fixture.pass(.seconds(59))
        #expect(try fixture.received(from: channel).isEmpty)
        fixture.pass(.seconds(1))
        #expect(try fixture.received(from: channel) == [.ping(WireV1.Ping())])
    }

    @Test("Protos/README.md, Connection 6: a partial frame must be complete within 10 s")
    func partial() throws {
        let (channel, _) = try connected()
        try serverHello(channel)
        // A length of 1 MiB, and then bytes that would be answers.
        try channel.writeInbound(ByteBuffer(bytes: [0, 0x10, 0, 0, 1]))
        for _ in 0..<9 {
            fixture.pass(.seconds(1))
            try channel.writeInbound(ByteBuffer(bytes: [1, 2, 3]))
        }
        #expect(channel.isActive)
        fixture.pass(.seconds(1))
        #expect(!channel.isActive)
        #expect(reported.lost.map(\.code) == [.unavailable])
    }

    @Test("a call on a lost connection fails at once as not processed")
    func lostConnection() throws {
        let (channel, connection) = try connected()
        try serverHello(channel)
        _ = try channel.finish()
        var result: Result<BorrowedResponse, ServiceError>?
        connection.start(
            PendingCall(
                OutgoingRequest(method: "a/b", metadata: Metadata(), payload: []),
                deadline: .seconds(100_000), connectDue: .zero
            ) { result = $0 })
        guard case .failure(let error) = result else {
            Issue.record("the call hangs")
            return
        }
        #expect(error.notProcessed)
    }

    @Test("a closed connection is released from memory")
    func noLeak() throws {
        weak var connection: ClientConnection?
        do {
            let (channel, strong) = try connected()
            connection = strong
            try serverHello(channel)
            _ = try channel.finish()
        }
        fixture.pass(.seconds(600))
        #expect(connection == nil)
    }
}
