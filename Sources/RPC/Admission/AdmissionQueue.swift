/// The queue of one lane: calls that wait for a handler to finish. It is pure state. Arrivals, ends
/// of handlers and the time are the input; which calls wait, are admitted or are shed is the
/// output.
///
///     arrive ──capacity and time──▶ waiting ──next──▶ admitted
///        │                             │ ├─remove──▶ gone (cancelled, deadline, connection lost)
///        ▼                             ▼
///      refused                        shed          (RESOURCE_EXHAUSTED, not processed)
///
/// The order is first in, first out while the queue drains. In overload (`CoDel`) it becomes last
/// in, first out, and calls that have waited longer than `overloadWaitMax` are shed (adaptive
/// LIFO): in the order of arrival each would be served just too late, and its work would be wasted.
package struct AdmissionQueue<Ticket: Sendable>: Sendable {
    /// The longest wait in overload: a user notices half a second, and a caller still has most of
    /// its deadline left to try another server.
    static var overloadWaitMax: Duration { .milliseconds(500) }
    /// Bounds of the retry delay that is sent with a shed call.
    static var retryAfterBounds: ClosedRange<Duration> { .milliseconds(100) ... .seconds(10) }

    typealias Place = WaitingLine<Waiter>.Place

    struct Waiter: Sendable {
        let ticket: Ticket
        let bytes: Int
        let since: Duration
    }

    enum Arrival {
        case waits(Place)
        case refused(Shed)
    }

    /// Why a call is not served, and when the caller may retry.
    struct Shed: Hashable, Sendable {
        let reason: LaneLimiter.ShedReason
        let retryAfter: Duration
    }

    private let callsMax: Int
    private let bytesMax: Int
    private var line = WaitingLine<Waiter>()
    private var bytes = 0
    private var sign = CoDel()
    private var pace = DrainRateEstimate(from: .zero)
    private var shedding: [(ticket: Ticket, shed: Shed)] = []

    /// A queue of at most `callsMax` calls whose requests total at most `bytesMax` bytes.
    init(callsMax: Int, bytesMax: Int) {
        self.callsMax = callsMax
        self.bytesMax = bytesMax
    }

    var count: Int { line.count }

    /// Whether the queue is overloaded, and serves the newest call first.
    var isOverloaded: Bool { sign.isOverloaded }

    // MARK: Arriving

    /// Adds a call with a request of `bytes` bytes, which is useless after `deadline`.
    mutating func arrive(
        _ ticket: Ticket, bytes: Int, deadline: Duration, at uptime: Duration
    ) -> Arrival {
        look(at: uptime)
        if line.isEmpty { begin(at: uptime) }
        let ahead = isOverloaded ? 0 : count
        guard uptime + pace.wait(behind: ahead, at: uptime) < deadline else {
            return .refused(shed(.deadline, at: uptime))
        }
        if isOverloaded { makeCapacity(bytes, at: uptime) }
        guard hasCapacity(bytes) else { return .refused(shed(.full, at: uptime)) }
        self.bytes += bytes
        return .waits(line.append(Waiter(ticket: ticket, bytes: bytes, since: uptime)))
    }

    private mutating func begin(at uptime: Duration) {
        pace = DrainRateEstimate(from: uptime)
        sign.began(at: uptime)
    }

    private func hasCapacity(_ bytes: Int) -> Bool {
        count < callsMax && bytes <= bytesMax - self.bytes
    }

    /// Sheds the oldest calls: in overload they would be served last.
    private mutating func makeCapacity(_ bytes: Int, at uptime: Duration) {
        guard callsMax > 0, bytes <= bytesMax else { return }
        while !hasCapacity(bytes), shedFirst(.full, at: uptime) {}
    }

    // MARK: Leaving

    /// A handler has finished: removes and returns the call to admit, with its waiting time.
    mutating func next(at uptime: Duration) -> (ticket: Ticket, wait: Duration)? {
        look(at: uptime)
        sign.left(afterOldest: oldestWait(at: uptime))
        guard let waiter = isOverloaded ? line.removeLast() : line.removeFirst() else { return nil }
        bytes -= waiter.bytes
        pace.moved(at: uptime)
        return (waiter.ticket, uptime - waiter.since)
    }

    /// Removes a call that was cancelled or has ended.
    /// - Returns: false when it is no longer in the queue.
    mutating func remove(_ place: Place) -> Bool {
        guard let waiter = line.remove(place) else { return false }
        bytes -= waiter.bytes
        return true
    }

    /// Removes and returns the calls that were shed since the last call of this method.
    mutating func takeShed() -> [(ticket: Ticket, shed: Shed)] {
        defer { shedding = [] }
        return shedding
    }

    // MARK: Time

    private mutating func look(at uptime: Duration) {
        sign.look(oldest: oldestWait(at: uptime), at: uptime)
        guard isOverloaded else { return }
        while oldestWait(at: uptime) > Self.overloadWaitMax, shedFirst(.late, at: uptime) {}
    }

    private func oldestWait(at uptime: Duration) -> Duration {
        line.first.map { uptime - $0.since } ?? .zero
    }

    private mutating func shedFirst(_ reason: LaneLimiter.ShedReason, at uptime: Duration) -> Bool {
        let shed = shed(reason, at: uptime)
        guard let waiter = line.removeFirst() else { return false }
        bytes -= waiter.bytes
        shedding.append((waiter.ticket, shed))
        return true
    }

    /// The retry delay grows with the queue: twice the time that the whole queue will take.
    private func shed(_ reason: LaneLimiter.ShedReason, at uptime: Duration) -> Shed {
        let wait = max(pace.wait(behind: count, at: uptime), oldestWait(at: uptime))
        let bounds = Self.retryAfterBounds
        return Shed(
            reason: reason,
            retryAfter: min(max(bounds.lowerBound, wait * 2), bounds.upperBound))
    }
}
