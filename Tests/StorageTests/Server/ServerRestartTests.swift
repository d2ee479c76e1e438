import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite(
    "A server that goes away and comes back", .enabled(if: TestStore.writers > 1), .serialized)
struct ServerRestartTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func place(_ name: String, on server: TestServer) throws -> StorePlace {
        .server(try server.schema(of: name, in: folder.path), folder: folder.path, name: name)
    }

    @Test("under load nothing is lost or done twice, and work goes on within 2 s of its return")
    func restarts() async throws {
        let server = try TestServer()
        let store = try TestStore.open(
            at: try place("done", on: server), DoneFlows.migrations, time: SystemTime())
        let (outcomes, stop) = (DoneFlows.Outcomes(), Flag())
        let load = Load(store, outcomes, stop)
        let work = Task { try await load.run(8) }
        for round in 0..<max(2, SoakRounds.count / 5) {
            let before = load.done
            #expect(try await eventually { load.done > before + 200 })
            // A crash, and an ordinary stop, which ends all connections.
            try server.down(round.isMultiple(of: 2) ? "immediate" : "fast")
            try server.up()
            let (returned, since) = (ContinuousClock.now, load.done)
            #expect(try await eventually(every: .milliseconds(5)) { load.done > since })
            #expect(ContinuousClock.now - returned < .seconds(2))
        }
        stop.raise()
        try await work.value
        outcomes.expectKept(try await store.read { try $0.done() })
        #expect(store.writes.failure == nil)
        store.close()
        try server.end()
    }

    @Test("a server that is not there yet is awaited for a minute, with a line each 5 s")
    func awaited() async throws {
        let (server, time, log) = (try TestServer(), ManualTime(), CapturedLog())
        try server.down()
        let place = try place("late", on: server)
        let first = opening(place, time, log)
        for count in 1...3 {
            let isSaid = try await eventually {
                log.lines.count { $0.contains("store.server.awaited") } == count
            }
            #expect(isSaid)
            time.advance(by: .seconds(5))
        }
        try server.up()
        try await first.value.close()
        try server.down()
        let later = CapturedLog()
        let second = opening(place, time, later)
        #expect(try await eventually { !later.lines.isEmpty })
        time.advance(by: .seconds(60))
        let error = await #expect(throws: StoreError.self) { try await second.value }
        #expect(error?.description.contains("cannot be reached") == true)
        try server.end()
    }

    private func opening(
        _ place: StorePlace, _ time: ManualTime, _ log: CapturedLog
    ) -> Task<Store, any Error> {
        Task.detached {
            try TestStore.open(
                at: place, Entries.migrations, time: time, logger: log.logger(time: time))
        }
    }

    @Test("with store-needs-standby only a server with a synchronous standby is taken")
    func standby() async throws {
        let server = try TestServer(settings: ["fsync=on"])
        var settings = try server.schema(of: "kept", in: folder.path)
        (settings.durability, settings.needsStandby) = (.full, true)
        let place = StorePlace.server(settings, folder: folder.path, name: "kept")
        let error = #expect(throws: StoreError.self) { try open(place) }
        #expect(error?.description.contains("synchronous_standby_names") == true)

        try server.startStandby()
        try server.run("ALTER SYSTEM SET synchronous_standby_names TO '*'")
        try server.run("SELECT pg_reload_conf()")
        let isSynchronous = try await eventually {
            try server.run("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
                .hasPrefix("1")
        }
        try #require(isSynchronous)
        let store = try open(place)
        try await store.write(about: []) { try $0.insertEntry(1) }

        // Its COMMIT waits for the standby. Whoever cancels that wait makes it a success with a
        // warning.
        try server.endStandby()
        let unknown = Task { try await store.write(about: []) { try $0.insertEntry(2) } }
        let isCancelled = try await eventually {
            try server.run(
                """
                SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'
                """
            ).hasPrefix("t")
        }
        #expect(isCancelled)
        let refusal = await #expect(throws: ServiceError.self) { try await unknown.value }
        #expect(refusal?.code == .unavailable && refusal?.notProcessed == false)
        #expect(refusal?.detail.contains("warned while it committed") == true)

        try server.run("ALTER SYSTEM SET synchronous_standby_names TO ''")
        try server.run("SELECT pg_reload_conf()")
        try await store.write(about: []) { try $0.insertEntry(3) }
        #expect(try await store.read { try $0.entries() } == [1, 2, 3])
        store.close()
        try server.end()
    }

    private func open(_ place: StorePlace) throws -> Store {
        try TestStore.open(at: place, Entries.migrations)
    }
}

/// Writers that go on whatever the server does.
private final class Load: Sendable {
    private let store: Store
    private let outcomes: DoneFlows.Outcomes
    private let stop: Flag
    private let next = Atomic<Int64>(0)
    private let acknowledged = Atomic<Int>(0)

    init(_ store: Store, _ outcomes: DoneFlows.Outcomes, _ stop: Flag) {
        (self.store, self.outcomes, self.stop) = (store, outcomes, stop)
    }

    /// How many writes were acknowledged.
    var done: Int { acknowledged.load(ordering: .relaxed) }

    func run(_ writers: Int) async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<writers {
                group.addTask { [self] in
                    while !stop.isRaised { try await write() }
                }
            }
            try await group.waitForAll()
        }
    }

    private func write() async throws {
        let number = next.wrappingAdd(1, ordering: .relaxed).newValue
        let isDone = try await outcomes.record(number) {
            try await store.write(
                about: [.row("done", number % 64)], DoneFlows.flow(number))
        }
        if isDone {
            acknowledged.add(1, ordering: .relaxed)
        } else {
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
