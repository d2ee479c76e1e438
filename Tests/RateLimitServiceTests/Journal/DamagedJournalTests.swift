import FoundationEssentials
import Storage
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-06: a damaged journal is detected", .timeLimit(.minutes(5)))
struct DamagedJournalTests {
    let folder: TemporaryFolder
    /// A log with four frames.
    let log: Data
    private let ends: [Int]

    init() async throws {
        folder = try TemporaryFolder()
        let fixture = try JournaledTable(folder)
        var ends = [0]
        for subject: UInt64 in 1...4 {
            for _ in 0..<subject { fixture.charge(subject) }
            try await fixture.table.persisted()
            ends.append(try Data(contentsOf: URL(filePath: folder.file("limits.log.0"))).count)
        }
        fixture.table.close()
        self.ends = ends
        log = try Data(contentsOf: URL(filePath: folder.file("limits.log.0")))
    }

    /// Starts on a log with these bytes.
    private func start(_ bytes: Data) throws -> Int {
        let folder = try TemporaryFolder()
        try bytes.write(to: URL(filePath: folder.file("limits.log.0")))
        let fixture = try JournaledTable(folder)
        defer { fixture.table.close() }
        return fixture.contents.count
    }

    @Test("R-06: a log cut off at any byte keeps all whole frames and no partial one")
    func torn() throws {
        #expect(ends.count == 5 && ends[4] == log.count)
        for length in 0...log.count {
            let whole = ends.lastIndex { $0 <= length } ?? 0
            #expect(try start(log.prefix(length)) == whole, "\(length) bytes")
        }
    }

    @Test("B18: a log that starts with noise is damaged; one that is only zeros is a torn end")
    func overwritten() throws {
        let noise = SeededRandomness(seed: 5)
        for count in [1, 7, 8, 40, 5_000, log.count] {
            let bytes = Data((0..<count).map { _ in UInt8(truncatingIfNeeded: noise.next() | 1) })
            let error = #expect(throws: JournalError.self, "\(count) bytes") {
                _ = try start(bytes)
            }
            let text = error?.description ?? ""
            #expect(text.contains("limits.log.0 is damaged at byte 0"))
            #expect(text.contains("move the file away"))
            #expect(try start(Data(count: count)) == 0)
        }
        #expect(try start(Data()) == 0)
    }

    @Test("R-06: a log with a torn end is continued, and the next start finds what was added")
    func goesOn() async throws {
        let folder = try TemporaryFolder()
        try log.dropLast(9).write(to: URL(filePath: folder.file("limits.log.0")))
        let fixture = try JournaledTable(folder)
        fixture.charge(9)
        fixture.table.close()
        let next = try JournaledTable(folder)
        #expect(next.contents.count == 4)
        #expect(next.charges(9) == 1 && next.charges(4) == 0)
        next.table.close()
    }

    @Test("R-06: a flipped bit is rejected, except in the last frame, where it is a torn end")
    func flipped() throws {
        for place in 0..<log.count {
            var bytes = log
            bytes[place] ^= 1 << UInt8(place % 8)
            if place >= ends[3] {
                #expect(try start(bytes) == 3, "byte \(place)")
            } else {
                let error = #expect(throws: JournalError.self, "byte \(place)") {
                    _ = try start(bytes)
                }
                #expect(error?.description.contains("restore a backup") ?? false)
            }
        }
    }

    @Test(
        "R-06: a whole frame far after a damaged one is found at any block boundary",
        arguments: [-48, -40, -16, -8, 0, 8])
    func farBehind(shift: Int) throws {
        // The search begins one word after the first frame and reads one MiB at a time.
        let gap = Data(count: 8 + (2 << 20) + shift)
        let first = log.prefix(ends[1])
        #expect(try start(first + gap) == 1)
        #expect(throws: JournalError.self) { _ = try start(first + gap + log[ends[3]...]) }
        #expect(try start(first + gap + log[ends[3]...].dropLast(9)) == 1)
    }

    @Test("R-06: a snapshot with a flipped bit or without its end is rejected")
    func snapshot() async throws {
        let fixture = try JournaledTable(folder, logBytes: 1)
        fixture.charge(5)
        try await fixture.table.persisted()
        try await fixture.snapshot(1)
        fixture.table.close()
        let name = folder.file("limits.snapshot.1")
        let whole = try Data(contentsOf: URL(filePath: name))
        for place in stride(from: 0, to: whole.count, by: 13) {
            var flipped = whole
            flipped[place] ^= 0x10
            for bytes in [flipped, whole.prefix(place)] {
                try bytes.write(to: URL(filePath: name))
                #expect(throws: JournalError.self) { try JournaledTable(folder) }
            }
        }
        try whole.write(to: URL(filePath: name))
        let next = try JournaledTable(folder)
        #expect(next.contents.count == 5)
        next.table.close()
    }

    @Test("R-06: a log that is missing between others is rejected")
    func missing() async throws {
        let fixture = try JournaledTable(folder, logBytes: 1)
        fixture.charge(5)
        try await fixture.table.persisted()
        try await fixture.snapshot(1)
        fixture.table.close()
        try FileManager.default.removeItem(atPath: folder.file("limits.log.1"))
        let error = #expect(throws: JournalError.self) { try JournaledTable(folder) }
        #expect(error?.description.contains("limits.log.1 is missing") ?? false)
    }
}
