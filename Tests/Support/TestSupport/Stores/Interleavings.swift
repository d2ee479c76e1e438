package import Storage
import Synchronization

/// Runs two flows with their statements interleaved, as two instances of a service on a server
/// would run them, and compares what they leave with what they leave one after the other.
///
/// The two flows take turns on the writer's one connection, so each sees the other's writes before
/// its commit, unless a subject's lock keeps them apart. Each interleaving is rolled back. After
/// the last one both flows run once more, one after the other, and are answered.
///
/// An interleaving changes between the flows at most twice, which is where such faults are found
/// (Musuvathi and Qadeer, 2007). A flow that waits for a lock lets the other one run to its end.
package final class Interleavings: StoreBackend {
    private let inner: any StoreBackend
    private let state = Mutex(State.passing)

    private enum State {
        case passing
        case waiting(Order)
        case holding(Flow, Order)
    }

    private struct Order {
        let look: @Sendable (Transaction) throws -> String
        let report: CheckedContinuation<Report, any Error>
    }

    /// What the interleavings of two flows left.
    package struct Report: Sendable {
        /// What the two serial orders left.
        package internal(set) var serial: Set<String> = []
        /// What an interleaving, or a second run, left that no serial order leaves.
        package internal(set) var wrong: Set<String> = []
        /// How many interleavings were compared.
        package internal(set) var interleavings = 0
    }

    /// In front of a store's backend.
    package init(_ inner: any StoreBackend) {
        self.inner = inner
    }

    /// Holds the next two flows until their interleavings have run.
    /// - Parameter look: reads what is compared, for example numbers of rows.
    /// - Throws: `SQLError`, or what `look` throws.
    package func explore(
        _ look: @escaping @Sendable (Transaction) throws -> String
    ) async throws -> Report {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0 = .waiting(Order(look: look, report: continuation)) }
        }
    }

    /// Explores the flows of two calls of handlers, one each. A call may be refused: its error is
    /// dropped.
    /// - Throws: as above; `NoFlow` if a call ended without a flow.
    package func explore(
        _ first: @escaping @Sendable () async throws -> Void,
        _ second: @escaping @Sendable () async throws -> Void,
        _ look: @escaping @Sendable (Transaction) throws -> String
    ) async throws -> Report {
        async let report = explore(look)
        while !isWaiting { await Task.yield() }
        await withTaskGroup(of: Void.self) { group in
            for call in [first, second] {
                group.addTask { [self] in
                    // A refusal is a right outcome of one of the two.
                    _ = try? await call()
                    giveUp()
                }
            }
        }
        return try await report
    }

    /// Fails an exploration that still waits for a flow.
    private func giveUp() {
        let left = state.withLock { state in
            defer { state = .passing }
            return state
        }
        switch left {
        case .passing: break
        case .waiting(let order): order.report.resume(throwing: NoFlow())
        case .holding(let flow, let order):
            flow.work.fail(NoFlow())
            order.report.resume(throwing: NoFlow())
        }
    }

    /// A call ended before two flows had arrived.
    package struct NoFlow: Error {}

    /// Whether `explore` still waits for its two flows, or for the second of them.
    package var isWaiting: Bool {
        state.withLock { if case .passing = $0 { false } else { true } }
    }

    /// See `StoreBackend`.
    package var waitingWrites: Int { inner.waitingWrites }

    /// See `StoreBackend`.
    /// - Throws: `QueueRefusal`.
    package func write(_ job: WriterJob) throws(QueueRefusal) {
        guard case .flow(let flow) = job else { return try inner.write(job) }
        // The flow is held or passed on as the state was here: the other flow may change it next.
        let found = state.withLock { state in
            defer {
                switch state {
                case .passing: break
                case .waiting(let order): state = .holding(flow, order)
                case .holding: state = .passing
                }
            }
            return state
        }
        switch found {
        case .passing: try inner.write(job)
        case .waiting: break
        case .holding(let first, let order):
            let look = order.look
            let exploration = Queued<Transaction>(order.report) { transaction in
                try Exploration(transaction, [first, flow], look).run()
            }
            try inner.write(.flow(Flow(about: first.about + flow.about, work: exploration)))
            try inner.write(.flow(first))
            try inner.write(job)
        }
    }

    /// See `StoreBackend`.
    /// - Throws: `QueueRefusal`.
    package func read(_ query: Queued<any SQLSession>) throws(QueueRefusal) {
        try inner.read(query)
    }

    /// See `StoreBackend`.
    package func close() { inner.close() }
}

extension Transaction {
    /// The numbers that these statements select, by their names, as an exploration compares them.
    /// - Throws: `SQLError`.
    package func numbers(_ statements: KeyValuePairs<String, String>) throws -> String {
        try statements.map { name, sql in
            let number = try queryOne("SELECT \(sql)", []) { try $0.integer(0) }
            return "\(number ?? 0) \(name)"
        }.joined(separator: ", ")
    }
}

/// All interleavings of two flows, on the writer's thread.
private struct Exploration {
    let transaction: Transaction
    let flows: [Flow]
    let look: (Transaction) throws -> String

    init(
        _ transaction: Transaction, _ flows: [Flow],
        _ look: @escaping (Transaction) throws -> String
    ) {
        self.transaction = transaction
        self.flows = flows
        self.look = look
    }

    func run() throws -> Interleavings.Report {
        var report = Interleavings.Report()
        let (one, stops) = try serial(0, 1)
        report.serial = [one, try serial(1, 0).left]
        for first in 0...1 {
            for own in 1..<max(2, stops[first]) {
                for other in 1...max(1, stops[1 - first]) {
                    let (left, isWhole) = try interleaved(first, own, other)
                    if let left {
                        report.interleavings += 1
                        if !report.serial.contains(left) { report.wrong.insert(left) }
                    }
                    // With more statements of the other it is the same interleaving.
                    if !isWhole { break }
                }
            }
        }
        // A flow that writes into memory does something else when it runs again.
        let again = try serial(0, 1).left
        if again != one { report.wrong.insert("run again: \(again)") }
        return report
    }

    /// One flow after the other.
    /// - Returns: what is left, and the number of stops of each flow.
    private func serial(_ first: Int, _ second: Int) throws -> (left: String, stops: [Int]) {
        try rolledBack("explore") {
            var (outcomes, stops) = (["", ""], [0, 0])
            for index in [first, second] {
                let locks = SubjectLocks()
                try transaction.put("SAVEPOINT one", [])
                let turns = FlowTurns(flows[index], transaction, locks)
                while turns.advance() == .stopped { stops[index] += 1 }
                outcomes[index] = turns.outcome
                if turns.hasThrown { try transaction.put("ROLLBACK TO one", []) }
                try transaction.put("RELEASE one", [])
            }
            return ("\(outcomes) \(try look(transaction))", stops)
        }
    }

    /// `own` statements of the first flow, `other` of the second, the rest of the first, the rest.
    /// - Returns: `left` is nil where it cannot be compared: a server ends one of two flows that wait
    ///   for each other, and runs it again; and what a flow wrote before it threw is not undone here.
    ///   `isWhole` is whether the second flow got as far as `other` without a wait.
    private func interleaved(
        _ first: Int, _ own: Int, _ other: Int
    ) throws -> (left: String?, isWhole: Bool) {
        try rolledBack("explore") {
            let locks = SubjectLocks()
            let turns = flows.map { FlowTurns($0, transaction, locks) }
            let (a, b) = (turns[first], turns[1 - first])
            for _ in 0..<own where a.advance() != .stopped { break }
            var steps = 0
            while steps < other, b.advance() == .stopped { steps += 1 }
            // Twice: one that waits for a lock goes on when the other has ended.
            for flow in [a, b, a, b] { while flow.advance() == .stopped {} }
            let isDeadlock = turns.contains { $0.state != .ended }
            for flow in turns where flow.state != .ended { flow.end() }
            if isDeadlock || turns.contains(where: { $0.hasThrown && $0.hasWritten }) {
                return (nil, steps == other)
            }
            return ("\(turns.map(\.outcome)) \(try look(transaction))", steps == other)
        }
    }

    private func rolledBack<Value>(_ name: String, _ body: () throws -> Value) throws -> Value {
        try transaction.put("SAVEPOINT \(name)", [])
        let value = try body()
        try transaction.put("ROLLBACK TO \(name)", [])
        try transaction.put("RELEASE \(name)", [])
        return value
    }
}
