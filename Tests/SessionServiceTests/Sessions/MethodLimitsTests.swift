import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

@Suite("S-02: limits depend on the sign-in method")
struct MethodLimitsTests {
    private static let day = Duration.seconds(86_400)

    @Test("S-02: of several methods the strictest limit holds; methods not named have the defaults")
    func table() {
        var life = SessionLife(idleMax: .seconds(100), ageMax: .seconds(300))
        life.byMethod = [
            "otp": SessionLimits(idleMax: .seconds(50), ageMax: .seconds(900)),
            "anonymous": SessionLimits(idleMax: .seconds(1_000), ageMax: .seconds(5_000)),
        ]
        func limits(_ methods: [String]) -> [Duration] {
            let limits = life.limits(for: methods)
            return [limits.idleMax, limits.ageMax]
        }
        #expect(limits([]) == [.seconds(100), .seconds(300)])
        #expect(limits(["pwd"]) == [.seconds(100), .seconds(300)])
        #expect(limits(["otp"]) == [.seconds(50), .seconds(900)])
        #expect(limits(["anonymous"]) == [.seconds(1_000), .seconds(5_000)])
        #expect(limits(["pwd", "otp"]) == [.seconds(50), .seconds(300)])
        #expect(limits(["otp", "pwd"]) == [.seconds(50), .seconds(300)])
        #expect(limits(["anonymous", "otp"]) == [.seconds(50), .seconds(900)])
    }

    @Test("S-02: the limits are exact in the service and sent with the tokens")
    func edge() async throws {
        let fixture = try await SessionFixture(
            flags: ["--session-limits", "anonymous=100d/365d,otp=1d/2d"])
        let guest = try await fixture.open(on: "guest's", methods: ["anonymous"])
        let phone = try await fixture.open(on: "phone", methods: ["pwd", "otp"])
        let opened = fixture.time.now()
        #expect(phone.idleExpiresAtMs == (opened + Self.day).milliseconds)
        #expect(phone.expiresAtMs == (opened + Self.day * 2).milliseconds)
        fixture.time.advance(by: Self.day - .milliseconds(1))
        #expect(try await fixture.isLive(phone))
        fixture.time.advance(by: .milliseconds(1))
        #expect(try await fixture.inspect(phone.accessToken).endReason == .inactive)
        fixture.time.advance(by: Self.day * 99 - .milliseconds(1))
        #expect(try await fixture.isLive(guest))
        fixture.time.advance(by: .milliseconds(1))
        #expect(try await !fixture.isLive(guest))
    }

    @Test(
        "S-02, G-07: guests last half a year unused and five years in all, unless configured",
        arguments: [
            ([], 180, 1_830), (["--session-limits", "otp=1d/2d"], 180, 1_830),
            (["--session-limits", "anon=2d/3d"], 2, 3),
            (["--session-age-max", "1h", "--session-idle-max", "1h"], 180, 1_830),
            (["--refresh-key-life", "1d"], 180, 200),
        ] as [([String], Int, Int)])
    func guests(flags: [String], idle: Int, age: Int) throws {
        let limits = try SessionFixture.settings(flags).limitsByMethod["anon"]
        #expect(limits?.idleMax == Self.day * idle && limits?.ageMax == Self.day * age)
    }

    @Test(
        "an invalid entry is rejected",
        arguments: [
            "otp", "otp=", "otp=1d", "otp=1d/", "=1d/2d", "otp=2d/1d", "otp=1s/2d", "otp=1d/99999d",
            "o p=1d/2d", "otp=1d/2d/3d", "otp=1d/2d,otp=1d/3d", "otp=-1d/2d",
        ])
    func wrong(text: String) {
        #expect(throws: SettingsRefused.self) {
            try SessionFixture.settings(["--session-limits", text])
        }
    }

    @Test("an idle limit shorter than an access token's life is rejected")
    func life() throws {
        #expect(throws: SettingsRefused.self) {
            try SessionFixture.settings(["--session-limits", "otp=5m/1d"])
        }
        _ = try SessionFixture.settings(["--session-limits", "otp=10m/1d"])
    }
}
