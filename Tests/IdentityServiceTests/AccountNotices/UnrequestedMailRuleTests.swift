import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("R-03: the rule of mails that an address may not have asked for")
struct UnrequestedMailRuleTests {
    private static let now = Timestamp(milliseconds: 10_000_000)

    /// Mails that went to the address one, two, … minutes ago.
    private func latest(_ count: Int) -> [Timestamp] {
        (0..<count).map { Self.now - .seconds(60 * (Int64($0) + 1)) }
    }

    @Test("sign-ups send three of the five mails an hour, other causes all five")
    func table() {
        for count in 0...5 {
            for cause in UnrequestedMailRule.Cause.allCases {
                let decision = UnrequestedMailRule.decision(cause, latest: latest(count))
                let limit = cause == .signUp ? 3 : 5
                #expect((decision == .sent) == (count < limit), "\(cause) after \(count)")
            }
        }
    }

    @Test("a withheld mail can be sent when enough of the latest are an hour old")
    func wait() {
        let hour = Duration.seconds(3_600)
        #expect(
            UnrequestedMailRule.decision(.account, latest: latest(5))
                == .withheld(until: Self.now - .seconds(300) + hour))
        #expect(
            UnrequestedMailRule.decision(.signUp, latest: latest(5))
                == .withheld(until: Self.now - .seconds(180) + hour))
    }
}
