import FoundationEssentials
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-06: counts survive a restart", .timeLimit(.minutes(5)))
struct LimitJournalTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "R-06: after random traffic a restart restores every state unchanged",
        arguments: [Journal.logBytesDefault, 20_000])
    func restart(logBytes: Int) async throws {
        for round in 0..<SoakRounds.count(ordinarily: 2) {
            var traffic = TrafficOfLimits(seed: UInt64(round) + 11, subjects: 300)
            let folder = try TemporaryFolder()
            var fixture = try JournaledTable(folder, logBytes: logBytes, at: traffic.now)
            for step in 0..<2_000 {
                let (operation, batch) = traffic.next()
                _ = fixture.table.apply(operation, batch, at: traffic.now)
                if step % 40 == 0 { try await fixture.table.persisted() }
                guard step % 500 == 499 else { continue }
                fixture.table.sweep(at: traffic.now)
                let before = fixture.contents
                fixture.table.close()
                fixture = try JournaledTable(folder, logBytes: logBytes, at: traffic.now)
                try #require(fixture.contents == before, "seed \(round + 11), step \(step)")
            }
            fixture.table.close()
        }
    }

    @Test("R-06: acknowledged charges are found after a kill, while snapshots are made and removed")
    func kill() async throws {
        let fixture = try JournaledTable(folder, logBytes: 4_096)
        for subject: UInt64 in 0..<120 {
            fixture.charge(subject)
            try await fixture.table.persisted()
            guard subject % 10 == 0 else { continue }
            #expect(try fixture.contentsAfterKill().count == Int(subject) + 1)
        }
        fixture.table.close()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.contains { $0.hasPrefix("limits.snapshot.") })
        #expect(!files.contains("limits.log.0"))
    }

    @Test("R-06: at the start, expired states are dropped and live ones restored")
    func expired() async throws {
        let fixture = try JournaledTable(folder)
        fixture.charge(1)
        fixture.charge(2, at: JournaledTable.now + .seconds(600))
        fixture.table.close()
        let next = try JournaledTable(folder, at: JournaledTable.now + .seconds(900))
        #expect(next.charges(1) == 0)
        #expect(next.charges(2) == 1)
        next.table.close()
    }

    @Test("R-06: a clock that went backwards during a restart frees nothing")
    func clockBackwards() async throws {
        let fixture = try JournaledTable(folder)
        for _ in 0..<5 { fixture.charge(1) }
        fixture.table.close()
        let past = JournaledTable.now - .seconds(1_000_000)
        let next = try JournaledTable(folder, at: past)
        #expect(next.charge(1, at: past).isLimited)
        next.table.close()
    }

    @Test("R-06: a full disk rejects durable charges, keeps memory right, and writes all later")
    func fullDisk() async throws {
        let files = FailingFiles()
        let fixture = try JournaledTable(folder, files: files)
        fixture.charge(1)
        try await fixture.table.persisted()
        files.isFull.store(true, ordering: .sequentiallyConsistent)
        for _ in 0..<4 {
            #expect(!fixture.charge(1).isLimited)
            let error = await #expect(throws: ServiceError.self) {
                try await fixture.table.persisted()
            }
            #expect(error?.code == .unavailable)
        }
        #expect(fixture.charge(1).isLimited)
        fixture.charge(2)
        #expect(try fixture.contentsAfterKill().count == 1)
        files.isFull.store(false, ordering: .sequentiallyConsistent)
        try await fixture.table.persisted()
        #expect(try fixture.contentsAfterKill() == fixture.contents)
        #expect(fixture.log.lines.contains { $0.contains("journal.write.recovered") })
        fixture.table.close()
    }

    @Test("R-06: at whichever file call the disk fails, acknowledged charges are found")
    func callsFail() async throws {
        for calls in 2..<60 {
            let folder = try TemporaryFolder()
            let fixture = try JournaledTable(
                folder, files: FailingFiles(after: calls), logBytes: 500)
            var answered: UInt64 = 0
            for subject: UInt64 in 1...30 {
                fixture.charge(subject)
                do {
                    try await fixture.table.persisted()
                    answered = subject
                } catch {
                    break
                }
            }
            let found = try fixture.contentsAfterKill()
            for subject: UInt64 in 1..<answered + 1 {
                #expect(found[JournaledTable.request(subject).key] != nil, "\(calls) calls")
            }
            fixture.table.close()
        }
    }

    @Test("R-06: only their owner can read the journal's files")
    func privateFiles() async throws {
        let fixture = try JournaledTable(folder, logBytes: 1)
        for subject: UInt64 in 1...3 {
            fixture.charge(subject)
            try await fixture.table.persisted()
        }
        fixture.table.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test("R-06: while one program has the journal open, another gets an error")
    func lock() throws {
        let fixture = try JournaledTable(folder)
        #expect(throws: StoreError.self) { try JournaledTable(folder) }
        fixture.table.close()
        try JournaledTable(folder).table.close()
    }
}
