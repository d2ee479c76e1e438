import ServiceRuntime

/// Decides whether a server is silent, for the circuit breaker: whether calls passed their deadlines
/// because the connection gives nothing at all, and not because they were slow. Pure.
///
/// A server whose event loop works answers the Cancel that follows a deadline at once, however slow
/// the call's handler is. So a deadline says nothing about the server if any frame arrives from the
/// call's begin until the end of the grace: a response to any call, an item, a pong.
///
/// | state | event | next state | the call |
/// |---|---|---|---|
/// | any | a frame arrives | heard | |
/// | any | a deadline passes; a frame came since the call began | unchanged | `working` |
/// | heard | a deadline passes; none came since the call began | doubtful for `grace` | `doubtful` |
/// | doubtful | the same | doubtful, not for longer | `doubtful` |
/// | doubtful | the grace ends, still without a frame | silent | all doubtful ones: silent |
/// | doubtful | the grace ends, a frame came | heard | all doubtful ones: working |
/// | silent | a deadline passes; none came since the call began | silent | `silent` |
///
/// Attack: 150 slow calls with one deadline, which a busy server answers a moment too late; or calls
/// with short deadlines, until the breaker opens for the callers of all apps. One frame from this
/// server, to whichever call, clears all of them.
struct ConnectionSilence<Call> {
    /// How long a server may take to answer the Cancel of a call whose deadline has passed. Longer
    /// than an event loop of a busy machine stops, and a small part of the usual deadlines.
    static var grace: Duration { .milliseconds(500) }

    /// What the deadline of a call shows about the server.
    enum Verdict: Hashable {
        /// It works: it has sent something since the call began.
        case working
        /// Unknown until the end of the grace.
        case doubtful
        /// It is silent.
        case silent
    }

    private enum State {
        case heard
        case doubtful(since: UInt64, until: Duration)
        case silent(since: UInt64)
    }

    /// Frames of any kind received so far.
    private(set) var frames: UInt64 = 0
    private var state = State.heard
    private var doubtful: [Call] = []

    /// When to call `look`; nil if no call is doubtful.
    var due: Duration? {
        if case .doubtful(_, let until) = state { until } else { nil }
    }

    /// Records that a frame arrived.
    mutating func received() { frames &+= 1 }

    /// The deadline of `call` has passed, and the server is sent a Cancel. When the call began,
    /// `before` frames had been received. A doubtful call is returned by `look` or `close`.
    mutating func deadlinePassed(
        of call: Call, since before: UInt64, at uptime: Duration
    ) -> Verdict {
        guard before == frames else { return .working }
        switch state {
        case .silent(frames): return .silent
        case .doubtful: break
        case .heard, .silent: state = .doubtful(since: frames, until: uptime + Self.grace)
        }
        doubtful.append(call)
        return .doubtful
    }

    /// Decides about the doubtful calls if their grace is over.
    /// - Returns: those calls, and whether the server is silent.
    mutating func look(at uptime: Duration) -> (calls: [Call], isSilent: Bool)? {
        guard let due, due <= uptime else { return nil }
        return decide()
    }

    /// Decides at once, because the connection has ended.
    mutating func close() -> (calls: [Call], isSilent: Bool)? {
        due == nil ? nil : decide()
    }

    private mutating func decide() -> (calls: [Call], isSilent: Bool)? {
        guard case .doubtful(let since, _) = state else { return nil }
        let isSilent = since == frames
        state = isSilent ? .silent(since: frames) : .heard
        defer { doubtful = [] }
        return (doubtful, isSilent)
    }
}
