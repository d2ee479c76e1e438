import ServiceRuntime
import Synchronization

/// Tells watchers which messages have changed. Each has its own short list, so that a slow watcher
/// costs no more than one list and misses changes instead of holding up deliveries; what it missed
/// is counted.
final class MessageChanges: Sendable {
    /// Messages in a watcher's list; a message that changes twice stands there once.
    static let listMax = 100

    /// What has changed since a watcher last looked.
    struct News: Sendable {
        fileprivate(set) var messages: [MessageID] = []
        fileprivate(set) var leftOut: UInt64 = 0
    }

    private struct Watcher {
        var news = News()
        let wake: AsyncStream<Void>.Continuation
    }

    private struct State {
        var watchers: [UInt64: Watcher] = [:]
        var numbersUsed: UInt64 = 0
    }

    private let state = Mutex(State())

    /// These messages have changed, and that is on disk.
    func note(_ messages: [MessageID]) {
        guard !messages.isEmpty else { return }
        state.withLock { state in
            for number in state.watchers.keys {
                state.watchers[number]?.news.add(messages)
                state.watchers[number]?.wake.yield()
            }
        }
    }

    /// Calls `tell` once now and then after changes, as long as the task lives; what comes while it
    /// works is told together.
    func watch(_ tell: (News) async throws -> Void) async throws {
        let (rings, wake) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.numbersUsed += 1
            state.watchers[state.numbersUsed] = Watcher(wake: wake)
            return state.numbersUsed
        }
        defer { state.withLock { $0.watchers[number] = nil } }
        wake.yield()
        for await _ in rings {
            let news = state.withLock { state in
                defer { state.watchers[number]?.news = News() }
                return state.watchers[number]?.news ?? News()
            }
            try await tell(news)
        }
        try Task.checkCancellation()
    }
}

extension MessageChanges.News {
    fileprivate mutating func add(_ changed: [MessageID]) {
        for id in changed {
            if let place = messages.firstIndex(of: id) { messages.remove(at: place) }
            messages.append(id)
        }
        let tooMany = max(0, messages.count - MessageChanges.listMax)
        messages.removeFirst(tooMany)
        leftOut += UInt64(tooMany)
    }
}
