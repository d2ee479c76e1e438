import Messages
import NotificationService
import ServiceRuntime

/// Follows the audit trails of several services, in one order (`EventMerge`), each entry at least
/// once.
struct AuditWatch: Sendable {
    /// Reads a page of a service's feed.
    typealias Read =
        @Sendable (_ service: String, EventsV1.ReadEventsRequest) async throws
        -> EventsV1.ReadEventsResponse

    /// An entry of a trail.
    struct Entry: MergedEvent {
        let service: String
        let event: EventsV1.Event
        /// Its service's place among entries of one time.
        let place: Int64

        var at: Timestamp { Timestamp(milliseconds: event.atMs) }
        var position: Int64 { event.position }
    }

    /// Up to where a feed was passed on.
    struct Position: Hashable, Sendable {
        let position: Int64
        let atMs: Int64
    }

    /// A feed, and what was read of it last.
    private struct Feed: Sendable {
        let service: String
        let place: Int64
        var answeredAt: Timestamp?
        var isAway = false
        var reading: EventMerge.Reading<Entry>?
        var end: Position?
    }

    private let kinds: [String]
    private let since: Int64?
    private let read: Read
    private var feeds: [Feed]
    /// Up to where each service's entries were passed on; none for one that has not answered yet.
    private(set) var positions: [String: Position]
    /// Whether the last `takeSettled` has changed them.
    private(set) var hasMoved = false

    /// Of these services.
    /// - Parameters:
    ///   - kinds: patterns of kinds; empty for all.
    ///   - since: the time of the first entries, in milliseconds; nil for those to come.
    ///   - positions: where to go on; a service that is not in it begins by `since`.
    init(
        services: [String], kinds: [String], since: Int64?, positions: [String: Position],
        read: @escaping Read
    ) {
        self.kinds = kinds
        self.since = since
        self.read = read
        self.positions = positions
        feeds = services.enumerated().map { Feed(service: $1, place: Int64($0)) }
    }

    /// Reads on in each feed.
    /// - Parameter note: says that a service is away, or answers again.
    /// - Returns: whether one has more to read at once.
    /// - Throws: `CancellationError`; `ServiceFailure` for what waiting does not end, as a missing
    ///   permission.
    mutating func look(at now: Timestamp, _ note: (String) -> Void) async throws -> Bool {
        var isMore = false
        for index in feeds.indices {
            var feed = feeds[index]
            do {
                let page = try await page(of: feed.service)
                if feed.isAway { note("\(feed.service) answers again") }
                (feed.isAway, feed.answeredAt) = (false, now)
                feed.end = Position(position: page.position, atMs: page.positionAtMs)
                feed.reading = EventMerge.Reading(
                    events: page.events.map {
                        Entry(service: feed.service, event: $0, place: feed.place)
                    },
                    isWhole: page.isWhole, readAt: Timestamp(milliseconds: page.readAtMs),
                    answeredAt: now)
                isMore = isMore || !page.isWhole
            } catch let error as ServiceError {
                try Task.checkCancellation()
                guard error.code == .unavailable || error.code == .deadlineExceeded else {
                    throw ServiceFailure(service: feed.service, error: error)
                }
                if !feed.isAway { note("\(feed.service) does not answer; it is asked again") }
                (feed.isAway, feed.answeredAt) = (true, feed.answeredAt ?? now)
                feed.reading = EventMerge.Reading(
                    events: [], isWhole: false, readAt: nil, answeredAt: feed.answeredAt ?? now)
            }
            feeds[index] = feed
        }
        return isMore
    }

    /// The entries that may be passed on now. Who has written them stores `positions`.
    mutating func takeSettled(at now: Timestamp) -> [Entry] {
        let settled = EventMerge.settled(feeds.compactMap(\.reading), at: now)
        let before = positions
        for feed in feeds {
            guard let reading = feed.reading else { continue }
            switch EventMerge.next(of: reading, passedOn: settled) {
            case .end: positions[feed.service] = feed.end
            case .after(let entry):
                positions[feed.service] = Position(
                    position: entry.position, atMs: entry.event.atMs)
            case .same: break
            }
        }
        hasMoved = positions != before
        return settled
    }

    /// The next page with an entry, or the last one: between two that are wanted there can be a
    /// million that are not.
    private func page(of service: String) async throws -> EventsV1.ReadEventsResponse {
        var request = EventsV1.ReadEventsRequest(kinds: kinds)
        if let last = positions[service] {
            (request.after, request.afterAtMs) = (last.position, last.atMs)
        } else if let since {
            // At no position there is an event of that time, so the feed looks for the time.
            (request.after, request.afterAtMs) = (.max, max(1, since - 1))
        } else {
            request.positionOnly = true
        }
        while true {
            var page = try await read(service, request)
            if page.isWhole || !page.events.isEmpty {
                // Without an event there is no time to recognise the position by.
                if request.after == .max, page.events.isEmpty { page.positionAtMs = 0 }
                return page
            }
            try Task.checkCancellation()
            (request.after, request.afterAtMs) = (page.position, page.positionAtMs)
        }
    }
}
