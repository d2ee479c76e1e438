import Contracts
import Cryptography
import ServiceRuntime
import Testing

@testable import PosternClient

@Suite("S-07: the verdict on a token depends on expiry, revocation and staleness")
struct VerdictRuleTests {
    private static let expiry = Timestamp(milliseconds: 1_000_000)
    private let session: SessionClaims

    init() throws {
        let claims = TokenClaims(
            issuer: "postern", subject: try #require(AccountID(key: 1)).text, audience: ["a"],
            expiresAt: Self.expiry, issuedAt: Timestamp(milliseconds: 400_000),
            sessionID: try #require(SessionID(key: 2)).text,
            authenticatedAt: Timestamp(milliseconds: 400_000))
        session = try #require(SessionClaims(claims))
    }

    private func verdict(
        hasEnded: Bool = false, silentFor: Duration? = .seconds(1),
        silence: VerifierSettings.Silence = .trustsTokens, at moment: Timestamp? = nil
    ) -> Verdict {
        VerdictRule.verdict(
            session, hasEnded: hasEnded, silentFor: silentFor, silence: silence,
            at: moment ?? Self.expiry)
    }

    @Test("a token is accepted until 60 s after its expiry, to the millisecond")
    func expiry() {
        let last = Self.expiry + .milliseconds(59_999)
        #expect(verdict(at: last) == .good(VerifiedSession(session)))
        #expect(verdict(at: last + .milliseconds(1)) == .refused(.token(.expired)))
        #expect(
            verdict(hasEnded: true, at: last + .milliseconds(1)) == .refused(.token(.expired)))
    }

    @Test("the token of an ended session is rejected, however fresh the feed is")
    func ended() {
        #expect(verdict(hasEnded: true) == .refused(.sessionEnded))
        #expect(verdict(hasEnded: true, silentFor: nil) == .refused(.sessionEnded))
    }

    @Test("a stale feed is accepted or rejected as configured, with an exact boundary")
    func silence() {
        #expect(verdict(silentFor: nil) == .good(VerifiedSession(session)))
        #expect(verdict(silentFor: .seconds(86_400)) == .good(VerifiedSession(session)))
        let strict = VerifierSettings.Silence.refuses(after: .seconds(5))
        #expect(verdict(silentFor: .seconds(5), silence: strict) == .good(VerifiedSession(session)))
        #expect(verdict(silentFor: .milliseconds(5_001), silence: strict) == .refused(.stale))
        #expect(verdict(silentFor: nil, silence: strict) == .refused(.stale))
    }

    @Test("F-04: a session's assurance is that of its token; other words are none")
    func assurance() throws {
        for (acr, assurance) in [("aal1", "aal1"), ("aal2", "aal2"), ("aal3", nil), (nil, nil)]
            as [(String?, String?)]
        {
            let claims = TokenClaims(
                issuer: "postern", subject: self.session.account.text, audience: ["a"],
                expiresAt: Self.expiry, issuedAt: Timestamp(milliseconds: 400_000),
                sessionID: self.session.session.text, assurance: acr,
                authenticatedAt: Timestamp(milliseconds: 400_000))
            let session = VerifiedSession(try #require(SessionClaims(claims)))
            #expect(session.assurance == assurance)
        }
    }

    @Test("I-10: a verified session has the token's roles and claims, by type")
    func claims() throws {
        let given = try AccountClaims.checked(
            roles: ["admin", "staff"],
            json: #"{"team":"blue","level":3,"share":0.5,"on":true,"no":null,"in":{"a":[1]}}"#)
        let claims = TokenClaims(
            issuer: "postern", subject: self.session.account.text, audience: ["a"],
            expiresAt: Self.expiry, issuedAt: Timestamp(milliseconds: 400_000),
            sessionID: self.session.session.text,
            authenticatedAt: Timestamp(milliseconds: 400_000), roles: given.roles,
            custom: given.object)
        let session = VerifiedSession(try #require(SessionClaims(claims)))
        #expect(session.roles == ["admin", "staff"])
        #expect(
            session.customClaims == [
                "team": .string("blue"), "level": .integer(3), "share": .real(0.5),
                "on": .boolean(true), "no": .null, "in": .object(["a": .array([.integer(1)])]),
            ])
        let bare = VerifiedSession(self.session)
        #expect(bare.roles == [] && bare.customClaims == [:])
    }

    @Test("a token is limited to the service's maximum lifetime, whatever its expiry claim says")
    func lifeMax() throws {
        let claims = TokenClaims(
            issuer: "postern", subject: session.account.text, audience: ["a"],
            expiresAt: Self.expiry, issuedAt: Timestamp(milliseconds: 400_000),
            sessionID: session.session.text, authenticatedAt: session.authenticatedAt)
        let read = try #require(SessionClaims(claims))
        let short = read.limited(to: .seconds(100))
        #expect(short.expiresAt == Timestamp(milliseconds: 500_000))
        #expect(read.limited(to: .seconds(601)).expiresAt == Self.expiry)
        #expect(read.limited(to: nil).expiresAt == Self.expiry)
    }
}
