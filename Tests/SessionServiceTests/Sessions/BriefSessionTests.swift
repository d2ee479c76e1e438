import Contracts
import Cryptography
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

@Suite("S-03: a page has a brief session, beside those of the person's devices")
struct BriefSessionTests {
    /// Opens a session of a page.
    private func openPage(
        _ fixture: SessionFixture, key: String? = nil, id: String = "page-1"
    ) async throws -> GatewayV1.Session {
        let device = GatewayV1.Device(deviceId: id, platform: "web", brief: true)
        let response = try await fixture.service.sessions.createSession(
            SessionV1.CreateSessionRequest(
                proof: fixture.proof(try fixture.account()), device: device),
            fixture.context(key))
        return try #require(response.session)
    }

    @Test("it has no refresh token, and its access token lasts as long as it does: 15 minutes")
    func tokens() async throws {
        // Whatever the life of other access tokens is.
        for life in ["30s", "10m", "1h"] {
            let fixture = try await SessionFixture(flags: ["--access-token-life", life])
            let page = try await openPage(fixture)
            let end = fixture.time.now() + .seconds(900)
            #expect(page.refreshToken.isEmpty)
            #expect(page.expiresAtMs == end.milliseconds)
            #expect(page.idleExpiresAtMs == end.milliseconds)
            #expect(page.accessExpiresAtMs == end.seconds * 1_000)
            fixture.time.advance(by: .seconds(898))
            #expect(fixture.validate(page.accessToken).valid, "\(life)")
            fixture.time.advance(by: .seconds(2))
            #expect(!fixture.validate(page.accessToken).valid, "\(life)")
            let state = try await fixture.inspect(page.accessToken)
            #expect(!state.live && state.endReason == .maximumAge)
        }
    }

    @Test("use does not make it longer, nor does a proof of its owner")
    func used() async throws {
        let fixture = try await SessionFixture()
        let page = try await openPage(fixture)
        fixture.time.advance(by: .seconds(600))
        let account = try fixture.account()
        let again = try await fixture.reauthenticate(page.accessToken, fixture.proof(account))
        #expect(again.accessExpiresAtMs == page.accessExpiresAtMs)
        fixture.time.advance(by: .seconds(299))
        #expect(fixture.validate(again.accessToken).valid)
        fixture.time.advance(by: .seconds(1))
        #expect(!fixture.validate(again.accessToken).valid)
        #expect(try await !fixture.isLive(page))
    }

    @Test("a stricter limit of the operator counts")
    func stricter() async throws {
        let fixture = try await SessionFixture(
            flags: ["--session-idle-max", "5m", "--access-token-life", "5m"])
        let page = try await openPage(fixture)
        #expect(page.accessExpiresAtMs == (fixture.time.now() + .seconds(300)).seconds * 1_000)
        fixture.time.advance(by: .seconds(300))
        #expect(try await !fixture.isLive(page))
    }

    @Test("pages displace no device, and of six pages the first one ends, without a notice")
    func displacement() async throws {
        let fixture = try await SessionFixture()
        var devices: [GatewayV1.Session] = []
        for number in 1...5 {
            fixture.time.advance(by: .seconds(10))
            devices.append(try await fixture.open(on: "phone \(number)"))
        }
        var pages: [GatewayV1.Session] = []
        for number in 1...6 {
            fixture.time.advance(by: .seconds(10))
            pages.append(try await openPage(fixture, id: "page-\(number)"))
        }
        for device in devices { #expect(try await fixture.isLive(device)) }
        #expect(!fixture.validate(pages[0].accessToken).valid, "at once")
        #expect(try await fixture.inspect(pages[0].accessToken).endReason == .displaced)
        for page in pages.dropFirst() { #expect(try await fixture.isLive(page)) }
        #expect(try await fixture.waiting() == 0, "no device was signed out")
        // The other way round: devices displace no page.
        _ = try await fixture.open(on: "tablet")
        #expect(try await !fixture.isLive(devices[0]))
        for page in pages.dropFirst() { #expect(try await fixture.isLive(page)) }
        #expect(try await fixture.waiting() == 1)
    }

    @Test("its owner sees it in the list, and ends it by its access token")
    func signOut() async throws {
        let fixture = try await SessionFixture()
        let device = try await fixture.open(on: "phone")
        let page = try await openPage(fixture)
        let listed = try await fixture.list(device.accessToken).map(\.sessionId)
        #expect(Set(listed) == [device.sessionId, page.sessionId])
        #expect(try await fixture.signOut(.accessToken(page.accessToken)) == 1)
        #expect(!fixture.validate(page.accessToken).valid)
        #expect(try await fixture.isLive(device))
    }

    @Test("a repeat has the same session, and no refresh token either")
    func repeated() async throws {
        let fixture = try await SessionFixture()
        let first = try await openPage(fixture, key: "k1")
        fixture.time.advance(by: .seconds(60))
        let again = try await openPage(fixture, key: "k1")
        #expect(again.sessionId == first.sessionId)
        #expect(again.refreshToken.isEmpty)
        #expect(again.accessExpiresAtMs == first.accessExpiresAtMs)
    }

    @Test("S-04: it needs no device key and no device id: there is no refresh token to bind")
    func binding() async throws {
        for binding in ["key", "fingerprint"] {
            let fixture = try await SessionFixture(flags: ["--device-binding", binding])
            let page = try await openPage(fixture, id: "")
            #expect(fixture.validate(page.accessToken).valid)
        }
        let fixture = try await SessionFixture(flags: ["--device-binding", "key"])
        await expectRefused(.deviceKeyRequired) { try await fixture.open() }
    }

    @Test("S-07: its end is known as long as its access token could be valid")
    func revocation() async throws {
        let fixture = try await SessionFixture(flags: ["--access-token-life", "30s"])
        let page = try await openPage(fixture)
        _ = try await fixture.signOut(.accessToken(page.accessToken))
        fixture.time.advance(by: .seconds(890))
        // A start reads the ends that still matter.
        try await fixture.restart()
        #expect(!fixture.validate(page.accessToken).valid)
        let longest = AccessTokens.briefLongest + TokenVerifier.leeway
        #expect(fixture.service.sessions.accessTokens.retention == longest)
    }

    @Test("S-01: the token of another session has the operator's limit, and no longer life")
    func others() async throws {
        let fixture = try await SessionFixture()
        let device = try await fixture.open(on: "phone")
        let tokens = fixture.service.sessions.accessTokens
        let shorter = AccessTokens(
            life: AccessTokens.Life(mean: .seconds(30)), keys: tokens.keys, issuer: tokens.issuer,
            audience: tokens.audience, extra: nil, overridden: tokens.overridden)
        let read = try #require(shorter.known(device.accessToken)).token
        #expect(read.expiresAt == read.issuedAt + .milliseconds(32_500))
        let page = try #require(
            shorter.known(try await openPage(fixture).accessToken)
        ).token
        #expect(page.counter == 0 && page.expiresAt == page.issuedAt + SessionLife.briefAge)
    }
}
