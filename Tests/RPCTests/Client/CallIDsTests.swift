import Messages
import NIOCore
import NIOEmbedded
import ServiceRuntime
import TestSupport
import Testing

@testable import RPC

@Suite("A client connection near the end of its ids, with manual time")
struct CallIDsTests {
    private final class Reported {
        var lost: [ServiceError] = []
        var ended: [Int: ErrorCode?] = [:]
    }

    private let fixture = QuietServerFixture()
    private let reported = Reported()

    private func start(_ number: Int, on connection: ClientConnection) {
        let request = OutgoingRequest(method: "a/b", metadata: Metadata(), payload: [])
        connection.start(
            PendingCall(
                request, deadline: fixture.time.uptime() + .seconds(600), connectDue: .zero
            ) { [reported] result in
                if case .failure(let error) = result {
                    reported.ended[number] = .some(error.code)
                } else {
                    reported.ended[number] = .some(nil)
                }
            })
    }

    @Test(
        "Protos/README.md, Call: a connection out of ids takes no calls and closes after the last")
    func spent() throws {
        let settings = ClientSettings(
            service: "test.echo", host: "127.0.0.1", port: 1, application: TestKey.application,
            keyID: TestKey.keyID, secret: TestKey.right)
        let connection = ClientConnection(
            settings, time: fixture.time, idsMax: 3, onReady: { _ in },
            onLoss: { [reported] _, error in reported.lost.append(error) })
        let channel = EmbeddedChannel(handler: connection, loop: fixture.loop)
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try fixture.say(.hello(WireV1.Hello(version: 1, callsMax: 2, challenge: [1])), to: channel)
        for number in 1...5 { start(number, on: connection) }
        #expect(reported.lost.isEmpty)
        try fixture.say(.response(WireV1.Response(call: 1)), to: channel)
        fixture.loop.run()
        // The third id is used: calls 4 and 5, which waited, and any later call go to another
        // connection.
        #expect(reported.lost.map(\.notProcessed) == [true])
        #expect(reported.ended == [1: nil, 4: .unavailable, 5: .unavailable])
        start(6, on: connection)
        #expect(reported.ended[6] == .unavailable)
        #expect(try fixture.goAways(from: channel) == [.draining])
        #expect(channel.isActive)
        for call: UInt64 in [2, 3] {
            try fixture.say(.response(WireV1.Response(call: call)), to: channel)
        }
        #expect(reported.ended.count == 6)
        #expect(!channel.isActive)
        #expect(reported.lost.count == 1)
    }
}
