import Synchronization

/// An operator's files that are read again while the program runs: what is in them holds a few
/// seconds later, and what cannot be used changes nothing.
///
/// They are read whole each time: they are small, and times and sizes of files can lie. A change is
/// taken when two reads in a row agree: a file that is being written can end where its beginning
/// alone makes sense.
package final class FollowedFiles<Source: Equatable & Sendable>: Sendable {
    /// How one look ended.
    package enum Look: Hashable, Sendable {
        /// Nothing new, or not yet twice the same.
        case unchanged
        /// The change is in force.
        case used
        /// The change has these mistakes; what was in force stays. Told once for each state.
        case refused([String])
    }

    private struct State {
        /// What was last used or refused.
        var settled: Source
        /// A change that has been read once.
        var pending: Source?
    }

    /// How often to look: an operator who has saved a file watches for it to hold.
    package static var interval: Duration { .seconds(2) }

    private let state: Mutex<State>
    private let read: @Sendable () -> Source
    private let use: @Sendable (Source) -> [String]

    /// Follows what `read` gives.
    /// - Parameters:
    ///   - inForce: what was read at the start.
    ///   - use: puts a change into force, or says what is wrong with it.
    package init(
        inForce: Source, read: @escaping @Sendable () -> Source,
        use: @escaping @Sendable (Source) -> [String]
    ) {
        state = Mutex(State(settled: inForce))
        self.read = read
        self.use = use
    }

    /// Reads once.
    package func look() -> Look {
        let source = read()
        let isConfirmed = state.withLock { state in
            guard source != state.settled else {
                state.pending = nil
                return false
            }
            guard source == state.pending else {
                state.pending = source
                return false
            }
            state = State(settled: source)
            return true
        }
        guard isConfirmed else { return .unchanged }
        let mistakes = use(source)
        return mistakes.isEmpty ? .used : .refused(mistakes)
    }
}
