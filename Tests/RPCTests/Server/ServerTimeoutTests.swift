import Messages
import NIOCore
import NIOEmbedded
import Synchronization
import TestSupport
import Testing

@testable import RPC

@Suite("Timeouts of a server's connection, with manual time")
struct ServerTimeoutTests {
    private let fixture = QuietServerFixture()

    @Test("Protos/README.md, Connection 6: without a Hello the connection ends after 5 s as SLOW")
    func hello() throws {
        let (channel, shared) = try fixture.serverConnection()
        _ = try fixture.received(from: channel)
        fixture.pass(.milliseconds(4_999))
        #expect(channel.isActive)
        fixture.pass(.milliseconds(1))
        #expect(try fixture.goAways(from: channel) == [.slow])
        #expect(!channel.isActive)
        fixture.pass(.seconds(60))
        #expect(shared.connections.withLock { $0.isEmpty })
    }

    @Test(
        "Protos/README.md, Connection 6: a partial frame must be complete within 10 s",
        arguments: [1, 3, 4, 40])
    func partial(count: Int) throws {
        let (channel, _) = try fixture.serverConnection()
        try fixture.greet(channel)
        try channel.writeInbound(
            ByteBuffer(bytes: ([0, 0, 0, 100] + Array(repeating: 1, count: 36))[..<count]))
        fixture.pass(.milliseconds(9_999))
        #expect(try fixture.goAways(from: channel) == [])
        fixture.pass(.milliseconds(1))
        #expect(try fixture.goAways(from: channel) == [.slow])
    }

    @Test(
        "Protos/README.md, Connection 6: each frame has its own 10 s, which end with the frame"
    )
    func nextFrame() throws {
        let (channel, _) = try fixture.serverConnection()
        try fixture.greet(channel)
        let frame = [0, 0, 0, 3, 0x9a, 0x06, 0x00] as [UInt8]  // of an unknown kind
        try channel.writeInbound(ByteBuffer(bytes: frame[..<5]))
        for _ in 0..<5 {
            fixture.pass(.seconds(9))
            // The end of one frame and the beginning of the next.
            try channel.writeInbound(ByteBuffer(bytes: frame[5...] + frame[..<5]))
        }
        try channel.writeInbound(ByteBuffer(bytes: frame[5...]))
        fixture.pass(.seconds(15))
        #expect(channel.isActive)
        #expect(try fixture.goAways(from: channel) == [])
    }

    @Test(
        "Protos/README.md, Connection 3: an idle peer is pinged and closed if it does not answer")
    func keepAlive() throws {
        let (channel, _) = try fixture.serverConnection()
        try fixture.greet(channel)
        fixture.pass(.seconds(29))
        #expect(try fixture.received(from: channel).isEmpty)
        fixture.pass(.seconds(1))
        #expect(try fixture.received(from: channel) == [.ping(WireV1.Ping())])
        fixture.pass(.seconds(19))
        #expect(channel.isActive)
        fixture.pass(.seconds(1))
        #expect(!channel.isActive)
    }

    @Test("Protos/README.md, Connection 3: a peer that answers pings may be idle for any time")
    func pongs() throws {
        let (channel, _) = try fixture.serverConnection()
        try fixture.greet(channel)
        var pings = 0
        for _ in 0..<5_000 {
            fixture.pass(.seconds(10))
            for kind in try fixture.received(from: channel) {
                #expect(kind == .ping(WireV1.Ping()))
                pings += 1
                try fixture.say(.pong(WireV1.Pong()), to: channel)
            }
        }
        #expect(channel.isActive)
        #expect(pings > 500)
    }

    @Test("Protos/README.md, Connection 4: a drain waits for running calls until its grace ends")
    func grace() throws {
        let (channel, shared) = try fixture.serverConnection()
        try fixture.greet(channel)
        try fixture.say(
            .request(WireV1.Request(call: 1, method: EchoService.stubborn.name)), to: channel)
        #expect(shared.admission.runningCount == 1)
        channel.pipeline.fireUserInboundEventTriggered(ServerConnection.Event.drain)
        #expect(try fixture.goAways(from: channel) == [.draining])
        fixture.pass(FrameLimits.drainGrace - .milliseconds(1))
        #expect(channel.isActive)
        fixture.pass(.milliseconds(1))
        #expect(!channel.isActive)
        fixture.echo.gate.open()
    }

    @Test("Protos/README.md, Call: timeout 0 means the method's default of 10 s")
    func defaultTimeout() throws {
        let (channel, _) = try fixture.serverConnection()
        try fixture.greet(channel)
        try fixture.say(
            .request(WireV1.Request(call: 1, method: EchoService.stubborn.name)), to: channel)
        fixture.pass(.milliseconds(9_994))
        #expect(try fixture.received(from: channel).isEmpty)
        fixture.pass(.milliseconds(1))
        guard case .response(let response) = try fixture.received(from: channel).first else {
            Issue.record("no response")
            return
        }
        #expect(response.status == 4)
        fixture.echo.gate.open()
    }

    @Test("X-06: a waiting call whose deadline has passed is not begun, even if its timer is late")
    func lateTimer() throws {
        var limits = ServerLimits()
        limits.runningMax = 1
        limits.queueMax = 1
        let (channel, shared) = try fixture.serverConnection(limits)
        try fixture.greet(channel)
        for (call, timeout) in [(1, 20_000), (2, 60)] as [(UInt64, UInt32)] {
            try fixture.say(
                .request(
                    WireV1.Request(
                        call: call, method: EchoService.gated.name, timeoutMs: timeout)),
                to: channel)
        }
        #expect(shared.admission.waitingCount == 1)
        fixture.time.advance(by: .milliseconds(60))  // the loop is busy: no timer fires
        fixture.echo.gate.open()
        fixture.loop.run()
        let responses = try fixture.received(from: channel).compactMap { kind in
            if case .response(let response) = kind { response } else { nil }
        }
        #expect(responses.map(\.call) == [1, 2])
        #expect(responses.map(\.status) == [0, 4])
        #expect(responses.last?.notProcessed == true)
        #expect(fixture.echo.gate.enteredCount == 1)
        #expect(shared.admission.runningCount == 0)
    }

    @Test("a connection accepted while the server begins to drain is drained too")
    func lateAccept() throws {
        let fixture = QuietServerFixture()
        let (_, shared) = try fixture.serverConnection()
        shared.isDraining.store(true, ordering: .releasing)
        let late = EmbeddedChannel(
            handler: ServerConnection(shared, LoopResources(fixture.loop)), loop: fixture.loop)
        try late.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        #expect(try fixture.goAways(from: late) == [.draining])
        #expect(!late.isActive)
    }
}
