import Glibc
import Storage
import Synchronization

/// In front of a store's backend: another flow commits just before a flow in bulk, or the writer's
/// time for such a flow is measured. Snapshots are counted.
final class MeddlingBackend: StoreBackend {
    private let inner: any StoreBackend
    private let state = Mutex(State())

    private struct State {
        var other: (@Sendable (Transaction) throws -> Void)?
        var about: [Subject] = []
        var times = 0
        /// Flows that read the clock.
        var probes: [Queued<Transaction>] = []
        var seconds: [Double] = []
        var reads = 0
    }

    init(_ inner: any StoreBackend) { self.inner = inner }

    /// Has `other` committed before each of the next flows in bulk.
    func meddle(
        times: Int = 1, about: [Subject], _ other: @escaping @Sendable (Transaction) throws -> Void
    ) {
        state.withLock { ($0.times, $0.about, $0.other) = (times, about, other) }
    }

    /// How many snapshots were read.
    var reads: Int { state.withLock(\.reads) }

    /// How many flows are still to be met.
    var left: Int { state.withLock(\.times) }

    /// Measures the next flow in bulk: a flow before it and one after it, in the same line, read the
    /// clock of the writer's thread.
    func measure() async {
        for _ in 0..<2 {
            Task { [self] in
                try await withCheckedThrowingContinuation { continuation in
                    let probe = Queued<Transaction>(continuation) { [self] _ in
                        var now = timespec()
                        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
                        let seconds = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
                        state.withLock { $0.seconds.append(seconds) }
                    }
                    state.withLock { $0.probes.append(probe) }
                }
            }
        }
        while state.withLock({ $0.probes.count < 2 }) { await Task.yield() }
    }

    /// The measured CPU time of the writer, in milliseconds.
    func milliseconds() async -> Double {
        while state.withLock({ $0.seconds.count < 2 }) { await Task.yield() }
        return state.withLock { ($0.seconds[1] - $0.seconds[0]) * 1_000 }
    }

    var waitingWrites: Int { inner.waitingWrites }

    func write(_ job: WriterJob) throws(QueueRefusal) {
        guard case .flow(let flow) = job, flow.bulkBytes > 0 else { return try inner.write(job) }
        let (other, about, probes) = state.withLock { state in
            defer { (state.times, state.probes) = (max(0, state.times - 1), []) }
            return (state.times > 0 ? state.other : nil, state.about, state.probes)
        }
        if let other {
            Task { [inner] in
                try await withCheckedThrowingContinuation { continuation in
                    let work = Queued<Transaction>(continuation) { try other($0) }
                    // A closed store fails the test in any case.
                    try? inner.write(.flow(Flow(about: about, work: work)))
                }
                try inner.write(job)
            }
            return
        }
        if let first = probes.first {
            try inner.write(.flow(Flow(about: flow.about, bulkBytes: 1, work: first)))
        }
        try inner.write(job)
        if let last = probes.last {
            try inner.write(.flow(Flow(about: flow.about, bulkBytes: 1, work: last)))
        }
    }

    func read(_ query: Queued<any SQLSession>) throws(QueueRefusal) {
        state.withLock { $0.reads += 1 }
        try inner.read(query)
    }

    func close() { inner.close() }
}
