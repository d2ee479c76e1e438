import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("S-02: identity's proof opens a session, once")
struct CreateSessionTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    @Test("a proof opens a session with valid tokens")
    func opens() async throws {
        let account = try fixture.account()
        let now = fixture.time.now()
        let tokens = try await fixture.open(account)
        let validity = fixture.validate(tokens.accessToken)
        #expect(validity.valid)
        #expect(validity.accountId == account.text)
        #expect(validity.sessionId == tokens.sessionId)
        #expect(validity.amr == ["pwd"])
        #expect(validity.authTimeMs == now.seconds * 1_000)
        #expect(validity.expiresAtMs == tokens.accessExpiresAtMs)
        #expect(tokens.idleExpiresAtMs == (now + .seconds(30 * 86_400)).milliseconds)
        #expect(tokens.expiresAtMs == (now + .seconds(90 * 86_400)).milliseconds)
        #expect(try await fixture.audited(.sessionStarted) == 1)
        _ = try await fixture.refresh(tokens.refreshToken)
    }

    @Test("a proof is accepted once")
    func once() async throws {
        let proof = fixture.proof(try fixture.account())
        _ = try await fixture.create(proof)
        await expectRefused(.invalidSignInProof) { try await fixture.create(proof) }
        try await fixture.restart()
        await expectRefused(.invalidSignInProof) { try await fixture.create(proof) }
        #expect(try await fixture.audited(.sessionStarted) == 1)
        #expect(try await fixture.audited(.signInFailed) == 2)
    }

    @Test("of 50 parallel uses of one proof only one opens a session")
    func parallel() async throws {
        let request = SessionV1.CreateSessionRequest(proof: fixture.proof(try fixture.account()))
        let (service, context) = (fixture.service, fixture.context())
        let opened = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        _ = try await service.sessions.createSession(request, context)
                        return true
                    } catch { return false }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(opened == 1)
    }

    @Test("a forged or altered proof opens no session")
    func forged() async throws {
        let account = try fixture.account()
        let other = try fixture.account(43)
        await expectRefused(.invalidSignInProof) {
            try await fixture.create(fixture.proof(account, key: fixture.master))
        }
        let genuine = fixture.proof(account)
        let alterations: [(inout IdentityV1.SignInProof) -> Void] = [
            { $0.accountId = other.text }, { $0.amr = ["pwd", "otp"] }, { $0.authTimeMs += 1 },
            { $0.provedAtMs += 1 }, { $0.nonce[0] ^= 1 }, { $0.nonce = [] },
            { $0.mac[31] ^= 1 }, { $0.mac = [] }, { $0.mac.removeLast() },
        ]
        for (place, alter) in alterations.enumerated() {
            var proof = genuine
            alter(&proof)
            await expectRefused(.invalidSignInProof) { try await fixture.create(proof) }
            #expect(try await fixture.audited(.signInFailed) == place + 2)
        }
        await expectRefused(.invalidSignInProof) {
            try await fixture.service.sessions.createSession(
                SessionV1.CreateSessionRequest(), fixture.context())
        }
        _ = try await fixture.create(genuine)
    }

    @Test("a proof under another key is logged with what to do, at most once a minute")
    func reported() async throws {
        func reports() -> [String] {
            fixture.log.lines.filter { $0.contains("session.sign_in_proof.not_genuine") }
        }
        let account = try fixture.account()
        func refuse(key: SecretBytes?) async throws {
            let old = fixture.proof(
                account, provedAt: fixture.time.now() - .seconds(31), key: key)
            await expectRefused(.invalidSignInProof) { try await fixture.create(old) }
        }
        // A proof that is too old is no mistake of an operator.
        try await refuse(key: nil)
        #expect(reports().isEmpty)
        for _ in 1...2 { try await refuse(key: fixture.master) }
        #expect(reports().count == 1)
        #expect(reports().allSatisfy { $0.contains("must share keys/sign-in-proof.key") })
        fixture.time.advance(by: .milliseconds(59_999))
        try await refuse(key: fixture.master)
        #expect(reports().count == 1)
        fixture.time.advance(by: .milliseconds(1))
        try await refuse(key: fixture.master)
        #expect(reports().count == 2)
    }

    @Test("a proof is valid for 30 s, to the millisecond")
    func age() async throws {
        let account = try fixture.account()
        let now = fixture.time.now()
        _ = try await fixture.create(fixture.proof(account, provedAt: now - .seconds(30)))
        await expectRefused(.invalidSignInProof) {
            try await fixture.create(
                fixture.proof(account, provedAt: now - .milliseconds(30_001)))
        }
    }

    @Test("identity's clock may be a minute ahead, to the millisecond")
    func future() async throws {
        let account = try fixture.account()
        let now = fixture.time.now()
        _ = try await fixture.create(fixture.proof(account, provedAt: now + .seconds(60)))
        await expectRefused(.invalidSignInProof) {
            try await fixture.create(
                fixture.proof(account, provedAt: now + .milliseconds(60_001)))
        }
    }

    @Test("used proofs are removed once they are too old to be accepted, and by no other sign-in")
    func purge() async throws {
        for _ in 1...20 {
            _ = try await fixture.open()
            fixture.time.advance(by: .seconds(31))
        }
        let proof = fixture.proof(try fixture.account())
        _ = try await fixture.create(proof)
        #expect(try await fixture.number("SELECT count(*) FROM used_proof") == 21)
        fixture.time.advance(by: .seconds(30))
        try await fixture.purge()
        #expect(try await fixture.number("SELECT count(*) FROM used_proof") == 1)
        await expectRefused(.invalidSignInProof) { try await fixture.create(proof) }
        fixture.time.advance(by: .milliseconds(1))
        try await fixture.purge()
        #expect(try await fixture.number("SELECT count(*) FROM used_proof") == 0)
        await expectRefused(.invalidSignInProof) { try await fixture.create(proof) }
    }

    @Test("G-25: a repeated sign-in returns the same session and refresh token")
    func repeated() async throws {
        let account = try fixture.account()
        let first = try await fixture.open(account, key: "k")
        let again = try await fixture.open(account, key: "k")
        #expect(again.sessionId == first.sessionId)
        #expect(again.refreshToken == first.refreshToken)
        #expect(fixture.validate(again.accessToken).valid)
        #expect(try await fixture.audited(.sessionStarted) == 1)
        let other = try fixture.account(43)
        await expectRefused(.idempotencyKeyReused) { try await fixture.open(other, key: "k") }
    }

    @Test("G-25: the same call sent twice with the same proof is a repeat")
    func resent() async throws {
        let proof = fixture.proof(try fixture.account())
        let first = try await fixture.create(proof, key: "k")
        #expect(try await fixture.create(proof, key: "k").refreshToken == first.refreshToken)
        await expectRefused(.invalidSignInProof) { try await fixture.create(proof, key: "l") }
    }

    @Test("G-25: a repeat consumes its proof and does not revive an ended session")
    func repeatedLimits() async throws {
        let account = try fixture.account()
        let first = try await fixture.open(account, key: "k")
        let proof = fixture.proof(account)
        _ = try await fixture.create(proof, key: "k")
        await expectRefused(.invalidSignInProof) { try await fixture.create(proof) }
        _ = try await fixture.signOut(.refreshToken(first.refreshToken))
        await expectRefused(.sessionEnded) { try await fixture.open(account, key: "k") }
    }

    @Test("a platform has at most 32 bytes")
    func platform() async throws {
        let proof = fixture.proof(try fixture.account())
        func request(_ count: Int) -> SessionV1.CreateSessionRequest {
            SessionV1.CreateSessionRequest(
                proof: proof,
                device: GatewayV1.Device(platform: String(repeating: "p", count: count)))
        }
        await expectRefused(.invalidArgument) {
            try await fixture.service.sessions.createSession(request(33), fixture.context())
        }
        _ = try await fixture.service.sessions.createSession(request(32), fixture.context())
    }
}
