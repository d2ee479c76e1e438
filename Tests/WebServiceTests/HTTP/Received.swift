import NIOCore
import Synchronization

/// What a test's client has received, which a test waits for.
final class Received<Part: Sendable>: Sendable {
    /// It did not arrive within five seconds.
    struct TimedOut: Error {}

    private let state = Mutex<(parts: [Part], isClosed: Bool)>(([], false))

    var parts: [Part] { state.withLock { $0.parts } }

    func add(_ part: Part) { state.withLock { $0.parts.append(part) } }

    func close() { state.withLock { $0.isClosed = true } }

    /// Waits for what `isEnough` describes; its second argument says whether the other side closed.
    @discardableResult
    func wait(_ isEnough: ([Part], Bool) -> Bool) async throws -> [Part] {
        for _ in 0..<1_000 {
            let (parts, isClosed) = state.withLock { $0 }
            if isEnough(parts, isClosed) { return parts }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw TimedOut()
    }

    /// Waits until the other side has closed.
    @discardableResult
    func closed() async throws -> [Part] { try await wait { $1 } }
}

/// Waits until `isTrue`, for five seconds at most.
func eventually(_ isTrue: () -> Bool) async throws {
    for _ in 0..<1_000 {
        if isTrue() { return }
        try await Task.sleep(for: .milliseconds(5))
    }
    throw Received<Int>.TimedOut()
}

/// Passes what a channel receives to `Received`.
final class ReceivedHandler<Part: Sendable>: ChannelInboundHandler {
    typealias InboundIn = Part

    private let received: Received<Part>

    init(_ received: Received<Part>) {
        self.received = received
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.add(unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) {
        received.close()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
