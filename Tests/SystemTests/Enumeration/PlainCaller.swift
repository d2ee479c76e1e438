import Contracts
import Glibc
import Messages
import RPC
import ServiceRuntime
import TestSupport

/// A client that speaks the wire protocol directly over one blocking socket, one call at a time. It
/// sees the bytes of a response as they arrive, and no client code of its own affects the times.
final class PlainCaller {
    /// A response, and the time until it arrived.
    struct Answer {
        /// The whole response except the number of the call.
        var response: WireV1.Response
        let took: Duration
    }

    private static let timeoutSeconds = 20

    private let socket: Int32
    private var calls: UInt64 = 0
    private var received: [UInt8] = []

    /// An application of the cluster's gateway.
    convenience init(_ cluster: Cluster) throws {
        let key = try ApplicationKey(file: cluster.key(of: "app"))
        try self.init(
            cluster, service: "gateway", application: key.application, keyID: key.keyID,
            key: key.key)
    }

    /// Any application, at any service.
    init(
        _ cluster: Cluster, service: String, application: String, keyID: String,
        key: any ApplicationProver
    ) throws {
        guard let address = try cluster.addresses()[service].flatMap({ ServiceAddress($0) })
        else { throw ClusterError(message: "endpoints.json names no \(service)") }
        socket = try LoopbackSocket.connected(to: address.port, from: 1)
        LoopbackAddress.setTimeouts(seconds: Self.timeoutSeconds, of: socket)
        guard case .hello(let server) = try frame() else {
            throw ClusterError(message: "\(service) sent no Hello")
        }
        var hello = WireV1.Hello(
            version: 1, service: "postern.\(service)", application: application, keyId: keyID)
        hello.proof = ApplicationProof.make(challenge: server.challenge, hello, key: key)
        try send(.hello(hello))
    }

    /// Whether the service accepts a call from this application.
    func isBelieved() throws -> Bool {
        try send(.request(WireV1.Request(call: 1, method: "postern.health.v1.Health/Check")))
        while true {
            switch try frame() {
            case .response(let response): return response.status == 0
            case .goAway(let goAway) where goAway.reason == .unauthenticated: return false
            case .goAway(let goAway): throw ClusterError(message: "\(goAway)")
            default: continue
            }
        }
    }

    deinit { close(socket) }

    /// Calls a method of the gateway, each time with another client address, so that no limit by
    /// address applies.
    /// - Parameters:
    ///   - method: without its package: "Auth/SignInWithPassword".
    ///   - accessToken: of the session in which it is called; nil for none.
    func ask(
        _ method: String, _ request: some ProtobufMessage, accessToken: String? = nil
    ) throws -> Answer {
        calls += 1
        let address = Person(Int(calls)).address
        var metadata = [
            WireV1.Metadata(key: Metadata.Key.clientAddress, value: Array(address.utf8))
        ]
        if let accessToken {
            metadata.append(
                .init(
                    key: Metadata.Key.authorization, value: Array("Bearer \(accessToken)".utf8)))
        }
        let call = WireV1.Frame.Kind.request(
            WireV1.Request(
                call: calls, method: "postern.gateway.v1.\(method)", timeoutMs: 20_000,
                metadata: metadata, payload: request.encoded()))
        let begun = ContinuousClock.now
        try send(call)
        while true {
            guard case .response(var response) = try frame() else { continue }
            let took = ContinuousClock.now - begun
            response.call = 0
            return Answer(response: response, took: took)
        }
    }

    private func send(_ kind: WireV1.Frame.Kind) throws {
        let body = WireV1.Frame(kind: kind).encoded()
        let bytes = withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) } + body
        guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw ClusterError(message: "writing failed: \(errno)")
        }
    }

    /// The next frame. It must encode to the same bytes, so that no part of it is ignored.
    private func frame() throws -> WireV1.Frame.Kind? {
        let count = try take(4).reduce(0) { $0 << 8 | Int($1) }
        let body = try take(count)
        let frame = try WireV1.Frame(decoding: body)
        guard frame.encoded() == body else {
            throw ClusterError(message: "a frame has fields that are not decoded")
        }
        return frame.kind
    }

    private func take(_ count: Int) throws -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while received.count < count {
            let read = recv(socket, &chunk, chunk.count, 0)
            guard read > 0 else { throw ClusterError(message: "reading failed: \(errno)") }
            received += chunk[..<read]
        }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }
}
