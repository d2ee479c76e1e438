import CoreMetrics
import Messages
import NIOCore
import ServiceRuntime
import Synchronization

/// Limits how many handlers of one lane run at once in the whole server; the other calls wait.
///
/// One atomic number holds the running handlers (low half) and the waiting calls (high half), so
/// that entering and leaving cost one addition each while the queue is empty. No wake-up is lost,
/// because all changes of that number have one total order. A handler that leaves either sees that
/// a call waits, and admits it; or it left before that call was counted as waiting. In the second
/// case the waiting call finds the free slot itself, because it checks once more after it was
/// counted. A new call counts itself as running before it knows whether it may run, and can hide a
/// free slot for a moment; but it then waits or is refused, and checks after that too. New calls
/// never overtake waiting ones.
final class LaneLimiter: Sendable {
    private static let oneWaits = 1 << 32
    /// More than any setting allows, and far below the high half.
    private static let runningLimit = 1 << 30

    let metrics: Metrics
    private let runningMax: Int
    private let counts = Atomic<Int>(0)
    private let queue: Mutex<AdmissionQueue<Ticket>>
    private let time: any Time

    init(_ lane: MethodLane, _ limits: ServerLimits, time: any Time) {
        metrics = Metrics(lane)
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
    /// - Returns: whether it may run. If not, the caller must call `wait` or `leave`; until then it
    ///   is counted.
    func enter() -> Bool {
        // While a call waits, the number is above any limit.
        counts.wrappingAdd(1, ordering: .relaxed).oldValue < runningMax
    }

    /// A handler has returned, or an admitted call is no longer wanted.
    func leave() {
        let left = counts.wrappingSubtract(1, ordering: .relaxed).newValue
        if left >= Self.oneWaits { admit(at: time.uptime()) }
    }

    /// The result for a call that could not enter.
    typealias Arrival = AdmissionQueue<Ticket>.Arrival

    /// Queues a call that could not enter, or refuses it. A queued call is notified later, through
    /// its ticket.
    func wait(
        _ ticket: Ticket, bytes: Int, deadline: Duration, at uptime: Duration
    ) -> Arrival {
        let (arrival, changes) = queue.withLock { queue in
            let arrival = queue.arrive(ticket, bytes: bytes, deadline: deadline, at: uptime)
            var change = -1
            if case .waits = arrival { change += Self.oneWaits }
            counts.wrappingAdd(change, ordering: .relaxed)
            return (arrival, admit(&queue, at: uptime))
        }
        if case .refused(let shed) = arrival { metrics.shed(shed.reason) }
        notify(changes)
        return arrival
    }

    /// Removes the call at `place`. If it was admitted meanwhile, its ticket has been notified.
    func forget(_ place: AdmissionQueue<Ticket>.Place) {
        let count = queue.withLock { queue in
            if queue.remove(place) {
                counts.wrappingSubtract(Self.oneWaits, ordering: .relaxed)
            }
            return queue.count
        }
        metrics.queued(count)
    }

    // MARK: Admitting

    private struct Changes {
        var admitted: [(ticket: Ticket, wait: Duration)] = []
        var shed: [(ticket: Ticket, shed: AdmissionQueue<Ticket>.Shed)] = []
        var waiting = 0
    }

    private func admit(at uptime: Duration) {
        notify(queue.withLock { admit(&$0, at: uptime) })
    }

    private func admit(
        _ queue: inout AdmissionQueue<Ticket>, at uptime: Duration
    ) -> Changes {
        var changes = Changes()
        while queue.count > 0, runningCount < runningMax, let next = queue.next(at: uptime) {
            counts.wrappingAdd(1 - Self.oneWaits, ordering: .relaxed)
            changes.admitted.append(next)
        }
        changes.shed = queue.takeShed()
        counts.wrappingSubtract(changes.shed.count * Self.oneWaits, ordering: .relaxed)
        changes.waiting = queue.count
        return changes
    }

    private func notify(_ changes: Changes) {
        metrics.queued(changes.waiting)
        for (ticket, wait) in changes.admitted {
            metrics.waited(wait)
            ticket.notify { $0.admitted(ticket.call, by: self) }
        }
        for (ticket, shed) in changes.shed {
            metrics.shed(shed.reason)
            ticket.notify { $0.shed(ticket.call, retryAfter: shed.retryAfter) }
        }
    }

    /// A waiting call, and the connection to notify.
    struct Ticket: Sendable {
        let call: UInt64
        let connection: NIOLoopBound<ServerConnection>
        let loop: any EventLoop

        /// Notifies the connection in a separate task of its loop. Handlers that finish at once
        /// would otherwise admit each other recursively on one stack.
        func notify(_ change: @escaping @Sendable (ServerConnection) -> Void) {
            loop.execute { change(connection.value) }
        }
    }

    /// Why a call was shed.
    package enum ShedReason: String, CaseIterable, Sendable {
        /// The queue is full.
        case full
        /// The call's deadline would have passed before it was served.
        case deadline
        /// It has waited too long in overload.
        case late
    }

    /// The metrics of one lane: `rpc_server_sheds_total`, `rpc_server_queue_length` and
    /// `rpc_server_queue_wait_seconds`. The handles are made once; only a full lane uses them.
    struct Metrics: Sendable {
        private let sheds: [ShedReason: Counter]
        private let length: Gauge
        private let wait: CoreMetrics.Timer

        init(_ lane: MethodLane) {
            sheds = Dictionary(
                uniqueKeysWithValues: ShedReason.allCases.map { reason in
                    (
                        reason,
                        Counter(
                            label: "rpc_server_sheds_total",
                            dimensions: [("lane", lane.rawValue), ("reason", reason.rawValue)])
                    )
                })
            length = Gauge(
                label: "rpc_server_queue_length", dimensions: [("lane", lane.rawValue)])
            wait = Timer(
                label: "rpc_server_queue_wait", dimensions: [("lane", lane.rawValue)])
        }

        func shed(_ reason: ShedReason) { sheds[reason]?.increment() }

        func queued(_ count: Int) { length.record(count) }

        func waited(_ wait: Duration) { self.wait.recordNanoseconds(TimeAmount(wait).nanoseconds) }
    }

    /// The admission limiters of a server, one for each lane.
    struct ByLane: Sendable {
        private let ordinary: LaneLimiter
        private let costly: LaneLimiter
        private let watching: LaneLimiter
        private let admin: LaneLimiter

        init(_ limits: ServerLimits, time: any Time) {
            ordinary = LaneLimiter(.ordinary, limits, time: time)
            costly = LaneLimiter(.costly, limits, time: time)
            watching = LaneLimiter(.watching, limits, time: time)
            admin = LaneLimiter(.admin, limits, time: time)
        }

        subscript(lane: MethodLane) -> LaneLimiter {
            switch lane {
            case .ordinary: ordinary
            case .costly: costly
            case .watching: watching
            case .admin: admin
            }
        }

        /// Handlers that have not returned, in all lanes.
        var runningCount: Int { MethodLane.allCases.reduce(0) { $0 + self[$1].runningCount } }

        /// Waiting calls, in all lanes.
        var waitingCount: Int { MethodLane.allCases.reduce(0) { $0 + self[$1].waitingCount } }
    }
}
