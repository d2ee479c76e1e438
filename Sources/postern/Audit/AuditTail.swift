import Messages
import ServiceRuntime

/// The newest entries of audit trails. The feed of a service returns entries after a position only,
/// so a trail is read backwards in spans of positions, from its end.
struct AuditTail {
    /// Number of positions in a span: as many entries as the feed returns at once.
    private static let spanMax: Int64 = 500

    /// Reads a page of the service's feed.
    let read: (EventsV1.ReadEventsRequest) async throws -> EventsV1.ReadEventsResponse

    /// The newest entries of one trail.
    struct Newest {
        /// The oldest of them first.
        var events: [EventsV1.Event] = []
        /// There are older ones that are selected too.
        var hasMore = false
    }

    /// The newest `limit` entries that are selected.
    func newest(
        _ limit: Int, where isSelected: (EventsV1.Event) -> Bool
    ) async throws -> Newest {
        // An entry of an earlier time says nothing about those before it: clocks are stepped.
        // So filters read the trail up to its start.
        var last = try await read(.init(positionOnly: true)).position
        let first = try await read(.init(limit: 1)).events.first?.position ?? .max
        var newestFirst: [EventsV1.Event] = []
        while last >= first, newestFirst.count <= limit {
            let after = max(last - Self.spanMax, first - 1)
            let page = try await read(.init(after: after, limit: UInt32(clamping: last - after)))
            // In place of entries that were purged meanwhile the page has later ones.
            newestFirst += page.events.reversed().filter { $0.position <= last && isSelected($0) }
            last = after
        }
        return Newest(
            events: newestFirst.prefix(limit).reversed(), hasMore: newestFirst.count > limit)
    }

    /// An entry, and the service whose trail has it.
    struct Entry {
        let service: String
        let event: EventsV1.Event
    }

    /// The newest `limit` entries of several trails, the oldest of them first. Entries of the same
    /// time stay in the order of `trails`.
    static func merged(
        _ trails: [(service: String, events: [EventsV1.Event])], limit: Int
    ) -> [Entry] {
        let entries = trails.flatMap { trail in
            trail.events.map { Entry(service: trail.service, event: $0) }
        }
        let inOrder = entries.enumerated().sorted { left, right in
            (left.element.event.atMs, left.offset) < (right.element.event.atMs, right.offset)
        }
        return inOrder.suffix(limit).map(\.element)
    }

    /// The value of `--before` for the next page: `event`'s time in whole seconds, rounded up, as in
    /// `2026-01-31T09:05:01Z`. That page begins with `event` again.
    static func before(_ event: EventsV1.Event) -> String {
        let seconds = event.atMs / 1_000 + 1
        let moment = Timestamp(milliseconds: seconds * 1_000).text.prefix { $0 != "." }
        return "\(moment)Z"
    }
}
