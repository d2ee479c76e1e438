import Glibc
import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite(
    "A killed or stopped process, on a server", .enabled(if: TestStore.writers > 1), .serialized)
struct ServerCrashTests {
    let folder: TemporaryFolder
    let settings: ServerSettings

    init() throws {
        folder = try TemporaryFolder()
        settings = try TestServer.shared.get().schema(of: "crash", in: folder.path)
    }

    private func writer() throws -> CrashWriter {
        try CrashWriter(
            "StorageCrashWriter",
            [folder.path, try TestServer.shared.get().url(), settings.schema])
    }

    /// Opens the store once the server has noticed that its process has gone.
    private func open() async throws -> Store {
        var opened: Store?
        let isFree = try await eventually {
            do {
                opened = try TestStore.open("crash", [], in: folder.path)
                return true
            } catch StoreError.inUse {
                return false
            }
        }
        try #require(isFree)
        return try #require(opened)
    }

    /// The numbers of the rows, once no statement of the killed process runs.
    private func numbers(_ store: Store) async throws -> [Int64] {
        let isOver = try await eventually {
            try await store.read { session in
                try session.queryOne(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE application_name LIKE 'postern-crash/%' AND application_name <> ?
                        AND state <> 'idle'
                    """, [.text("postern-crash/\(store.instance)")]
                ) { try $0.integer(0) } == 0
            }
        }
        #expect(isOver)
        return try await store.read { session in
            try session.query("SELECT number FROM entry") { try $0.integer(0) }
        }
    }

    @Test("kill -9 under load loses no acknowledged write, and none is there in halves or twice")
    func killedUnderLoad() async throws {
        var acknowledged: Set<Int64> = []
        var perSecond: [Double] = []
        let rounds = SoakRounds.count(ordinarily: 4)
        for round in 1...rounds {
            let writer = try writer()
            acknowledged.formUnion(writer.acknowledged(1))
            let began = ContinuousClock.now
            // Another place in the work each time.
            let count = 250 + round % 37
            acknowledged.formUnion(writer.acknowledged(count))
            perSecond.append(Double(count) / ((ContinuousClock.now - began) / .seconds(1)))
            writer.kill()
            // What it acknowledged before it died is still in the pipe.
            acknowledged.formUnion(writer.acknowledged())
            let store = try await open()
            let found = try await numbers(store)
            let stored = Set(found)
            #expect(acknowledged.isSubset(of: stored))
            #expect(found.count == stored.count, "twice")
            #expect(stored.allSatisfy { stored.contains(-$0) && !$0.isMultiple(of: 7) })
            store.close()
        }
        print("kills: \(rounds), at \(Int(perSecond.sorted()[rounds / 2])) writes/s")
    }

    @Test("a stopped process loses the store to another, and writes nothing when it goes on")
    func stopped() async throws {
        let writer = try writer()
        #expect(writer.acknowledged(20).count == 20)
        writer.process.send(SIGSTOP)
        let store = try await open()
        let before = Set(try await numbers(store))
        writer.process.send(SIGCONT)
        // As long as hundreds of its writes take.
        try await Task.sleep(for: .seconds(1))
        let after = try await store.read { session in
            try session.query("SELECT number FROM entry") { try $0.integer(0) }
        }
        // Only what had begun on its ten connections may still end: two rows of each.
        #expect(Set(after).subtracting(before).count <= 20)
        writer.kill()
        store.close()
    }
}
