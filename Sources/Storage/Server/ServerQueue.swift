/// The flows and queries that wait for a connection to the server: two lines, as `WorkQueue` has.
///
/// Flows and queries are taken in the order of their arrival. Bulk flows wait behind them, in turns
/// by owner (`BulkLine`), but one of them always runs, so that none waits for ever, and at most
/// half of the connections run them. Of flows about very many subjects, such as an import's, one
/// runs at a time: each subject is a lock of the server, which has some thousands.
final class ServerQueue: Sendable {
    /// More subjects than any call of one person has.
    private static let manySubjects = 64

    /// What a connection is for.
    enum Job: Sendable {
        case flow(WriterJob)
        case query(Queued<any SQLSession>)
    }

    /// A job that was taken, with the line that it came from.
    struct Taken: Sendable {
        let job: Job
        let isBulk: Bool
        let isMany: Bool
    }

    private let monitor = Monitor()
    private let limits: Store.Limits
    private let bulkRunningMax: Int
    // All guarded by the monitor.
    nonisolated(unsafe) private var line = Line<Job>()
    nonisolated(unsafe) private var bulk: BulkLine<WriterJob>
    /// Of many subjects, and taken from `bulk` while another one ran.
    nonisolated(unsafe) private var many = Line<WriterJob>()
    nonisolated(unsafe) private var flowsWaiting = 0
    nonisolated(unsafe) private var queriesWaiting = 0
    nonisolated(unsafe) private var bulkRunning = 0
    nonisolated(unsafe) private var isManyRunning = false
    nonisolated(unsafe) private var isClosed = false

    /// An open queue for so many connections.
    init(_ limits: Store.Limits, connections: Int) {
        self.limits = limits
        bulkRunningMax = max(1, connections / 2)
        bulk = BulkLine(
            elementsMax: limits.waitingBulkWritesMax,
            elementsOfOneMax: limits.waitingBulkWritesOfOneMax)
    }

    /// How many flows wait.
    var waitingFlows: Int { monitor.locked { flowsWaiting + bulk.count + many.count } }

    /// Appends a flow; never blocks.
    /// - Returns: a bulk flow that gave its place to this one and will not be taken.
    func offer(_ job: WriterJob) throws(QueueRefusal) -> WriterJob? {
        let result: Result<WriterJob?, QueueRefusal> = monitor.locked {
            if isClosed { return .failure(.closed) }
            defer { monitor.signal() }
            if job.bulkBytes > 0 {
                do throws(QueueRefusal) {
                    return .success(
                        try bulk.add(
                            job, bytes: job.bulkBytes, of: job.owner, isGone: { $0.isGone }))
                } catch {
                    return .failure(error)
                }
            }
            if flowsWaiting >= limits.waitingWritesMax { return .failure(.full) }
            flowsWaiting += 1
            line.append(.flow(job))
            return .success(nil)
        }
        return try result.get()
    }

    /// Appends a query; never blocks.
    func offer(_ query: Queued<any SQLSession>) throws(QueueRefusal) {
        let refusal: QueueRefusal? = monitor.locked {
            if isClosed { return .closed }
            if queriesWaiting >= limits.waitingReadsMax { return .full }
            queriesWaiting += 1
            line.append(.query(query))
            monitor.signal()
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Takes the next job, blocking until there is one; nil only once the queue is closed and
    /// empty. Each job that was taken must be finished.
    func take() -> Taken? {
        monitor.locked {
            while true {
                if bulkRunning == 0, let taken = takeBulk() { return taken }
                if let job = line.popFirst() {
                    if case .flow = job { flowsWaiting -= 1 } else { queriesWaiting -= 1 }
                    return Taken(job: job, isBulk: false, isMany: false)
                }
                if bulkRunning < bulkRunningMax, let taken = takeBulk() { return taken }
                if isClosed, bulk.count == 0, many.count == 0 { return nil }
                monitor.wait()
            }
        }
    }

    /// The job has ended.
    func finish(_ taken: Taken) {
        guard taken.isBulk else { return }
        monitor.locked {
            bulkRunning -= 1
            if taken.isMany { isManyRunning = false }
            // Several may wait for one of these two bounds.
            monitor.broadcast()
        }
    }

    /// Rejects new jobs; waiting ones are still taken.
    func close() {
        monitor.locked {
            isClosed = true
            monitor.broadcast()
        }
    }

    private func takeBulk() -> Taken? {
        if !isManyRunning, let job = many.popFirst() { return running(job, isMany: true) }
        while let job = bulk.take(upTo: 1, bytesMax: 0, isGone: { _ in false }).first {
            guard job.subjects > Self.manySubjects else { return running(job, isMany: false) }
            if !isManyRunning { return running(job, isMany: true) }
            many.append(job)
        }
        return nil
    }

    private func running(_ job: WriterJob, isMany: Bool) -> Taken {
        bulkRunning += 1
        if isMany { isManyRunning = true }
        return Taken(job: .flow(job), isBulk: true, isMany: isMany)
    }

    /// First in, first out.
    private struct Line<Element> {
        private var elements: [Element?] = []
        private var first = 0

        var count: Int { elements.count - first }

        mutating func append(_ element: Element) { elements.append(element) }

        mutating func popFirst() -> Element? {
            guard first < elements.count else { return nil }
            let element = elements[first]
            elements[first] = nil
            first += 1
            // Half of it is gone: each element is moved once.
            if first * 2 > elements.count {
                elements.removeFirst(first)
                first = 0
            }
            return element
        }
    }
}

extension WriterJob {
    fileprivate var subjects: Int { if case .flow(let flow) = self { flow.about.count } else { 0 } }
}
