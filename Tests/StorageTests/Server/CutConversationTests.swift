import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite(
    "A conversation with the server that is cut", .enabled(if: TestStore.writers > 1), .serialized)
struct CutConversationTests {
    let folder: TemporaryFolder
    let store: Store
    let settings: ServerSettings

    init() throws {
        folder = try TemporaryFolder()
        store = try TestStore.open("done", DoneFlows.migrations, in: folder.path)
        settings = try TestServer.shared.get().schema(of: "done", in: folder.path)
    }

    @Test(
        "cut at any message, a flow is done once, not at all, or its outcome is unknown; not twice",
        arguments: MessageProxy.Side.allCases)
    func cut(side: MessageProxy.Side) async throws {
        let proxy = try MessageProxy(to: try TestServer.shared.get().socket)
        let (outcomes, registry) = (DoneFlows.Outcomes(), MetricsRegistry())
        // Of another schema, since the store has its own.
        let link = try StoreLink(
            try TestServer.shared.get().schema(of: "link", in: folder.path),
            application: "postern-cut-link", logger: CapturedLog().logger(),
            metrics: ServerMetrics(name: "link", factory: registry))
        let rounds = max(1, SoakRounds.count / 50)
        var cuts = 0
        for _ in 0..<rounds {
            var (after, isCut) = (0, true)
            while isCut {
                proxy.cut(side, after: after)
                let worker = try OneWorker(settings, proxy, link, store.clock, registry)
                // The first connects and prepares; the second finds all of that.
                for turn in 0...1 {
                    let number = Int64(cuts * 2 + turn)
                    try await outcomes.record(number) {
                        try await worker.write(number, DoneFlows.flow(number))
                    }
                }
                worker.close()
                // Its last message must not be taken for one of the next.
                #expect(try await eventually(every: .milliseconds(1)) { proxy.conversations == 0 })
                isCut = !proxy.isWaiting
                (after, cuts) = (after + 1, cuts + 1)
            }
            // Not the connection, the session, the texts and two flows only.
            #expect(after > 20)
        }
        proxy.stop()
        link.close()
        #expect(try await eventually { try await open(OneWorker.application) == 0 })
        let rows = try await store.read { try $0.done() }
        outcomes.expectKept(rows)
        let (unknown, done) = (outcomes.all.unknown, Set(rows.map(\.number)))
        // COMMIT, and what is behind it in the batch, did not arrive; or its answer did not.
        #expect(!unknown.isEmpty && outcomes.all.undone.isEmpty)
        #expect(side == .client || !unknown.isDisjoint(with: done))
        #expect(side == .server || !unknown.isSubset(of: done))
        let page = registry.prometheusText()
        #expect(page.contains("store_unknown_outcomes_total{store=\"cut\"} \(unknown.count)\n"))
        let lines = page.split(separator: "\n").filter { $0.contains("cause=\"connection\"") }
        let repeats = lines.first?.split(separator: " ").last.flatMap { Int($0) }
        // Each flow that was cut before COMMIT was run again, once. A round's last cut does not
        // come, and one of the client's cuts its farewell.
        let ends = rounds * (side == .client ? 2 : 1)
        #expect(repeats == cuts - ends - unknown.count)
        store.close()
    }

    /// How many connections of an application the server has.
    private func open(_ application: String) async throws -> Int64 {
        try await store.read { session in
            try session.queryOne(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = ?",
                [.text(application)]
            ) { try $0.integer(0) } ?? 0
        }
    }
}

/// A thread of a store whose conversation passes a proxy: one only, so that the same messages come
/// in the same order each time. The link's does not.
private final class OneWorker: Sendable {
    static let application = "postern-cut"

    private let queue: ServerQueue
    private let thread: OSThread

    init(
        _ settings: ServerSettings, _ proxy: MessageProxy, _ link: StoreLink, _ clock: ClockHold,
        _ registry: MetricsRegistry
    ) throws {
        let queue = ServerQueue(Store.Limits(), connections: 2)
        let (time, logger) = (ManualTime(), CapturedLog().logger())
        let proxied = try ServerSettings(
            url: "postgres://postgres@127.0.0.1:\(proxy.port)/postgres", schema: settings.schema)
        let mark = ServerClockMark(time: time, clock: clock)
        thread = try OSThread {
            var worker = ServerWorker(
                open: { try ServerConnection(proxied, application: OneWorker.application) },
                time: time, instance: 1, logger: logger,
                metrics: StoreMetrics(name: "cut", time: time, factory: registry),
                served: ServerMetrics(name: "cut", factory: registry),
                writes: PartCondition(time: time), mark: mark, link: link, announce: {})
            worker.work(queue)
        }
        self.queue = queue
    }

    func write(
        _ number: Int64, _ flow: @escaping @Sendable (Transaction) throws -> Void
    ) async throws {
        try await Queued<Transaction>.value(evenIfCancelled: true, of: flow) {
            (work) throws(QueueRefusal) in
            _ = try queue.offer(.flow(Flow(about: [.row("done", number)], work: work)))
        }
    }

    func close() {
        queue.close()
        thread.join()
    }
}
