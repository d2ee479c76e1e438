import Synchronization

/// Counts a stand-in's responses, and says whether the stand-in is unavailable.
final class AnswerCount: Sendable {
    private let state = Mutex((count: 0, isAway: false))

    var count: Int { state.withLock { $0.count } }
    var isAway: Bool { state.withLock { $0.isAway } }

    func record() { state.withLock { $0.count += 1 } }
    func leave(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }
}
