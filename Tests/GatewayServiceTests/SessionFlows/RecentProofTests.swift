import Messages
import ServiceRuntime
import Testing

@testable import GatewayService

@Suite("G-13: how recent a proof must be")
struct RecentProofTests {
    private let now = Timestamp(milliseconds: 1_767_225_600_000)

    @Test(
        "G-13: a proof is recent to the last millisecond before the limit",
        arguments: [
            (0, true), (299_999, true), (300_000, false), (9_000_000, false), (-60_000, true),
        ])
    func edge(age: Int64, isRecent: Bool) {
        let provedAt = now - .milliseconds(age)
        #expect(RecentProof.standard.allows(provedAt: provedAt, at: now) == isRecent)
    }

    @Test("G-13: the refusal says to prove oneself again")
    func refusal() throws {
        let old = SessionV1.ValidateResponse(
            valid: true, authTimeMs: (now - .seconds(60)).milliseconds)
        try RecentProof.standard.require(old, at: now)
        let error = #expect(throws: ServiceError.self) {
            try RecentProof(within: .seconds(60)).require(old, at: now)
        }
        #expect(error?.code == .requiresRecentLogin)
        #expect(error?.code.entry.next == .reauthenticate)
    }
}
