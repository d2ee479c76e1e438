import Messages
import NIOCore
import ServiceRuntime
import Synchronization

/// Lets at most so many handlers of one lane run at once, in the whole server, and the others wait.
///
/// One number holds both how many run (the low half) and how many wait (the high half), so that
/// the way in and the way out, where nobody waits, are one addition each. No wake-up is lost: every
/// change of that number is one step in one order. Whoever leaves either sees that somebody waits,
/// and lets one in; or left before the other began to wait, and then the other, which looks once
/// more after it has said that it waits, finds the free place itself. A newcomer counts itself in
/// before it knows whether it may, and so can hide a free place for a moment; but it then waits or
/// is refused, and looks after that too. Newcomers never overtake those who wait.
final class LaneGate: Sendable {
    private static let oneWaits = 1 << 32
    /// More than any setting allows, and far from the high half.
    private static let runningLimit = 1 << 30

    let metrics: LaneMetrics
    private let runningMax: Int
    private let counts = Atomic<Int>(0)
    private let queue: Mutex<AdmissionQueue<WaitingTicket>>
    private let time: any Time

    init(_ lane: MethodLane, _ limits: ServerLimits, time: any Time) {
        metrics = LaneMetrics(lane)
        runningMax = min(limits.runningMax(of: lane), Self.runningLimit)
        queue = Mutex(
            AdmissionQueue(callsMax: limits.queueMax(of: lane), bytesMax: limits.queueBytesMax))
        self.time = time
    }

    /// Handlers that have not returned.
    var runningCount: Int { Self.running(counts.load(ordering: .relaxed)) }

    /// Calls that wait.
    var waitingCount: Int { counts.load(ordering: .relaxed) / Self.oneWaits }

    private static func running(_ counts: Int) -> Int { counts % oneWaits }

    /// Counts a handler that is about to run.
    /// - Returns: whether it may; if not, the caller must `wait`, and is counted until then.
    func enter() -> Bool {
        // With somebody waiting the number is above any bound.
        counts.wrappingAdd(1, ordering: .relaxed).oldValue < runningMax
    }

    /// A handler has returned, or a call that was let in is not wanted any more.
    func leave() {
        let left = counts.wrappingSubtract(1, ordering: .relaxed).newValue
        if left >= Self.oneWaits { letIn(at: time.uptime()) }
    }

    /// What became of a call that could not enter.
    typealias Arrival = AdmissionQueue<WaitingTicket>.Arrival

    /// Puts a call in the queue that could not enter, or refuses it. A call that waits is told
    /// later, through its ticket.
    func wait(
        _ ticket: WaitingTicket, bytes: Int, deadline: Duration, at uptime: Duration
    ) -> Arrival {
        let (arrival, news) = queue.withLock { queue in
            let arrival = queue.arrive(ticket, bytes: bytes, deadline: deadline, at: uptime)
            var change = -1
            if case .waits = arrival { change += Self.oneWaits }
            counts.wrappingAdd(change, ordering: .relaxed)
            return (arrival, letIn(&queue, at: uptime))
        }
        if case .refused(let shed) = arrival { metrics.shed(shed.reason) }
        tell(news)
        return arrival
    }

    /// The call at `place` waits no longer; if it was let in meanwhile, its ticket says so.
    func forget(_ place: AdmissionQueue<WaitingTicket>.Place) {
        let count = queue.withLock { queue in
            if queue.remove(place) {
                counts.wrappingSubtract(Self.oneWaits, ordering: .relaxed)
            }
            return queue.count
        }
        metrics.queued(count)
    }

    // MARK: Letting in

    private struct News {
        var admitted: [(ticket: WaitingTicket, wait: Duration)] = []
        var shed: [(ticket: WaitingTicket, shed: AdmissionQueue<WaitingTicket>.Shed)] = []
        var waiting = 0
    }

    private func letIn(at uptime: Duration) {
        tell(queue.withLock { letIn(&$0, at: uptime) })
    }

    private func letIn(
        _ queue: inout AdmissionQueue<WaitingTicket>, at uptime: Duration
    ) -> News {
        var news = News()
        while queue.count > 0, runningCount < runningMax, let next = queue.next(at: uptime) {
            counts.wrappingAdd(1 - Self.oneWaits, ordering: .relaxed)
            news.admitted.append(next)
        }
        news.shed = queue.takeShed()
        counts.wrappingSubtract(news.shed.count * Self.oneWaits, ordering: .relaxed)
        news.waiting = queue.count
        return news
    }

    private func tell(_ news: News) {
        metrics.queued(news.waiting)
        for (ticket, wait) in news.admitted {
            metrics.waited(wait)
            ticket.tell { $0.admitted(ticket.call, by: self) }
        }
        for (ticket, shed) in news.shed {
            metrics.shed(shed.reason)
            ticket.tell { $0.shed(ticket.call, retryAfter: shed.retryAfter) }
        }
    }
}

/// Which call waits, and where to tell it.
struct WaitingTicket: Sendable {
    let call: UInt64
    let connection: NIOLoopBound<ServerConnection>
    let loop: any EventLoop

    /// Tells the connection on its loop, in a turn of its own: handlers that end at once would
    /// otherwise let each other in ever deeper on one stack.
    func tell(_ news: @escaping @Sendable (ServerConnection) -> Void) {
        loop.execute { news(connection.value) }
    }
}
