import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: a site that many people share has more sign-ups in an hour", .timeLimit(.minutes(2)))
struct SharedSitesTests {
    private static let school = "198.51.100.7"
    private static let day = Duration.seconds(86_400)
    let fixture: LimitsFixture

    init() async throws { fixture = try await LimitsFixture() }

    /// Sign-ins of the accounts with these numbers.
    private func signIn(
        _ accounts: Range<Int>, at address: String = school, _ fixture: LimitsFixture? = nil
    ) throws {
        for number in accounts {
            try (fixture ?? self.fixture).signInEstablished("acc_\(number)", at: address)
        }
    }

    private func isShared(
        _ address: String = school, _ fixture: LimitsFixture? = nil
    ) -> Bool {
        let fixture = fixture ?? self.fixture
        return fixture.service.limits.sites.isShared(address, at: fixture.time.now())
    }

    /// How many sign-ups pass now, and the limit that refuses the next.
    private func signUps() async throws -> String {
        for passed in 0..<100 {
            let decision = try await fixture.consume(.signUpByAddress, Self.school).decision
            if decision.limited { return "\(passed), then \(decision.limit)" }
        }
        return "100"
    }

    @Test("R-03: nineteen accounts leave three sign-ups in an hour; twenty give sixty")
    func twenty() async throws {
        try signIn(0..<19)
        #expect(try await signUps() == "3, then sign-up-by-address")
        try signIn(19..<20)
        #expect(try await signUps() == "60, then sign-up-by-shared-site")
        fixture.time.advance(by: .seconds(3_600))
        #expect(try await signUps() == "60, then sign-up-by-shared-site")
        let other = try await fixture.consume(.signUpByAddress, "198.51.100.8").decision
        #expect(other.limit == "sign-up-by-address" && other.remaining == 2)
    }

    @Test("R-03: an account counts once at a site, however often and from where it signs in")
    func once() throws {
        for _ in 0..<100 { try signIn(0..<19) }
        #expect(!isShared())
        for number in 0..<20 {
            try signIn(number..<(number + 1), at: "2001:db8:1:\(String(number, radix: 16))::1")
        }
        #expect(isShared("2001:db8:1:ffff::9") && !isShared("2001:db8:2::1"))
    }

    @Test("R-03: a sign-up is refunded and reset where it was charged")
    func refunded() async throws {
        try signIn(0..<20)
        let charge = try await fixture.consume(.signUpByAddress, Self.school)
        #expect(try fixture.peek(.signUpByAddress, Self.school).remaining == 58)
        try await fixture.refund(charge.chargeID)
        #expect(try fixture.peek(.signUpByAddress, Self.school).remaining == 59)
        _ = try await signUps()
        _ = try await fixture.service.limits.forget(
            RequestedCharge.read(
                LimitsFixture.message([("sign-up-by-address", Self.school)])),
            at: fixture.time.now(), by: "tool")
        #expect(try fixture.peek(.signUpByAddress, Self.school).remaining == 59)
    }

    @Test(
        "R-03: a mark is set, renewed after a day, or left as it is",
        arguments: [
            (nil, .set), (0, .nothing), (86_399, .nothing), (86_400, .renew), (2_591_999, .renew),
        ] as [(Int64?, Expected)])
    func step(age: Int64?, expected: Expected) {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let setAt = age.map { now - .seconds($0) }
        let step = SharedSites.step(markSetAt: setAt, window: .seconds(30 * 86_400), at: now)
        let wanted: SharedSites.Step =
            switch expected {
            case .nothing: .nothing
            case .set: .set
            case .renew: .renew(setAt ?? now)
            }
        #expect(step == wanted)
    }

    enum Expected: Sendable { case nothing, renew, set }

    @Test("R-03: a site whose people stay away for 30 days is no shared one any more")
    func ended() throws {
        try signIn(0..<20)
        fixture.time.advance(by: Self.day * 20)
        try signIn(0..<19)
        fixture.time.advance(by: Self.day * 10 - .milliseconds(1))
        #expect(isShared())
        fixture.time.advance(by: .milliseconds(1))
        #expect(!isShared(), "the twentieth has not signed in since")
        try signIn(30..<31)
        #expect(isShared())
    }

    @Test("R-03: a site whose accounts sign in each day is a shared one without a gap")
    func daily() throws {
        let randomness = SeededRandomness(seed: 3)
        try signIn(0..<20)
        for _ in 0..<90 {
            for _ in 0..<20 {
                fixture.time.advance(by: .seconds(4_320))
                let number = Int(randomness.next() % 20)
                try signIn(number..<(number + 1))
            }
            #expect(isShared())
            try signIn(0..<20)
        }
    }

    @Test(
        "R-03: no order of sign-ins makes a site a shared one without twenty within 30 days",
        arguments: [1, 2, 3, 4] as [UInt64])
    func model(seed: UInt64) throws {
        let randomness = SeededRandomness(seed: seed)
        let kept = Self.day * 30
        var last: [String: [Int: Timestamp]] = [:]
        var (shared, single) = (0, 0)
        for _ in 0..<3_000 {
            let isLong = randomness.next() % 100 == 0
            fixture.time.advance(
                by: .seconds(Int64(randomness.next() % (isLong ? 3_000_000 : 14_400))))
            let (site, number) = ("192.0.2.\(randomness.next() % 3)", Int(randomness.next() % 40))
            try signIn(number..<(number + 1), at: site)
            let now = fixture.time.now()
            last[site, default: [:]][number] = now
            let within = (last[site] ?? [:]).values.count { now - $0 < kept }
            if isShared(site) {
                shared += 1
                #expect(within >= 20, "seed \(seed)")
            } else {
                single += 1
            }
        }
        #expect(shared > 100 && single > 100, "both occur: \(shared), \(single)")
    }

    @Test("R-03: an account is counted at five new sites a day, so few accounts open few sites")
    func moving() throws {
        for site in 0..<50 { try signIn(0..<20, at: "192.0.2.\(site)") }
        #expect((0..<50).count { isShared("192.0.2.\($0)") } == 5)
        fixture.time.advance(by: Self.day)
        for site in 0..<50 { try signIn(0..<20, at: "192.0.2.\(site)") }
        #expect((0..<50).count { isShared("192.0.2.\($0)") } == 10)
    }

    @Test("R-03: further accounts add nothing to a site that has twenty")
    func bounded() async throws {
        try signIn(0..<20)
        let before = fixture.service.limits.sites.subjects.table.count
        try signIn(20..<2_000)
        #expect(fixture.service.limits.sites.subjects.table.count == before)
    }

    @Test("R-03: a flood of sites uses the capacity of no limit and no device, and evicts no site")
    func full() async throws {
        let fixture = try await LimitsFixture(flags: ["--subjects-max=1000"])
        try signIn(0..<20, fixture)
        for number in 0..<2_000 {
            try signIn(
                (100 + number)..<(101 + number), at: "10.0.\(number / 250).\(number % 250)",
                fixture)
        }
        #expect(isShared(Self.school, fixture))
        #expect(fixture.service.limits.table.count == 0)
        try fixture.remember(.failedSignInByAccount, "ada@example.org", device: "d1")
        let devices = fixture.service.limits.devices
        #expect(devices.knows("ada@example.org", "d1", at: fixture.time.now()))
        #expect(fixture.log.lines.count { $0.contains("limits.shared_sites.full") } == 1)
    }

    @Test("R-06: a restart, a kill and a rotation of the subject secret keep the sites")
    func restarted() async throws {
        try signIn(0..<20)
        try await fixture.service.limits.sites.subjects.table.persisted()
        let killed = try await fixture.restarted(afterKill: true)
        #expect(isShared(Self.school, killed))
        try await killed.service.subjectKeys.rotate(at: killed.time.now())
        #expect(isShared(Self.school, killed))
        killed.time.advance(by: Self.day * 2)
        try signIn(0..<20, killed)
        killed.time.advance(by: Self.day * 29)
        #expect(isShared(Self.school, killed), "renewed under the new secret")
    }

    @Test("R-06: both numbers are settings, and without enforcement no site is a shared one")
    func settings() async throws {
        let path = try fixture.folder.write(
            """
            accounts-by-site:
              count: 2
              window: 10d
            sign-up-by-shared-site-count: 5
            """, to: "limits.yaml")
        let few = try await LimitsFixture(flags: ["--limits-file=\(path)"])
        try signIn(0..<2, few)
        #expect(try few.peek(.signUpByAddress, Self.school).remaining == 4)
        few.time.advance(by: Self.day * 10)
        #expect(!isShared(Self.school, few))
        let off = try fixture.folder.write("accounts-by-site-shadow: true\n", to: "off.yaml")
        let none = try await LimitsFixture(flags: ["--limits-file=\(off)"])
        try signIn(0..<20, none)
        #expect(!isShared(Self.school, none))
    }

    @Test("G-20: with an account its count of sites is deleted, and its marks end by themselves")
    func forgotten() throws {
        for site in 0..<5 { try signIn(0..<1, at: "192.0.2.\(site)") }
        fixture.service.limits.sites.forget("acc_0", at: fixture.time.now())
        let before = fixture.service.limits.sites.subjects.table.count
        #expect(before == 10, "five sites with a mark each")
        fixture.time.advance(by: Self.day * 30)
        fixture.service.limits.sites.subjects.table.sweep(at: fixture.time.now())
        #expect(fixture.service.limits.sites.subjects.table.count == 0)
    }

    @Test(
        "a malformed report is refused and changes nothing",
        arguments: [
            ("", "192.0.2.1"), (String(repeating: "a", count: 129), "192.0.2.1"), ("acc_1", ""),
            ("acc_1", String(repeating: "1", count: 513)),
        ])
    func malformed(account: String, address: String) throws {
        let error = #expect(throws: ServiceError.self) {
            try fixture.signInEstablished(account, at: address)
        }
        #expect(error?.code == .invalidArgument)
        #expect(fixture.service.limits.sites.subjects.table.count == 0)
    }

    @Test("what only the limiter counts in its marks can be neither charged nor looked at")
    func marks() throws {
        for name in ["accounts-by-site", "account-at-site", "new-site-by-account"] {
            for mayBeParts in [false, true] {
                #expect(throws: ServiceError(.invalidArgument, fields: ["charges.limit"])) {
                    _ = try RequestedCharge.read(
                        LimitsFixture.message([(name, "192.0.2.1")]), mayBeParts: mayBeParts)
                }
            }
        }
    }
}
