import Contracts
import Cryptography
import ServiceRuntime
import Testing

@testable import SessionVerifier

@Suite("S-07: what a verifier says of a token of ours")
struct VerdictRuleTests {
    private static let expiry = Timestamp(milliseconds: 1_000_000)
    private let session: VerifiedSession

    init() throws {
        let claims = TokenClaims(
            issuer: "postern", subject: try #require(AccountID(key: 1)).text, audience: ["a"],
            expiresAt: Self.expiry, issuedAt: Timestamp(milliseconds: 400_000),
            sessionID: try #require(SessionID(key: 2)).text,
            authenticatedAt: Timestamp(milliseconds: 400_000))
        session = try #require(VerifiedSession(claims))
    }

    private func verdict(
        hasEnded: Bool = false, silentFor: Duration? = .seconds(1),
        silence: VerifierSettings.Silence = .trustsTokens, at moment: Timestamp? = nil
    ) -> Verdict {
        VerdictRule.verdict(
            session, hasEnded: hasEnded, silentFor: silentFor, silence: silence,
            at: moment ?? Self.expiry)
    }

    @Test("good until its expiry and 60 s more, to the millisecond")
    func expiry() {
        let last = Self.expiry + .milliseconds(59_999)
        #expect(verdict(at: last) == .good(session))
        #expect(verdict(at: last + .milliseconds(1)) == .refused(.token(.expired)))
        #expect(
            verdict(hasEnded: true, at: last + .milliseconds(1)) == .refused(.token(.expired)))
    }

    @Test("an ended session's token is refused however fresh the news are")
    func ended() {
        #expect(verdict(hasEnded: true) == .refused(.sessionEnded))
        #expect(verdict(hasEnded: true, silentFor: nil) == .refused(.sessionEnded))
    }

    @Test("silence is trusted or refused as the settings say, to the edge")
    func silence() {
        #expect(verdict(silentFor: nil) == .good(session))
        #expect(verdict(silentFor: .seconds(86_400)) == .good(session))
        let strict = VerifierSettings.Silence.refuses(after: .seconds(5))
        #expect(verdict(silentFor: .seconds(5), silence: strict) == .good(session))
        #expect(verdict(silentFor: .milliseconds(5_001), silence: strict) == .refused(.stale))
        #expect(verdict(silentFor: nil, silence: strict) == .refused(.stale))
    }

    @Test("no token is taken for longer than the service lets one live, whatever it says")
    func lifeMax() throws {
        let claims = TokenClaims(
            issuer: "postern", subject: session.account.text, audience: ["a"],
            expiresAt: Self.expiry, issuedAt: Timestamp(milliseconds: 400_000),
            sessionID: session.session.text, authenticatedAt: session.authenticatedAt)
        let read = try #require(VerifiedSession(claims))
        let short = read.limited(to: .seconds(100))
        #expect(short.expiresAt == Timestamp(milliseconds: 500_000))
        #expect(read.limited(to: .seconds(601)).expiresAt == Self.expiry)
        #expect(read.limited(to: nil).expiresAt == Self.expiry)
    }
}
