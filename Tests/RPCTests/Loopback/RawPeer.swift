import Glibc
import Messages
import RPC
import TestSupport

/// A plain blocking socket that can send anything. Each of its waits ends after five seconds.
final class RawPeer {
    /// The other side neither sent nor read in time, or sent something that is not a frame.
    struct Silence: Error {
        let reason: String
    }

    private let socket: Int32
    private var buffer: [UInt8] = []
    /// The server's Hello, once read.
    private(set) var serverHello = WireV1.Hello()

    /// Connects to the server on `port`.
    convenience init(port: Int) throws {
        let socket = try Self.tcp()
        self.init(socket)
        try Self.connect(socket, port: port)
    }

    static func connect(_ socket: Int32, port: Int) throws {
        let result = LoopbackAddress.with(port) { Glibc.connect(socket, $0, $1) }
        guard result == 0 else { throw Silence(reason: "connect: \(errno)") }
    }

    init(_ socket: Int32) {
        self.socket = socket
        LoopbackAddress.setTimeouts(seconds: 5, of: socket)
    }

    deinit { close(socket) }

    static func tcp() throws -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Silence(reason: "socket: \(errno)") }
        return socket
    }

    // MARK: Sending

    /// Sends the bytes as they are. Returns false once the other side reads no more.
    @discardableResult
    func send(bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends the body with its length in front.
    @discardableResult
    func send(body: [UInt8]) -> Bool {
        send(bytes: withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) } + body)
    }

    @discardableResult
    func send(_ kind: WireV1.Frame.Kind) -> Bool {
        send(body: WireV1.Frame(kind: kind).encoded())
    }

    @discardableResult
    func send(
        _ call: UInt64, _ method: MethodDescription, _ text: String = "",
        timeout: UInt32 = 20_000, more: Bool = false
    ) -> Bool {
        let payload = EchoService.Request(accessToken: text).encoded()
        return send(
            .request(
                WireV1.Request(
                    call: call, method: method.name, timeoutMs: timeout, more: more,
                    payload: payload)))
    }

    /// Sends an item of a stream.
    @discardableResult
    func send(item text: String, of call: UInt64, end: Bool = false) -> Bool {
        let payload = EchoService.Request(accessToken: text).encoded()
        return send(.item(WireV1.Item(call: call, end: end, payload: payload)))
    }

    /// Closes the sending side.
    func shutDown() { shutdown(socket, Int32(SHUT_WR)) }

    // MARK: Receiving

    /// The next frame, or nil at the end of the stream.
    func receive() throws -> WireV1.Frame.Kind? {
        guard let head = try bytes(4) else { return nil }
        let count = head.reduce(0) { $0 << 8 | Int($1) }
        guard let body = try bytes(count) else { throw Silence(reason: "half a frame") }
        return try WireV1.Frame(decoding: body).kind
    }

    /// The Response to `call`; other frames before it are skipped.
    func response(_ call: UInt64) throws -> WireV1.Response {
        while let kind = try receive() {
            if case .response(let response) = kind, response.call == call { return response }
        }
        throw Silence(reason: "closed before the response to \(call)")
    }

    /// The Responses to these calls, in any order: a queue that has not drained for 100 ms serves
    /// the newest call first.
    /// - Parameter count: How many to wait for; nil for all.
    func responses(
        _ calls: ClosedRange<UInt64>, count: Int? = nil
    ) throws -> [UInt64: WireV1.Response] {
        let count = count ?? calls.count
        var responses: [UInt64: WireV1.Response] = [:]
        while responses.count < count, let kind = try receive() {
            if case .response(let response) = kind, calls.contains(response.call) {
                responses[response.call] = response
            }
        }
        guard responses.count == count else {
            throw Silence(reason: "closed after the responses to \(responses.keys.sorted())")
        }
        return responses
    }

    /// The reason of the GoAway that comes before the end of the stream.
    func goAway() throws -> WireV1.GoAwayReason {
        var reason: WireV1.GoAwayReason?
        while let kind = try receive() {
            if case .goAway(let goAway) = kind { reason = goAway.reason }
        }
        guard let reason else { throw Silence(reason: "closed without a GoAway") }
        return reason
    }

    private func bytes(_ count: Int) throws -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while buffer.count < count {
            let read = recv(socket, &chunk, chunk.count, 0)
            if read == 0, buffer.isEmpty { return nil }
            guard read > 0 else { throw Silence(reason: read == 0 ? "cut" : "recv: \(errno)") }
            buffer += chunk[..<read]
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    // MARK: Hello

    /// Reads the server's Hello.
    func greet() throws {
        guard case .hello(let hello) = try receive() else { throw Silence(reason: "no Hello") }
        serverHello = hello
    }

    /// A Hello with a good proof for the server's challenge.
    func soundHello(frameBytesMax: UInt32 = 0, streamCredit: UInt32 = 0) -> WireV1.Hello {
        var hello = WireV1.Hello(
            version: 1, frameBytesMax: frameBytesMax, streamCredit: streamCredit,
            service: "test.echo",
            application: TestKey.application, keyId: TestKey.keyID)
        hello.proof = ApplicationProof.make(
            challenge: serverHello.challenge, hello, key: TestKey.right)
        return hello
    }

    /// A connected peer that has sent Hello.
    static func greeted(
        port: Int, frameBytesMax: UInt32 = 0, streamCredit: UInt32 = 0
    ) throws -> RawPeer {
        let peer = try RawPeer(port: port)
        try peer.greet()
        peer.send(
            .hello(peer.soundHello(frameBytesMax: frameBytesMax, streamCredit: streamCredit)))
        return peer
    }
}
