import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: the capacity for known devices is limited", .timeLimit(.minutes(1)))
struct KnownDevicesTests {
    /// Signs in with the right password from devices with these numbers.
    private func signIn(
        _ fixture: LimitsFixture, _ account: String, _ devices: Range<Int>
    ) async throws {
        for number in devices {
            try fixture.succeed("0", .failedSignInByAccount, account, device: "d\(number)")
        }
    }

    private func known(_ fixture: LimitsFixture, _ account: String, _ devices: Range<Int>) -> Int {
        devices.count {
            fixture.service.limits.devices.knows(account, "d\($0)", at: fixture.time.now())
        }
    }

    @Test("R-03: ten devices a day become known for an account; others can still sign in")
    func eachAccount() async throws {
        let fixture = try await LimitsFixture()
        try await signIn(fixture, "ada@example.org", 0..<100)
        #expect(known(fixture, "ada@example.org", 0..<100) == 10)
        fixture.time.advance(by: .seconds(86_400))
        try await signIn(fixture, "ada@example.org", 0..<100)
        #expect(known(fixture, "ada@example.org", 0..<100) == 20)
    }

    @Test("R-03: devices use no capacity of limits; when theirs is full, known ones remain")
    func full() async throws {
        let fixture = try await LimitsFixture(flags: ["--subjects-max=1000"])
        try await signIn(fixture, "ada@example.org", 0..<1)
        for number in 0..<2_000 { try await signIn(fixture, "user\(number)@example.org", 0..<3) }
        #expect(fixture.service.limits.table.count == 0)
        #expect(known(fixture, "ada@example.org", 0..<1) == 1)
        #expect(known(fixture, "user1999@example.org", 0..<3) == 0)
        #expect(fixture.log.lines.filter { $0.contains("limits.known_devices.full") }.count == 1)
        let other = try await fixture.consume(.failedSignInByAccount, "bob@example.org").decision
        #expect(!other.limited && other.remaining == 4)
    }
}
