package import Contracts
import Logging
import Messages
import RPC
import ServiceRuntime
import Storage
import Synchronization

/// A service whose events are delivered to webhooks.
package struct EventSource: Sendable {
    /// Which service.
    package let origin: EventOrigin
    /// Its event feed.
    package let events: any EventsAPI

    /// The feed of one service.
    package init(_ origin: EventOrigin, _ events: any EventsAPI) {
        self.origin = origin
        self.events = events
    }
}

/// Imports events from the services' feeds while there are webhooks. It reads each feed from its
/// last position, merges them, and stores events, positions and the new webhook deliveries in one
/// transaction. So each event is stored once, even if this program or another one crashes.
final class EventIntake: Sendable {
    /// How often feeds are read. An event is queued within this time plus `EventMerge.settling`.
    static let every: Duration = .milliseconds(500)
    private static let timeout: Duration = .seconds(5)

    let sources: [EventSource]
    let store: Store
    let time: any Time
    let randomness: any Randomness
    let logger: Logger
    private let answers = Mutex<[EventOrigin: Timestamp]>([:])

    init(
        sources: [EventSource], store: Store, time: any Time, randomness: any Randomness,
        logger: Logger
    ) {
        self.sources = sources
        self.store = store
        self.time = time
        self.randomness = randomness
        self.logger = logger
    }

    /// Imports once.
    /// - Returns: whether a feed has more events to read at once.
    /// - Throws: store errors.
    func importEvents() async throws -> Bool {
        let positions = try await store.read { try $0.feedPositions() }
        var read: [FeedReading] = []
        for source in sources {
            read.append(await self.read(source, after: positions[source.origin]))
        }
        let settled = EventMerge.settled(read.map(\.reading), at: time.now())
        let newPositions = Self.newPositions(of: read, settled)
            .filter { positions[$0.key] != $0.value }
        guard !newPositions.isEmpty else { return false }
        let ids = settled.map { _ in EventID.drawn(from: randomness) }
        let isStored = try await store.write(about: [.table("event_origin")]) {
            // The last webhook was removed meanwhile, and another one added: it gets no event from
            // before.
            guard try $0.feedPositions() == positions else { return false }
            try $0.storeEvents(zip(settled, ids), positions: newPositions)
            return true
        }
        return !isStored || read.contains { $0.reading.readAt != nil && !$0.reading.isWhole }
    }

    /// What one reading of a feed returned, and the position at its end.
    private struct FeedReading {
        let origin: EventOrigin
        let reading: EventMerge.Reading<ServiceEvent>
        let positionAfter: FeedPosition
    }

    /// Reads a feed from its position. A feed that was never read starts at its present end: the
    /// first webhook does not get past events.
    private func read(_ source: EventSource, after last: FeedPosition?) async -> FeedReading {
        let now = time.now()
        do {
            let answer = try await source.events.readEvents(
                EventsV1.ReadEventsRequest(
                    after: last?.position ?? 0, positionOnly: last == nil,
                    afterAtMs: last?.atMs ?? 0),
                // The application's name is for this service's own feed, which is read without a
                // connection.
                CallContext(
                    application: "notification", deadline: time.uptime() + Self.timeout))
            answers.withLock { $0[source.origin] = now }
            return FeedReading(
                origin: source.origin,
                reading: EventMerge.Reading(
                    events: answer.events.compactMap { ServiceEvent($0, from: source.origin) },
                    isWhole: answer.isWhole, readAt: Timestamp(milliseconds: answer.readAtMs),
                    answeredAt: now),
                positionAfter: FeedPosition(position: answer.position, atMs: answer.positionAtMs))
        } catch {
            logger.debug(
                "notification.events.read.failed", "reading a service's event feed failed",
                fields: [.detail: .error(error)])
            return FeedReading(
                origin: source.origin,
                reading: EventMerge.Reading(
                    events: [], isWhole: false, readAt: nil,
                    answeredAt: lastAnswer(source.origin, now)),
                positionAfter: last ?? FeedPosition(position: 0, atMs: 0))
        }
    }

    /// When a service last answered; for one that never did, when it was first called.
    private func lastAnswer(_ origin: EventOrigin, _ now: Timestamp) -> Timestamp {
        answers.withLock { answers in
            let before = answers[origin] ?? now
            answers[origin] = before
            return before
        }
    }

    /// The position up to which each feed is now imported: the end of the reading, or the last
    /// event that has settled.
    private static func newPositions(
        of read: [FeedReading], _ settled: [ServiceEvent]
    ) -> [EventOrigin: FeedPosition] {
        var positions: [EventOrigin: FeedPosition] = [:]
        for feed in read {
            switch EventMerge.next(of: feed.reading, passedOn: settled) {
            case .end:
                positions[feed.origin] = feed.positionAfter
            case .after(let event):
                positions[feed.origin] = FeedPosition(
                    position: event.position, atMs: event.at.milliseconds)
            case .same: break
            }
        }
        return positions
    }
}

extension Transaction {
    /// Stores the events that match a webhook's filter and queues them for it. A webhook that is
    /// being replayed gets them later, as part of the replay.
    fileprivate func storeEvents(
        _ events: some Sequence<(ServiceEvent, EventID)>,
        positions: [EventOrigin: FeedPosition]
    ) throws {
        // `enqueue` decides by the deliveries that wait. If the last one of an ordering key ended
        // meanwhile, the new one would never become due.
        for row in try self.webhooks() { try lock(.webhook(row.id)) }
        let webhooks = try self.webhooks().compactMap { row in
            WebhookFilter(text: row.events).map { (row: row, filter: $0) }
        }
        for (event, id) in events {
            let matching = webhooks.filter { $0.filter.matches(event.kind) }
            guard !matching.isEmpty else { continue }
            let position = try insert(event, id: id)
            for webhook in matching where webhook.row.replayedTo == nil {
                try enqueue(
                    event: position, orderingKey: event.orderingKey, webhook: webhook.row.id)
            }
        }
        for (origin, position) in positions { try setFeedPosition(position, of: origin) }
    }
}
