import ServiceRuntime

/// Puts the feeds of several services into one order (by time, then by service), so that an account
/// is registered before its first session starts. Pure.
///
/// A feed is read at a moment of its own, and a commit may be a little behind the time that its
/// events carry. So nothing is passed on before it has settled, nor before each other service has
/// been read up to that time; what has to wait is read again.
///
/// | a service | holds the others back |
/// |---|---|
/// | was read to its end | to `settling` before that reading |
/// | has more than one reading takes | to the last event that was read |
/// | did not answer, for less than `silenceMax` | wholly |
/// | did not answer for longer | not at all: its own events come late, and in their order |
enum EventMerge {
    /// How long a commit may take.
    static let settling: Duration = .seconds(1)
    /// How long the others wait for a service that is away: longer than a restart takes.
    static let silenceMax: Duration = .seconds(10)

    /// One feed, as it was read.
    struct Reading: Sendable {
        /// What was read; empty where nothing is new.
        let events: [ServiceEvent]
        /// It was read to its end.
        let isWhole: Bool
        /// When; nil where it did not answer.
        let readAt: Timestamp?
        /// When it last did.
        let heardAt: Timestamp
    }

    /// What may be passed on at `now`, in order. From each feed it is a beginning of what was read.
    static func settled(_ readings: [Reading], at now: Timestamp) -> [ServiceEvent] {
        guard let horizon = readings.compactMap({ horizon(of: $0, at: now) }).min() else {
            return []
        }
        return
            readings.flatMap { reading in
                stamped(reading.events).prefix { $0.at <= horizon }
            }
            .sorted { one, other in
                (one.at, one.event.origin.rawValue, one.event.position)
                    < (other.at, other.event.origin.rawValue, other.event.position)
            }
            .map(\.event)
    }

    /// Up to when a feed is known; nil where it is not waited for.
    private static func horizon(of reading: Reading, at now: Timestamp) -> Timestamp? {
        guard let readAt = reading.readAt else {
            return now - reading.heardAt < silenceMax ? Timestamp(milliseconds: .min) : nil
        }
        if !reading.isWhole, let last = stamped(reading.events).last {
            return min(last.at, readAt - settling)
        }
        return readAt - settling
    }

    /// Events with the time that they are ordered by: within a feed it never goes back, whatever
    /// the order in which transactions began.
    private static func stamped(
        _ events: [ServiceEvent]
    ) -> [(at: Timestamp, event: ServiceEvent)] {
        var latest = Timestamp(milliseconds: .min)
        return events.map { event in
            latest = max(latest, event.at)
            return (latest, event)
        }
    }
}
