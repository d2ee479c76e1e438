import Contracts
import HTTPSink
import JSON
import ProviderIssuer
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

@Suite("Google's grants", .timeLimit(.minutes(1)))
struct GoogleGrantTests {
    /// Google's endpoints, with one code for `subject`.
    private static func fixture(
        redirects: GrantRedirects = .none, asked: String? = nil,
        subject: String = GrantFixture.subject, isOffline: Bool = true
    ) async throws -> (fixture: GrantFixture, codes: IssuerCodes) {
        let codes = IssuerCodes()
        codes.give(
            "code-canary", of: subject, to: GrantFixture.client, redirect: asked,
            isOffline: isOffline)
        let fixture = try await GrantFixture(provider: .google, redirects: redirects) {
            codes.answer($0)
        }
        return (fixture, codes)
    }

    @Test("G-04: a code is exchanged for a grant, which is stored sealed under the account's key")
    func exchanged() async throws {
        let (fixture, codes) = try await Self.fixture()
        try await fixture.signIn()
        try await fixture.settle()
        #expect(codes.exchanged == ["code-canary"])
        let grant = try #require(try await fixture.grant())
        #expect(grant.provider == .google && grant.client == GrantFixture.client)
        #expect(grant.refreshToken == IssuerCodes.refreshToken(of: "code-canary"))
        #expect(try await fixture.count(.grantKept) == 1)
        let fields = try #require(fixture.sink.requests.first).text.split(separator: "&")
        #expect(fields.contains("grant_type=authorization_code"))
        // Google refuses a code without the field.
        #expect(fields.contains("redirect_uri="))
        #expect(!fixture.identity.log.lines.contains { $0.contains("canary") })
        await fixture.close()
    }

    @Test("G-04: a code of the web or of a popup is exchanged with what its dialog had")
    func redirects() async throws {
        for place in ["https://app.example/google?a=1", GrantRedirects.googlePopup] {
            let entry = "\(GrantFixture.client)=\(place)"
            let redirects = try #require(
                GrantRedirects([entry], word: GrantRedirects.googlePopup))
            let (fixture, codes) = try await Self.fixture(redirects: redirects, asked: place)
            try await fixture.signIn()
            try await fixture.settle()
            #expect(codes.exchanged == ["code-canary"])
            await fixture.close()
        }
    }

    @Test("G-04: a wrong redirect URI is retried until the code expires: the setting may be mended")
    func wrongRedirect() async throws {
        let (fixture, codes) = try await Self.fixture(asked: "https://app.example/")
        let start = fixture.identity.time.now()
        try await fixture.signIn()
        try await fixture.settle()
        #expect(codes.exchanged.isEmpty && fixture.sink.requests.count > 1)
        #expect(fixture.identity.time.now() - start >= Grants.codeLife)
        #expect(try await fixture.count(.grantRefused) == 1)
        await fixture.close()
    }

    @Test("G-04: a grant of another person is discarded, neither stored nor revoked")
    func otherSubject() async throws {
        let (fixture, codes) = try await Self.fixture(subject: "someone-else")
        try await fixture.signIn()
        try await fixture.settle()
        #expect(try await fixture.grant() == nil)
        #expect(try await fixture.count(.grantRefused) == 1)
        #expect(codes.revoked.isEmpty)
        await fixture.close()
    }

    @Test("G-04: a later code without a refresh token leaves the grant, and is no failure")
    func later() async throws {
        let (fixture, codes) = try await Self.fixture()
        try await fixture.signIn()
        try await fixture.settle()
        codes.give(
            "second", of: GrantFixture.subject, to: GrantFixture.client, isOffline: false)
        try await fixture.signIn("second")
        try await fixture.settle()
        #expect(codes.exchanged == ["code-canary", "second"])
        let grant = try await fixture.grant()
        #expect(grant?.refreshToken == IssuerCodes.refreshToken(of: "code-canary"))
        #expect(try await fixture.count(.grantRefused) == 0)
        await fixture.close()
    }

    @Test("G-04: only a refresh token is kept; without one the log says what is missing")
    func accessTokenOnly() async throws {
        let (fixture, _) = try await Self.fixture(isOffline: false)
        try await fixture.signIn()
        try await fixture.settle()
        #expect(try await fixture.grant() == nil)
        #expect(try await fixture.count(.grantRefused) == 1)
        #expect(fixture.identity.log.lines.contains { $0.contains("no-refresh-token") })
        await fixture.close()
    }

    @Test("G-04: a code of a client without a secret is ignored")
    func noSecret() async throws {
        let (fixture, _) = try await Self.fixture()
        try await fixture.signIn(client: "another.client")
        #expect(
            try await fixture.identity.count("outbox", where: "topic = 'grant-exchange'") == 0)
        await fixture.close()
    }

    @Test("G-04: an unlink revokes the grant, and one that Google does not know is given up")
    func revoked() async throws {
        for isKnown in [true, false] {
            let (fixture, codes) = try await Self.fixture()
            let account = try await fixture.signIn()
            try await fixture.settle()
            if !isKnown { codes.forgetGrants() }
            try await fixture.unlink(account)
            try await fixture.settle()
            let token = IssuerCodes.refreshToken(of: "code-canary")
            #expect(codes.revoked == (isKnown ? [token] : []))
            #expect(try await fixture.count(.grantRevoked) == (isKnown ? 1 : 0))
            #expect(try await fixture.count(.grantRevocationGivenUp) == (isKnown ? 0 : 1))
            await fixture.close()
        }
    }

    @Test("G-04: an identity that is linked again before the revocation gets its grant back")
    func linkedAgain() async throws {
        let (fixture, codes) = try await Self.fixture()
        let account = try await fixture.signIn()
        try await fixture.settle()
        try await fixture.unlink(account)
        try await fixture.signIn("")
        try await fixture.settle()
        #expect(codes.revoked.isEmpty)
        #expect(try await fixture.grant()?.provider == .google)
        #expect(try await fixture.count(.grantRevocationGivenUp) == 1)
        await fixture.close()
    }

    @Test("G-04, G-20: the deletion of an account revokes its grant, through ten failures")
    func deleted() async throws {
        let (fixture, codes) = try await Self.fixture()
        let ada = try await fixture.signIn()
        try await fixture.settle()
        #expect(try await fixture.grant() != nil)
        let identity = fixture.identity
        let token = identity.devices.open(ada.text, amr: ["fed"])
        try await identity.requestDeletion(IdentityFixture.caller(token))
        let work = DeletionWork(
            DeletionSteps(
                settings: identity.settings, awaitsBackend: false, store: identity.store,
                writer: identity.writer, deletions: identity.deletions.deletions,
                peers: identity.peers, tombstones: identity.service.life.tombstones,
                blobs: identity.service.blobs, grants: fixture.delivery, time: identity.time,
                logger: identity.log.logger(time: identity.time)),
            metrics: identity.metrics)
        codes.failRevocations(10)
        for _ in 0..<20 {
            await work.perform(ada)
            guard try await identity.deletion(of: ada) != nil else { break }
            identity.time.advance(by: DeletionWork.longestBackoff)
        }
        #expect(try await identity.deletion(of: ada) == nil)
        #expect(codes.failedRevocations == 10)
        #expect(codes.revoked == [IssuerCodes.refreshToken(of: "code-canary")])
        #expect(try await fixture.count(.grantRevoked) == 1)
        await fixture.close()
    }

    @Test("G-04: a program that knows only Apple finds no secret of Google's to send there")
    func formerProgram() throws {
        let grant = StoredGrant(
            provider: .google, client: "app", refreshToken: "refresh", order: "o")
        let object = try #require(JSONReader.object(in: Array(grant.text.utf8)))
        #expect(object["token"] == nil)
        #expect(StoredGrant(text: grant.text) == grant)
        // What that program has written is Apple's.
        let former = StoredGrant(text: #"{"client":"app","token":"refresh","order":"o"}"#)
        #expect(former?.provider == .apple)
        let time = ManualTime()
        let box = try IdentityFixture(time: time).keys.outbox
        let order = GrantOrder(
            account: try #require(AccountID(key: 7)), lookUpKey: [1], provider: .google,
            client: "app", subject: "", secret: "refresh", until: time.now())
        let message = try order.message(.grantRevocation, key: "k", under: box)
        #expect(try GrantOrder(message, under: box) == order)
    }
}
