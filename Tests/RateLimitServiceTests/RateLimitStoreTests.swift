import Contracts
import FoundationEssentials
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-06: charges are stored on disk", .timeLimit(.minutes(1)))
struct RateLimitStoreTests {
    @Test("R-06: a restart keeps charges, and keeps refunds")
    func restart() async throws {
        let fixture = try await LimitsFixture()
        for _ in 0..<5 { try await fixture.consume(.failedSignInByAccount, "ada@example.org") }
        try await fixture.consume(.failedSignInByAccount, "bob@example.org")
        let (_, id) = try await fixture.consume(.failedSignInByAccount, "bob@example.org")
        try await fixture.refund(id)
        fixture.time.advance(by: .seconds(300))
        let next = try await fixture.restarted()
        let ada = try await next.consume(.failedSignInByAccount, "ada@example.org").decision
        #expect(ada.limited)
        #expect(ada.retryAfterMs == 600_000)
        #expect(try next.peek(.failedSignInByAccount, "bob@example.org").remaining == 3)
    }

    @Test("R-06: after 200 parallel charges a restart restores exactly the acknowledged ones")
    func restartAfterFlood() async throws {
        let fixture = try await LimitsFixture()
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    let (_, id) = try await fixture.consume(.failedSignInByAddress, "192.0.2.7")
                    if number.isMultiple(of: 2), !id.isEmpty { try await fixture.refund(id) }
                }
            }
            try await group.waitForAll()
        }
        let before = try fixture.peek(.failedSignInByAddress, "192.0.2.7")
        let next = try await fixture.restarted()
        #expect(try next.peek(.failedSignInByAddress, "192.0.2.7") == before)
    }

    @Test("R-04: a charge made before a restart cannot be refunded, which is the strict choice")
    func refundAfterRestart() async throws {
        let fixture = try await LimitsFixture()
        let (_, id) = try await fixture.consume(.failedSignInByAccount, "ada@example.org")
        let next = try await fixture.restarted()
        try await next.refund(id)
        #expect(try next.peek(.failedSignInByAccount, "ada@example.org").remaining == 3)
    }

    @Test("R-05: no subject is in the files or in the log, not even in the audit trail")
    func hashed() async throws {
        let fixture = try await LimitsFixture()
        let canaries = ["canary@example.org", "203.0.113.77", "2001:db8:ca:fe::1", "device-canary"]
        for _ in 0..<6 {
            try await fixture.consume(.failedSignInByAccount, canaries[0])
            try await fixture.consume(.signUpByAddress, canaries[1])
            try await fixture.consume(.signUpByAddress, canaries[2])
            try await fixture.consume(.failedSignInByDevice, "\(canaries[1])|\(canaries[3])")
        }
        await fixture.service.flush()
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        #expect(files.contains { $0.hasPrefix("ratelimit.log") })
        let contents = try files.map {
            try Data(contentsOf: URL(filePath: fixture.folder.file($0)))
        }
        for bytes in contents + [Data(try fixture.store.storedBytes())] {
            for canary in canaries + ["20010db800ca00fe"] {
                #expect(bytes.firstRange(of: Data(canary.utf8)) == nil, "\(canary)")
            }
        }
        for line in fixture.log.lines { for canary in canaries { #expect(!line.contains(canary)) } }
        #expect(fixture.service.limits.table.count == 5)
    }

    @Test("R-05: another master key recognises none of the subjects")
    func otherKey() async throws {
        let fixture = try await LimitsFixture()
        for _ in 0..<5 { try await fixture.consume(.failedSignInByAccount, "ada@example.org") }
        let next = try await fixture.restarted(key: 8)
        #expect(try next.peek(.failedSignInByAccount, "ada@example.org").remaining == 4)
    }

    @Test("R-06: expired states are removed from memory every ten minutes")
    func sweep() async throws {
        let fixture = try await LimitsFixture()
        try await fixture.consume(.failedSignInByAddress, "192.0.2.7")
        let worker = Task { try await fixture.service.run() }
        await fixture.time.sleepers(3)
        for (minutes, count) in [(10, 1), (10, 0)] {
            fixture.time.advance(by: .seconds(minutes * 60))
            await fixture.time.sleepers(3)
            #expect(fixture.service.limits.table.count == count)
        }
        worker.cancel()
        await #expect(throws: CancellationError.self) { try await worker.value }
    }
}
