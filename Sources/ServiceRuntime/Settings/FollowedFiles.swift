import Synchronization

/// An operator's files that are read again while the program runs. A change takes effect a few
/// seconds later. A file with problems changes nothing.
///
/// The files are read whole each time: they are small, and modification times and sizes are not
/// reliable. A change is used only when two reads in a row return the same content, since a file
/// that is only partly written can be valid by chance.
package final class FollowedFiles<Source: Equatable & Sendable>: Sendable {
    /// The result of one look.
    package enum Look: Hashable, Sendable {
        /// Nothing changed, or the change has been read only once.
        case unchanged
        /// The change is in use.
        case used
        /// The change has these problems, and the earlier content stays in use. Reported once for
        /// each content.
        case refused([String])
    }

    private struct State {
        /// The content that was last used or rejected.
        var settled: Source
        /// A change that has been read once.
        var pending: Source?
    }

    /// How often to look. Short, since operators wait for a saved file to take effect.
    package static var interval: Duration { .seconds(2) }

    private let state: Mutex<State>
    private let read: @Sendable () -> Source
    private let use: @Sendable (Source) -> [String]

    /// Follows the content that `read` returns.
    /// - Parameters:
    ///   - current: The content that was read at the start.
    ///   - use: Applies a change, or returns its problems.
    package init(
        current: Source, read: @escaping @Sendable () -> Source,
        use: @escaping @Sendable (Source) -> [String]
    ) {
        state = Mutex(State(settled: current))
        self.read = read
        self.use = use
    }

    /// Calls `look` at each interval, until cancelled.
    package func run(_ time: any Time, _ look: () -> Void) async {
        while true {
            do {
                try await time.sleep(for: Self.interval)
            } catch {
                return  // cancelled, the normal end
            }
            look()
        }
    }

    /// Reads once, and applies a confirmed change.
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
        let problems = use(source)
        return problems.isEmpty ? .used : .refused(problems)
    }
}
