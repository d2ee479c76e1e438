import Messages
import RPC
import Testing

/// A frame that no good caller sends, and the reason of the GoAway that answers it.
struct HostileFrame: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let reason: WireV1.GoAwayReason
    /// Whether it is sent after a good Hello or in place of it.
    var isGreeted = true

    var testDescription: String { name }

    static let all: [HostileFrame] =
        [false, true].flatMap { isGreeted in
            lengths.map { name, length, reason in
                HostileFrame(
                    name: "\(name)\(isGreeted ? "" : ", before Hello")",
                    bytes: big(length) + Array(repeating: 0x12, count: 64), reason: reason,
                    isGreeted: isGreeted)
            }
        }
        + kinds.map { name, kind in
            HostileFrame(name: name, bytes: framed(kind), reason: .protocolError)
        }
        + strangers.map { name, kind in
            HostileFrame(
                name: "\(name) before Hello", bytes: framed(kind), reason: .protocolError,
                isGreeted: false)
        } + broken

    private static let lengths: [(String, UInt32, WireV1.GoAwayReason)] = [
        ("length 0", 0, .protocolError), ("length 2^31-1", 1 << 31 - 1, .frameTooLarge),
        ("length 2^31", 1 << 31, .frameTooLarge), ("length 2^32-1", .max, .frameTooLarge),
        ("one byte over the limit", 131_073, .frameTooLarge),
    ]

    private static let kinds: [(String, WireV1.Frame.Kind)] = [
        ("a second Hello", .hello(WireV1.Hello(version: 1))),
        ("a Response", .response(WireV1.Response(call: 1))),
        ("call 0", .request(WireV1.Request(call: 0))),
        ("a Cancel of nothing", .cancel(WireV1.Cancel(call: 1))),
        ("an Item of nothing", .item(WireV1.Item(call: 1))),
        ("a Credit of nothing", .credit(WireV1.Credit(call: 1, items: 1))),
    ]

    private static let strangers: [(String, WireV1.Frame.Kind)] = [
        ("a Request", .request(WireV1.Request(call: 1, method: "test.v1.Echo/OnLoop"))),
        ("a Response", .response(WireV1.Response(call: 1))), ("a Ping", .ping(WireV1.Ping())),
        ("a Pong", .pong(WireV1.Pong())), ("a Cancel", .cancel(WireV1.Cancel(call: 1))),
        ("a GoAway", .goAway(WireV1.GoAway())),
    ]

    private static let broken: [HostileFrame] =
        [
            ("no protobuf", [0xff, 0xff]), ("a group", [0x0b, 0x0c]),
            ("half a field", [0x12, 0x05]),
            ("a Request whose call is text", [0x12, 0x03, 0x0a, 0x01, 0x61]),
            ("a Hello that is no text", [0x0a, 0x03, 0x42, 0x01, 0xff]),
            ("metadata that is no text", [0x12, 0x07, 0x08, 0x01, 0x22, 0x03, 0x0a, 0x01, 0xff]),
        ].map { name, body in
            HostileFrame(name: name, bytes: framed(body), reason: .protocolError)
        } + [
            HostileFrame(
                name: "4,097 bytes before Hello", bytes: big(4_097), reason: .frameTooLarge,
                isGreeted: false),
            HostileFrame(
                name: "65 frames of unknown kinds",
                bytes: Array(repeating: framed([0x9a, 0x06, 0x00]), count: 65).flatMap { $0 },
                reason: .protocolError),
            HostileFrame(
                name: "65 Pongs unasked",
                bytes: Array(repeating: framed(.pong(WireV1.Pong())), count: 65).flatMap { $0 },
                reason: .protocolError),
            HostileFrame(
                name: "four Pings at once",
                bytes: Array(repeating: framed(.ping(WireV1.Ping())), count: 4).flatMap { $0 },
                reason: .tooManyPings),
        ]

    private static func big(_ length: UInt32) -> [UInt8] {
        withUnsafeBytes(of: length.bigEndian) { Array($0) }
    }

    private static func framed(_ body: [UInt8]) -> [UInt8] { big(UInt32(body.count)) + body }

    private static func framed(_ kind: WireV1.Frame.Kind) -> [UInt8] {
        framed(WireV1.Frame(kind: kind).encoded())
    }
}

@Suite("Hostile frames over TCP", .timeLimit(.minutes(2)))
struct HostileFramesTests {
    @Test("SECURITY.md, Frames: a hostile frame gets a GoAway and a quick close; others are served")
    func each() async throws {
        try await Loopback.run { loopback in
            let neighbour = try RawPeer.greeted(port: loopback.server.port)
            neighbour.send(1, EchoService.gated, "neighbour")
            var call: UInt64 = 1
            for frame in HostileFrame.all {
                let clock = ContinuousClock()
                let started = clock.now
                let peer = try RawPeer(port: loopback.server.port)
                try peer.greet()
                if frame.isGreeted { peer.send(.hello(peer.soundHello())) }
                peer.send(bytes: frame.bytes)
                let reason = try? peer.goAway()  // nil: closed without a GoAway
                #expect(reason == frame.reason, "\(frame.name)")
                // The close must not have waited for the timeout of a Hello or of a partial frame.
                #expect(
                    started.duration(to: clock.now) < FrameLimits.helloTimeout - .seconds(1),
                    "\(frame.name)")
                call += 1
                neighbour.send(call, EchoService.onLoop, "\(call)")
                #expect(try neighbour.response(call).status == 0, "\(frame.name)")
            }
            loopback.gate.open()
            #expect(try neighbour.response(1).status == 0)
        }
    }

    @Test("SECURITY.md, Frames: thousands of sub-messages and unknown fields harm no other caller")
    func thousands() async throws {
        try await Loopback.run { loopback in
            let name = [UInt8](EchoService.onLoop.name.utf8)
            let head = [0x08, 0x01, 0x12, UInt8(name.count)] + name
            let parts: [[UInt8]] = [[0x22, 0x00], [0x9a, 0x06, 0x00], [0xa0, 0x06, 0x01]]
            for part in parts {
                let many = Array(repeating: part, count: 20_000).flatMap { $0 }
                let peer = try RawPeer.greeted(port: loopback.server.port)
                let request = WireV1.Request(call: 2, method: EchoService.async.name, payload: many)
                peer.send(body: many)  // as a frame
                peer.send(body: Self.field(0x12, head + many))  // as a Request
                peer.send(.request(request))  // as a payload
                peer.send(3, EchoService.onLoop, "next")
                // Each is skipped, rejected, or ends the connection.
                var isOver = false
                while !isOver {
                    switch try peer.receive() {
                    case .response(let response):
                        #expect([0, 3].contains(response.status))
                        isOver = response.call == 3
                    case .goAway(let goAway):
                        #expect(goAway.reason == .protocolError)
                        isOver = true
                    default:
                        Issue.record("neither answered nor ended")
                        isOver = true
                    }
                }
                try await loopback.expectEcho(EchoService.async, "neighbour")
            }
        }
    }

    private static func field(_ tag: UInt8, _ body: [UInt8]) -> [UInt8] {
        var (length, rest) = ([UInt8](), body.count)
        while rest >= 0x80 {
            length.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        return [tag] + length + [UInt8(rest)] + body
    }

    @Test(
        "Protos/README.md, Frame: call ids out of order are PROTOCOL_ERROR",
        arguments: [
            (UInt64(5), UInt64(5)), (5, 4), (1, 0), (.max, 1), (.max, .max),
        ])
    func order(first: UInt64, then: UInt64) async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(first, EchoService.onLoop)
            #expect(try peer.response(first).status == 0)
            peer.send(then, EchoService.onLoop)
            #expect(try peer.goAway() == .protocolError)
        }
    }

    @Test("Protos/README.md, Frame: answers to calls before a violation arrive before the GoAway")
    func answersFirst() async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            for call in 1...100 { peer.send(UInt64(call), EchoService.onLoop, "\(call)") }
            // 500,000 unread bytes after the violation must not reset the connection before the
            // answers and the GoAway are read.
            peer.send(bytes: [0, 0, 0, 0] + Array(repeating: 0x41, count: 500_000))
            #expect(try peer.response(100).status == 0)
            #expect(try peer.goAway() == .protocolError)
        }
    }

    @Test("SECURITY.md, Frames: every truncated request is PROTOCOL_ERROR")
    func truncations() async throws {
        try await Loopback.run { loopback in
            let whole = WireV1.Frame(
                kind: .request(
                    WireV1.Request(
                        call: 1, method: EchoService.onLoop.name, timeoutMs: 1_000,
                        metadata: [WireV1.Metadata(key: "a", value: [1])],
                        payload: [0x0a, 0x01, 0x61]))
            ).encoded()
            for count in 1..<whole.count {
                let peer = try RawPeer.greeted(port: loopback.server.port)
                peer.send(body: Array(whole[..<count]))
                #expect(try peer.goAway() == .protocolError, "cut at \(count)")
            }
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(body: whole)
            #expect(try peer.response(1).status == 0)
        }
    }

    @Test("SECURITY.md, Frames: a peer that reads no answers is disconnected, others are served")
    func takesNothing() async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port, frameBytesMax: 1 << 20)
            // 30,000 answers of 1,000,000 bytes are 30 GB: the peer must be disconnected long
            // before.
            var isTaken = true
            var call: UInt64 = 0
            while isTaken, call < 30_000 {
                call += 1
                isTaken = peer.send(call, EchoService.long, "1000000")
                guard call % 100 == 0 else { continue }
                try await loopback.expectEcho(EchoService.onLoop, "neighbour")
            }
            #expect(!isTaken)
        }
    }
}
