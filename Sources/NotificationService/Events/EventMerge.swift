package import ServiceRuntime

/// An event of one of the feeds that are merged.
package protocol MergedEvent: Sendable {
    /// When it happened.
    var at: Timestamp { get }
    /// The place of its service among events of one time.
    var place: Int64 { get }
    /// Its position in its service's feed.
    var position: Int64 { get }
}

/// Merges the feeds of several services into one order (by time, then by service), so that an
/// account's registration comes before its first session. Pure.
///
/// Each feed is read at a different time, and a transaction may commit a little later than the time
/// in its events. So an event is only passed on once it has settled and each other service has been
/// read up to its time. Events that must wait are read again.
///
/// | a service | the other feeds are passed on |
/// |---|---|
/// | was read to its end | up to `settling` before that reading |
/// | has more events than one reading returns | up to the last event that was read |
/// | did not answer, for less than `silenceMax` | not at all |
/// | did not answer for longer | without it: its own events come late, in their order |
package enum EventMerge {
    /// How long a commit may take.
    static let settling: Duration = .seconds(1)
    /// How long the others wait for a service that is unavailable: longer than a restart takes.
    static let silenceMax: Duration = .seconds(10)

    /// The result of reading one feed.
    package struct Reading<Event: MergedEvent>: Sendable {
        /// The events; empty if there are no new ones.
        let events: [Event]
        /// Whether it was read to its end.
        let isWhole: Bool
        /// When it was read; nil if the service did not answer.
        let readAt: Timestamp?
        /// When the service last answered.
        let answeredAt: Timestamp

        /// What was read. A reading that is not whole has an event.
        package init(
            events: [Event], isWhole: Bool, readAt: Timestamp?, answeredAt: Timestamp
        ) {
            self.events = events
            self.isWhole = isWhole
            self.readAt = readAt
            self.answeredAt = answeredAt
        }
    }

    /// From where a feed is to be read next.
    package enum Next<Event: MergedEvent>: Sendable {
        /// From the end of the reading: all its events were passed on.
        case end
        /// After this event.
        case after(Event)
        /// From where it was read: none was passed on.
        case same
    }

    /// The events that may be passed on at `now`, in order. From each feed it is a prefix of what
    /// was read.
    package static func settled<Event>(_ readings: [Reading<Event>], at now: Timestamp) -> [Event] {
        guard let horizon = readings.compactMap({ horizon(of: $0, at: now) }).min() else {
            return []
        }
        return
            readings.flatMap { reading in
                stamped(reading.events).prefix { $0.at <= horizon }
            }
            .sorted { one, other in
                (one.at, one.event.place, one.event.position)
                    < (other.at, other.event.place, other.event.position)
            }
            .map(\.event)
    }

    /// From where a feed is to be read next, once `settled` has been passed on.
    package static func next<Event>(
        of reading: Reading<Event>, passedOn settled: [Event]
    ) -> Next<Event> {
        guard reading.readAt != nil else { return .same }
        guard let last = reading.events.last else { return .end }
        guard let passed = settled.last(where: { $0.place == last.place }) else { return .same }
        return passed.position == last.position ? .end : .after(passed)
    }

    /// The time up to which a feed is complete; nil if the others do not wait for it.
    private static func horizon<Event>(
        of reading: Reading<Event>, at now: Timestamp
    ) -> Timestamp? {
        guard let readAt = reading.readAt else {
            return now - reading.answeredAt < silenceMax ? Timestamp(milliseconds: .min) : nil
        }
        if !reading.isWhole, let last = stamped(reading.events).last {
            return min(last.at, readAt - settling)
        }
        return readAt - settling
    }

    /// Events with the time by which they are sorted. Within a feed it never decreases, whatever
    /// the order in which transactions began.
    private static func stamped<Event: MergedEvent>(
        _ events: [Event]
    ) -> [(at: Timestamp, event: Event)] {
        var latest = Timestamp(milliseconds: .min)
        return events.map { event in
            latest = max(latest, event.at)
            return (latest, event)
        }
    }
}
