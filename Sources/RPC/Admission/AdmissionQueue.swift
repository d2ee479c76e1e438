/// The calls of one lane that wait for a handler to end, as pure state: arrivals, ends and the time
/// go in; who waits, who is let in and who is told to come back later comes out.
///
///     arrive ──room, and time enough──▶ waiting ──next──▶ let in
///        │                                 │ ├─remove──▶ gone (cancelled, late, connection lost)
///        ▼                                 ▼
///      refused                            shed          (RESOURCE_EXHAUSTED, not processed)
///
/// First come, first served, as long as the queue is worked off. Once it stands (`CoDel`),
/// last come, first served, and whoever has waited over `patience` is shed: served in order, each
/// would be answered just too late, and the work be for nothing.
package struct AdmissionQueue<Ticket> {
    /// In overload nobody waits longer: a person notices half a second, and a caller still has
    /// most of its deadline to try elsewhere.
    static var patience: Duration { .milliseconds(500) }
    /// Shortest and longest time for which a caller is told to stay away.
    static var retryAfterBounds: ClosedRange<Duration> { .milliseconds(100) ... .seconds(10) }

    typealias Place = WaitingLine<Waiter>.Place

    struct Waiter {
        let ticket: Ticket
        let bytes: Int
        let since: Duration
    }

    enum Arrival {
        case waits(Place)
        case refused(Shed)
    }

    /// Why a call is not served, and when to try again.
    struct Shed: Hashable, Sendable {
        let reason: ShedReason
        let retryAfter: Duration
    }

    private let callsMax: Int
    private let bytesMax: Int
    private var line = WaitingLine<Waiter>()
    private var bytes = 0
    private var sign = CoDel()
    private var pace = DrainRateEstimate(from: .zero)
    private var shedding: [(ticket: Ticket, shed: Shed)] = []

    /// A queue of at most `callsMax` calls whose requests have at most `bytesMax` bytes.
    init(callsMax: Int, bytesMax: Int) {
        self.callsMax = callsMax
        self.bytesMax = bytesMax
    }

    var count: Int { line.count }

    /// Whether the queue stands, and the last come is the first served.
    var isOverloaded: Bool { sign.isOverloaded }

    // MARK: Coming

    /// A call of so many bytes came that is of no use after `deadline`.
    mutating func arrive(
        _ ticket: Ticket, bytes: Int, deadline: Duration, at uptime: Duration
    ) -> Arrival {
        look(at: uptime)
        if line.isEmpty { begin(at: uptime) }
        let ahead = isOverloaded ? 0 : count
        guard uptime + pace.wait(behind: ahead, at: uptime) < deadline else {
            return .refused(shed(.deadline, at: uptime))
        }
        if isOverloaded { makeRoom(bytes, at: uptime) }
        guard hasRoom(bytes) else { return .refused(shed(.full, at: uptime)) }
        self.bytes += bytes
        return .waits(line.append(Waiter(ticket: ticket, bytes: bytes, since: uptime)))
    }

    private mutating func begin(at uptime: Duration) {
        pace = DrainRateEstimate(from: uptime)
        sign.began(at: uptime)
    }

    private func hasRoom(_ bytes: Int) -> Bool {
        count < callsMax && bytes <= bytesMax - self.bytes
    }

    /// In overload the oldest goes first, and so it is the one to go.
    private mutating func makeRoom(_ bytes: Int, at uptime: Duration) {
        guard callsMax > 0, bytes <= bytesMax else { return }
        while !hasRoom(bytes), shedFirst(.full, at: uptime) {}
    }

    // MARK: Going

    /// A handler has ended: the one to let in, and how long it has waited.
    mutating func next(at uptime: Duration) -> (ticket: Ticket, wait: Duration)? {
        look(at: uptime)
        sign.left(afterOldest: oldestWait(at: uptime))
        guard let waiter = isOverloaded ? line.removeLast() : line.removeFirst() else { return nil }
        bytes -= waiter.bytes
        pace.moved(at: uptime)
        return (waiter.ticket, uptime - waiter.since)
    }

    /// The call at `place` is no longer wanted.
    /// - Returns: false when it has gone already.
    mutating func remove(_ place: Place) -> Bool {
        guard let waiter = line.remove(place) else { return false }
        bytes -= waiter.bytes
        return true
    }

    /// Those that were shed since last asked.
    mutating func takeShed() -> [(ticket: Ticket, shed: Shed)] {
        defer { shedding = [] }
        return shedding
    }

    // MARK: Time

    private mutating func look(at uptime: Duration) {
        sign.look(oldest: oldestWait(at: uptime), at: uptime)
        guard isOverloaded else { return }
        while oldestWait(at: uptime) > Self.patience, shedFirst(.late, at: uptime) {}
    }

    private func oldestWait(at uptime: Duration) -> Duration {
        line.first.map { uptime - $0.since } ?? .zero
    }

    private mutating func shedFirst(_ reason: ShedReason, at uptime: Duration) -> Bool {
        let shed = shed(reason, at: uptime)
        guard let waiter = line.removeFirst() else { return false }
        bytes -= waiter.bytes
        shedding.append((waiter.ticket, shed))
        return true
    }

    /// The longer others wait, the longer to stay away: twice as long as the whole queue will take.
    private func shed(_ reason: ShedReason, at uptime: Duration) -> Shed {
        let wait = max(pace.wait(behind: count, at: uptime), oldestWait(at: uptime))
        let bounds = Self.retryAfterBounds
        return Shed(
            reason: reason,
            retryAfter: min(max(bounds.lowerBound, wait * 2), bounds.upperBound))
    }
}

extension AdmissionQueue: Sendable where Ticket: Sendable {}
extension AdmissionQueue.Waiter: Sendable where Ticket: Sendable {}

/// Why a call was turned away.
package enum ShedReason: String, CaseIterable, Sendable {
    /// The queue is full.
    case full
    /// The call's own time would have been over before its turn.
    case deadline
    /// It has waited too long in a queue that stands.
    case late
}
