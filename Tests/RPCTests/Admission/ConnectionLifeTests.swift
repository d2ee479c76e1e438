import Messages
import NIOCore
import NIOEmbedded
import Testing

@testable import RPC

@Suite("Age and idle limits of a connection")
struct ConnectionLifeTests {
    private func life(
        age: Duration? = nil, idle: Duration? = nil, jitter: UInt64 = 100
    ) -> ConnectionLife {
        var limits = ServerLimits()
        limits.connectionAgeMax = age
        limits.connectionIdleMax = idle
        return ConnectionLife(at: .seconds(1_000), limits, jitter: jitter)
    }

    @Test("without limits a connection never ends")
    func endless() {
        var life = life()
        #expect(life.due == nil)
        #expect(life.look(at: .seconds(1_000_000), runningCount: 0) == nil)
    }

    @Test(
        "Protos/README.md, Connection 5: the maximum age has a jitter of 10 % either way",
        arguments: [(UInt64(0), 900), (100, 1_000), (200, 1_100), (201, 900), (.max, 0)])
    func jitter(jitter: UInt64, seconds: Int) {
        let due = life(age: .seconds(1_000), jitter: jitter).due ?? .zero
        #expect((.seconds(1_900)...(.seconds(2_100))).contains(due))
        if seconds > 0 { #expect(due == .seconds(1_000 + seconds)) }
    }

    @Test("a connection at its maximum age ends once, even while calls run")
    func old() {
        var life = life(age: .seconds(60), idle: .seconds(600))
        #expect(life.look(at: .milliseconds(1_059_999), runningCount: 3) == nil)
        #expect(life.look(at: .seconds(1_060), runningCount: 3) == .old)
        #expect(life.look(at: .seconds(1_061), runningCount: 3) == nil)
        #expect(life.due == nil)
    }

    @Test("the idle limit counts from the last call and does not apply while one runs")
    func idle() {
        var life = life(idle: .seconds(60))
        life.called(at: .seconds(1_030))
        #expect(life.look(at: .seconds(1_060), runningCount: 0) == nil)
        #expect(life.due == .seconds(1_090))
        #expect(life.look(at: .seconds(1_090), runningCount: 1) == nil)
        #expect(life.due == .seconds(1_150))
        #expect(life.look(at: .seconds(1_150), runningCount: 0) == .idle)
    }
}

@Suite("A server ends old and idle connections, with manual time")
struct ConnectionEndTests {
    private let fixture = QuietServerFixture()

    private var limits: ServerLimits {
        var limits = ServerLimits()
        limits.connectionAgeMax = .seconds(3_600)
        limits.connectionIdleMax = .seconds(300)
        return limits
    }

    /// Advances time and answers each ping. Returns the reasons of the GoAways that arrived.
    private func live(
        _ channel: EmbeddedChannel, _ duration: Duration
    ) throws -> [WireV1.GoAwayReason] {
        var reasons: [WireV1.GoAwayReason] = []
        for _ in 0..<Int(duration.components.seconds / 10) where channel.isActive {
            fixture.pass(.seconds(10))
            for kind in try fixture.received(from: channel) {
                switch kind {
                case .ping: try fixture.say(.pong(WireV1.Pong()), to: channel)
                case .goAway(let goAway): reasons.append(goAway.reason)
                default: break
                }
            }
        }
        return reasons
    }

    @Test("Protos/README.md, Connection 5: an idle connection gets GoAway IDLE and is closed")
    func idle() throws {
        let (channel, _) = try fixture.serverConnection(limits)
        try fixture.greet(channel)
        #expect(try live(channel, .seconds(290)) == [])
        #expect(try live(channel, .seconds(20)) == [.idle])
        #expect(!channel.isActive)
    }

    @Test(
        "Protos/README.md, Connection 5: an old busy connection gets GoAway DRAINING and is closed")
    func old() throws {
        let (channel, _) = try fixture.serverConnection(limits)
        try fixture.greet(channel)
        var reasons: [WireV1.GoAwayReason] = []
        for call in 1...40 where reasons.isEmpty {
            reasons += try live(channel, .seconds(100))
            guard reasons.isEmpty else { break }
            try fixture.say(
                .request(WireV1.Request(call: UInt64(call), method: EchoService.onLoop.name)),
                to: channel)
        }
        #expect(reasons == [.draining])
        #expect(!channel.isActive)
    }

    @Test("Protos/README.md, Connection 4: age ends no call; a stop does, after its grace")
    func oldWithCall() throws {
        let (channel, _) = try fixture.serverConnection(limits)
        try fixture.greet(channel)
        try fixture.say(
            .request(
                WireV1.Request(
                    call: 1, method: EchoService.stubborn.name, timeoutMs: 3 * 3_600_000)),
            to: channel)
        #expect(try live(channel, .seconds(7_200)) == [.draining])
        #expect(channel.isActive)
        channel.pipeline.fireUserInboundEventTriggered(ServerConnection.Event.drain)
        fixture.pass(FrameLimits.drainGrace - .milliseconds(1))
        #expect(channel.isActive)
        fixture.pass(.milliseconds(1))
        #expect(!channel.isActive)
        fixture.echo.gate.open()
    }
}
