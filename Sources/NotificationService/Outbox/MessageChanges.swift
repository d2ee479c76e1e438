import ServiceRuntime
import Synchronization

/// Notifies watchers of changed messages. Each watcher has its own bounded list, so a slow watcher
/// uses the memory of one list and misses changes instead of delaying deliveries. Missed changes
/// are counted.
final class MessageChanges: Sendable {
    /// Messages in a watcher's list. A message that changes twice is listed once.
    static let listMax = 100

    /// The changes since a watcher's last read.
    struct Update: Sendable {
        fileprivate(set) var messages: [MessageID] = []
        fileprivate(set) var leftOut: UInt64 = 0
    }

    private struct Watcher {
        var update = Update()
        let wake: AsyncStream<Void>.Continuation
    }

    private struct State {
        var watchers: [UInt64: Watcher] = [:]
        var numbersUsed: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Reports messages whose change is committed.
    func publish(_ messages: [MessageID]) {
        guard !messages.isEmpty else { return }
        state.withLock { state in
            for number in state.watchers.keys {
                state.watchers[number]?.update.add(messages)
                state.watchers[number]?.wake.yield()
            }
        }
    }

    /// Calls `report` at once and then after changes, until the task is cancelled. Changes that
    /// occur while it runs are reported together.
    /// - Throws: what `report` throws; `CancellationError`.
    func watch(_ report: (Update) async throws -> Void) async throws {
        let (signals, wake) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.numbersUsed += 1
            state.watchers[state.numbersUsed] = Watcher(wake: wake)
            return state.numbersUsed
        }
        defer { state.withLock { $0.watchers[number] = nil } }
        wake.yield()
        for await _ in signals {
            let update = state.withLock { state in
                defer { state.watchers[number]?.update = Update() }
                return state.watchers[number]?.update ?? Update()
            }
            try await report(update)
        }
        try Task.checkCancellation()
    }
}

extension MessageChanges.Update {
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
