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
        _ house: LimitsFixture, _ account: String, _ devices: Range<Int>
    ) async throws {
        for number in devices {
            try house.succeed("0", .failedSignInByAccount, account, device: "d\(number)")
        }
    }

    private func known(_ house: LimitsFixture, _ account: String, _ devices: Range<Int>) -> Int {
        devices.count {
            house.service.limits.devices.knows(account, "d\($0)", at: house.time.now())
        }
    }

    @Test("R-03: ten devices a day become known for an account; others can still sign in")
    func eachAccount() async throws {
        let house = try await LimitsFixture()
        try await signIn(house, "ada@example.org", 0..<100)
        #expect(known(house, "ada@example.org", 0..<100) == 10)
        house.time.advance(by: .seconds(86_400))
        try await signIn(house, "ada@example.org", 0..<100)
        #expect(known(house, "ada@example.org", 0..<100) == 20)
    }

    @Test("R-03: devices use no capacity of limits; when theirs is full, known ones remain")
    func full() async throws {
        let house = try await LimitsFixture(flags: ["--subjects-max=1000"])
        try await signIn(house, "ada@example.org", 0..<1)
        for number in 0..<2_000 { try await signIn(house, "user\(number)@example.org", 0..<3) }
        #expect(house.service.limits.table.count == 0)
        #expect(known(house, "ada@example.org", 0..<1) == 1)
        #expect(known(house, "user1999@example.org", 0..<3) == 0)
        #expect(house.log.lines.filter { $0.contains("limits.known_devices.full") }.count == 1)
        let other = try await house.consume(.failedSignInByAccount, "bob@example.org").decision
        #expect(!other.limited && other.remaining == 4)
    }
}
