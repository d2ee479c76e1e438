import Cryptography
import Hosting
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("S-01: signing keys rotate and can be revoked")
struct SigningKeyRotationTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture(flags: ["--signing-key-life", "1h"])
    }

    private var tool: CallContext {
        CallContext(application: "tool", deadline: fixture.time.uptime() + .seconds(10))
    }

    private func keys() async throws -> [SessionV1.SigningKey] {
        try await fixture.service.signingKeys.listKeys(SessionV1.ListKeysRequest(), tool).keys
    }

    private func published() throws -> [String] {
        let set = try fixture.service.sessions.getKeySet(
            GatewayV1.GetKeySetRequest(), fixture.context())
        return try JSONWebKeySet(json: set.jwks.utf8).identifiers
    }

    private func kid(_ tokens: GatewayV1.Session) throws -> String {
        let header = try #require(tokens.accessToken.split(separator: ".").first)
        let bytes = try #require(Base64URL.decode(header.utf8))
        let text = String(decoding: bytes, as: UTF8.self)
        return try #require(try published().first { text.contains($0) })
    }

    /// Advances the time while the schedule runs, as in the service.
    private func pass(_ duration: Duration) async throws {
        let duty = fixture.service.background.signingKeys.duty
        let duties = Duties(of: fixture.store, purging: [], [duty], time: fixture.time)
        let worker = Task { await duties.run() }
        // The purge sleeps too.
        await fixture.time.sleepers(2)
        var rest = duration
        while rest > .zero {
            fixture.time.advance(by: min(rest, .seconds(60)))
            rest -= .seconds(60)
            await fixture.time.sleepers(2)
        }
        worker.cancel()
        _ = await worker.result
    }

    @Test("S-01: over three key lives no valid token is rejected and no session is lost")
    func schedule() async throws {
        var tokens = try await fixture.open()
        var signers: Set<String> = []
        var history: [[String]] = []
        var young: [GatewayV1.Session] = []
        for _ in 0..<40 {
            try await pass(.seconds(300))
            let now = fixture.time.now().milliseconds
            for old in young where old.accessExpiresAtMs > now {
                #expect(fixture.validate(old.accessToken).valid)
            }
            tokens = try await fixture.refresh(tokens.refreshToken)
            let signer = try kid(tokens)
            // Each signing key was published ten minutes before, except the first.
            history.append(try published())
            #expect(history.dropLast(2).last?.contains(signer) ?? true)
            signers.insert(signer)
            young.append(tokens)
            #expect(try published().count <= 3)
        }
        #expect(signers.count == 4)
        let states = try await keys().map(\.state)
        #expect(states.filter { $0 == .active }.count == 1)
        #expect(states.contains(.retired))
        let leftNumbers = try await fixture.store.read { session in
            try session.queryOne(
                "SELECT count(*) FROM signing_key WHERE state = 3 AND private_number IS NOT NULL"
            ) { try $0.integer(0) }
        }
        #expect(leftNumbers == 0, "a retired key's private number is gone")
        #expect(try await fixture.audited(.signingKeyActivated) == 3)
        #expect(try await fixture.audited(.signingKeyRetired) >= 2)
    }

    @Test("S-01: a rotation changes the signing key at once; tokens of the old one stay valid")
    func rotate() async throws {
        let old = try await fixture.open()
        let answer = try await fixture.service.signingKeys.rotateKeys(.init(), tool)
        #expect(answer.keys.count == 2 && Set(answer.keys.map(\.state)) == [.active, .passive])
        let new = try await fixture.refresh(old.refreshToken)
        #expect(try kid(new) != kid(old))
        #expect(fixture.validate(old.accessToken).valid)
        #expect(fixture.validate(new.accessToken).valid)
        try await fixture.restart()
        #expect(fixture.validate(old.accessToken).valid)
        #expect(fixture.validate(new.accessToken).valid)
    }

    @Test("B20: with 64 keys published, a rotation is rejected until one is retired")
    func bound() async throws {
        let service = fixture.service.signingKeys
        for _ in 1..<SigningKeySchedule.keysMax {
            // Keys are listed by the time of their making, the newest first. The list is limited.
            fixture.time.advance(by: .milliseconds(1))
            _ = try await service.rotateKeys(.init(), tool)
        }
        #expect(try published().count == SigningKeySchedule.keysMax)
        let error = await #expect(throws: ServiceError.self) {
            try await service.rotateKeys(.init(), tool)
        }
        #expect(error?.code == .tooManyRequests)
        let wait = try #require(error?.retryAfter)
        #expect(wait > .zero && wait < .seconds(3_600))
        // An emergency revocation is still possible.
        let signer = try #require(try await keys().first { $0.state == .active })
        _ = try await service.revokeKey(.init(keyId: signer.keyId), tool)
        try await pass(wait)
        _ = try await service.rotateKeys(.init(), tool)
    }

    @Test("S-01: revoking a key rejects all its tokens at once, for good, and ends no session")
    func revoke() async throws {
        let old = try await fixture.open()
        let name = try kid(old)
        #expect(fixture.validate(old.accessToken).valid)
        let request = SessionV1.RevokeKeyRequest(keyId: name)
        for _ in 0..<2 {
            _ = try await fixture.service.signingKeys.revokeKey(request, tool)
            #expect(!fixture.validate(old.accessToken).valid)
            #expect(try !published().contains(name))
        }
        try await fixture.restart()
        #expect(!fixture.validate(old.accessToken).valid)
        let new = try await fixture.refresh(old.refreshToken)
        #expect(fixture.validate(new.accessToken).valid, "the session lives")
        let revoked = try await keys().filter(\.revoked).map(\.keyId)
        #expect(revoked == [name])
        let events = try await EventFeed(store: fixture.store, time: fixture.time)
            .readEvents(.init(), tool).events
        #expect(events.filter { $0.kind == "key.signing-key-revoked" }.map(\.keyId) == [name])
    }

    @Test("G-01, G-09: a retired key's token still shows its session's state, and signs out")
    func retired() async throws {
        let old = try await fixture.open()
        let other = try await fixture.open()
        let name = try kid(old)
        _ = try await fixture.service.signingKeys.rotateKeys(.init(), tool)
        try await pass(.seconds(7_200))
        #expect(try !published().contains(name))
        for _ in 0..<2 {
            let state = try await fixture.inspect(old.accessToken)
            #expect(state.known && state.live && !state.accessTokenCurrent)
            #expect(!fixture.validate(old.accessToken).valid)
            try await fixture.restart()
        }
        #expect(try await fixture.signOut(.accessToken(old.accessToken)) == 1)
        #expect(try await fixture.inspect(old.accessToken).endReason == .signedOut)
        #expect(try await fixture.inspect(other.accessToken).live)
    }

    @Test("S-01: tokens of a revoked key reveal nothing, whether it was retired before or not")
    func revokedAfterwards() async throws {
        let old = try await fixture.open()
        let name = try kid(old)
        _ = try await fixture.service.signingKeys.rotateKeys(.init(), tool)
        try await pass(.seconds(7_200))
        #expect(try await fixture.inspect(old.accessToken).known)
        _ = try await fixture.service.signingKeys.revokeKey(.init(keyId: name), tool)
        for _ in 0..<2 {
            #expect(
                try await fixture.inspect(old.accessToken) == SessionV1.InspectSessionResponse())
            await expectRefused(.invalidAccessToken) {
                try await fixture.signOut(.accessToken(old.accessToken))
            }
            try await fixture.restart()
        }
        #expect(try await keys().filter(\.revoked).map(\.keyId) == [name])
    }

    @Test("only the operator's tool may manage keys; an unknown key is not found")
    func refusals() async throws {
        let service = fixture.service.signingKeys
        for application in ["gateway", "identity", "app", ""] {
            let context = CallContext(
                application: application, deadline: fixture.time.uptime() + .seconds(10))
            await expectRefused(.permissionDenied) { try await service.listKeys(.init(), context) }
            await expectRefused(.permissionDenied) {
                try await service.rotateKeys(.init(), context)
            }
            await expectRefused(.permissionDenied) {
                try await service.revokeKey(.init(keyId: "x"), context)
            }
        }
        await expectRefused(.notFound) { try await service.revokeKey(.init(keyId: "x"), tool) }
        #expect(try await keys().count == 1)
    }

    @Test("each change raises the version in the store, and a restart reads it")
    func versions() async throws {
        func stored() async throws -> Int64 {
            try await fixture.store.read { try $0.signingKeysVersion() }
        }
        func current() -> Int64 { fixture.service.background.signingKeys.keys.current.ring.version }
        let first = try await stored()
        #expect(first > 0 && current() == first)
        _ = try await fixture.service.signingKeys.rotateKeys(.init(), tool)
        let second = try await stored()
        #expect(second > first && current() == second)
        try await fixture.restart()
        #expect(try await stored() == second && current() == second)
        let signer = try #require(try await keys().first { $0.state == .active })
        _ = try await fixture.service.signingKeys.revokeKey(.init(keyId: signer.keyId), tool)
        #expect(try await stored() > second)
        #expect(try await stored() == current())
    }

    @Test("keys that were read before a revocation do not bring the revoked key back")
    func lateRead() async throws {
        let name = try kid(try await fixture.open())
        let rotation = fixture.service.background.signingKeys
        let before = try await fixture.store.read {
            try SigningKeyRing(in: $0, box: rotation.generator.box)
        }
        _ = try await fixture.service.signingKeys.revokeKey(.init(keyId: name), tool)
        rotation.keys.replace(with: before)
        #expect(try !published().contains(name))
    }

    @Test("after concurrent changes the published keys are those in the store")
    func races() async throws {
        let name = try kid(try await fixture.open())
        let service = fixture.service.signingKeys
        let tool = tool
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    if number == 20 {
                        _ = try await service.revokeKey(.init(keyId: name), tool)
                    } else {
                        _ = try await service.rotateKeys(.init(), tool)
                    }
                }
            }
            try await group.waitForAll()
        }
        let stored = try await keys().filter { $0.state == .active || $0.state == .passive }
        #expect(try published() == stored.map(\.keyId).sorted())
        #expect(try !published().contains(name))
    }
}
