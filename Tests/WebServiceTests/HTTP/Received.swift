import NIOCore
import Synchronization
import TestSupport

/// What a test's client has received, which a test waits for.
final class Received<Part: Sendable>: Sendable {
    /// It did not arrive in time.
    struct TimedOut: Error {}

    private let state = Mutex<(parts: [Part], isClosed: Bool)>(([], false))

    var parts: [Part] { state.withLock { $0.parts } }

    func add(_ part: Part) { state.withLock { $0.parts.append(part) } }

    func close() { state.withLock { $0.isClosed = true } }

    /// Waits for what `isEnough` describes; its second argument says whether the other side closed.
    @discardableResult
    func wait(_ isEnough: ([Part], Bool) -> Bool) async throws -> [Part] {
        let isThere = try await eventually {
            let (parts, isClosed) = state.withLock { $0 }
            return isEnough(parts, isClosed)
        }
        guard isThere else { throw TimedOut() }
        return parts
    }

    /// Waits until the other side has closed.
    @discardableResult
    func closed() async throws -> [Part] { try await wait { $1 } }
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
