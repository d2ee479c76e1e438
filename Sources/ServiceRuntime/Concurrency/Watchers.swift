import Synchronization

/// Tasks that follow changes, each by a stream of its own. A slow one gets only the newest element.
package final class Watchers<Element: Sendable>: Sendable {
    private struct State {
        var continuations: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var numbersUsed: UInt64 = 0
    }

    /// It is not held while an element is sent: that waits for the lock of the watcher's task, which
    /// a cancellation holds while `onTermination` waits for this one.
    private let state = Mutex(State())

    /// No watchers.
    package init() {}

    /// Returns the stream of a new watcher: `first` if it is given, then each element that is sent.
    package func stream(_ first: Element? = nil) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(1))
        if let first { continuation.yield(first) }
        let number = state.withLock { state in
            state.numbersUsed += 1
            state.continuations[state.numbersUsed] = continuation
            return state.numbersUsed
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.continuations.removeValue(forKey: number) }
        }
        return stream
    }

    /// Sends an element to all watchers.
    package func send(_ element: Element) {
        let continuations = state.withLock { Array($0.continuations.values) }
        for continuation in continuations { continuation.yield(element) }
    }
}
