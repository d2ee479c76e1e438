import Contracts
import Cryptography
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import SessionVerifier

@Suite("S-01, S-07: a verifier of access tokens", .timeLimit(.minutes(1)))
struct SessionVerifierTests {
    let time = ManualTime()
    let gateway: Gateway

    init() throws {
        gateway = try Gateway(time: time)
    }

    private func verifier(
        _ silence: VerifierSettings.Silence = .trustsTokens, audience: String = "postern"
    ) -> SessionVerifier {
        SessionVerifier(
            gateway, VerifierSettings(audience: audience, silence: silence), time: time,
            randomness: SeededRandomness(seed: 5))
    }

    /// Runs the verifier beside `body`.
    private func following(
        _ verifier: SessionVerifier, _ body: () async throws -> Void
    ) async throws {
        let work = Task { await verifier.run() }
        do {
            try await body()
        } catch {
            work.cancel()
            throw error
        }
        work.cancel()
        await work.value
    }

    private func isGood(_ verdict: Verdict) -> Bool {
        if case .good = verdict { true } else { false }
    }

    /// Waits until the verifier has come to say what is expected.
    private func eventually(_ holds: () async -> Bool) async -> Bool {
        for _ in 0..<200_000 {
            if await holds() { return true }
            await Task.yield()
        }
        return false
    }

    @Test("S-06: a restored backup is a gap: what was heard stays, and the rest counts as silence")
    func restored() async throws {
        let verifier = verifier(.refuses(after: .seconds(5)))
        let (ended, other) = (try gateway.token(2), try gateway.token(3))
        try await following(verifier) {
            gateway.tell(SessionID(key: 2))
            #expect(await eventually { await verifier.verify(ended) == .refused(.sessionEnded) })
            #expect(isGood(await verifier.verify(other)))
            gateway.restore()
            gateway.tell(SessionID(key: 4))
            let late = try gateway.token(4)
            #expect(await eventually { await verifier.verify(late) == .refused(.sessionEnded) })
            #expect(isGood(await verifier.verify(other)))
            #expect(await verifier.verify(ended) == .refused(.sessionEnded))
        }
    }

    @Test("S-01: a token is good without any call but one for the keys, again and again")
    func good() async throws {
        let verifier = verifier()
        let token = try gateway.token()
        for _ in 0..<100 { #expect(isGood(await verifier.verify(token))) }
        for session in 3..<50 {
            #expect(isGood(await verifier.verify(try gateway.token(Int64(session)))))
        }
        #expect(gateway.keySetCalls == 1)
    }

    @Test("S-07: a token read before lives were told of lives no longer than these")
    func lifeMax() async throws {
        let verifier = verifier()
        let token = try gateway.token { $0.expiresAt = time.now() + .seconds(86_400) }
        #expect(isGood(await verifier.verify(token)))
        try await following(verifier) {
            gateway.tell()
            #expect(await eventually { verifier.freshness != nil })
            #expect(isGood(await verifier.verify(token)))
            time.advance(by: .seconds(700))
            #expect(await verifier.verify(token) == .refused(.token(.expired)))
        }
    }

    @Test("S-07: an ended session's token is refused as soon as the end is heard, others are not")
    func ended() async throws {
        let verifier = verifier()
        let (token, other) = (try gateway.token(2), try gateway.token(3))
        try await following(verifier) {
            gateway.tell()
            #expect(isGood(await verifier.verify(token)))
            gateway.tell(SessionID(key: 2))
            #expect(await eventually { await verifier.verify(token) == .refused(.sessionEnded) })
            #expect(isGood(await verifier.verify(other)))
        }
    }

    @Test("S-06: what ended while it did not follow it is told when it does again")
    func resumes() async throws {
        let verifier = verifier()
        let token = try gateway.token()
        try await following(verifier) {
            gateway.tell(SessionID(key: 9))
            #expect(await eventually { verifier.freshness != nil })
        }
        gateway.tell(SessionID(key: 2))
        try await following(verifier) {
            #expect(await eventually { await verifier.verify(token) == .refused(.sessionEnded) })
        }
    }

    @Test("it knows how stale it is, and refuses in silence if it was told to")
    func silence() async throws {
        let verifier = verifier(.refuses(after: .seconds(5)))
        let token = try gateway.token()
        #expect(await verifier.verify(token) == .refused(.stale), "nothing was ever heard")
        try await following(verifier) {
            gateway.tell()
            #expect(await eventually { verifier.freshness == .zero })
            #expect(isGood(await verifier.verify(token)))
            time.advance(by: .seconds(5))
            #expect(verifier.freshness == .seconds(5))
            #expect(isGood(await verifier.verify(token)))
            time.advance(by: .milliseconds(1))
            #expect(await verifier.verify(token) == .refused(.stale))
            gateway.tell()
            #expect(await eventually { isGood(await verifier.verify(token)) })
        }
    }

    @Test("S-01: an unknown key is asked for at most once in 30 s, however many tokens name one")
    func unknownKeys() async throws {
        let verifier = verifier()
        #expect(isGood(await verifier.verify(try gateway.token())))
        let strangers = try Gateway(time: time)
        for session in 1...50 {
            let forged = try strangers.token(Int64(session))
            #expect(await verifier.verify(forged) == .refused(.token(.unknownKey)))
        }
        #expect(gateway.keySetCalls == 2)
        try gateway.rotate(keepsOld: true)
        let new = try gateway.token()
        #expect(await verifier.verify(new) == .refused(.token(.unknownKey)))
        time.advance(by: .seconds(30))
        #expect(isGood(await verifier.verify(new)))
        #expect(gateway.keySetCalls == 3)
    }

    @Test("S-01: a revoked key's tokens are refused once the stream has told of it")
    func revoked() async throws {
        let verifier = verifier()
        let token = try gateway.token()
        try await following(verifier) {
            gateway.tell()
            #expect(isGood(await verifier.verify(token)))
            try gateway.rotate(keepsOld: false)
            gateway.tell()
            #expect(
                await eventually { await verifier.verify(token) == .refused(.token(.unknownKey)) })
            #expect(isGood(await verifier.verify(try gateway.token())))
        }
    }

    @Test("S-01: without a stream a revoked key's tokens are refused within a minute")
    func fallback() async throws {
        let verifier = verifier()
        let token = try gateway.token()
        try await following(verifier) {
            #expect(isGood(await verifier.verify(token)))
            try gateway.rotate(keepsOld: false)
            await time.sleepers()
            time.advance(by: .seconds(60))
            #expect(
                await eventually { await verifier.verify(token) == .refused(.token(.unknownKey)) })
        }
    }

    @Test("keys that cannot be fetched leave those before in force; without any, none is good")
    func away() async throws {
        let verifier = verifier()
        let token = try gateway.token()
        gateway.state.withLock { $0.isAway = true }
        #expect(await verifier.verify(token) == .refused(.noKeys))
        gateway.state.withLock { $0.isAway = false }
        #expect(isGood(await verifier.verify(token)))
        gateway.state.withLock { $0.isAway = true }
        let forged = try Gateway(time: time).token()
        #expect(await verifier.verify(forged) == .refused(.token(.unknownKey)))
        #expect(isGood(await verifier.verify(token)))
    }

    @Test("another audience, issuer, type, or a token that names no session: refused")
    func others() async throws {
        let verifier = verifier()
        let expected: [(TokenRefusal, String)] = [
            (.audience, try gateway.token { $0.audience = ["shop"] }),
            (.issuer, try gateway.token { $0.issuer = "other" }),
            (.type, try gateway.token(type: "verify+jwt")),
            (.claims, try gateway.token { $0.sessionID = nil }),
            (.claims, try gateway.token { $0.authenticatedAt = nil }),
            (.claims, try gateway.token { $0.subject = "ada" }),
        ]
        for (refusal, token) in expected {
            #expect(await verifier.verify(token) == .refused(.token(refusal)))
        }
        #expect(isGood(await verifier.verify(try gateway.token())))
    }

    @Test("SECURITY.md, Tokens: no forged token is good, before and after the true one is known")
    func forgeries() async throws {
        let verifier = verifier()
        let token = try gateway.token()
        let kid = try #require(gateway.state.withLock { $0.keys.first?.identifier })
        let attacks = try #require(try TokenAttacks(on: token, kid: kid, jwks: gateway.jwks))
        for _ in 0..<2 {
            for forgery in try attacks.forgeries() {
                #expect(!isGood(await verifier.verify(forgery.token)), "\(forgery)")
            }
            #expect(isGood(await verifier.verify(token)), "or the refusals prove nothing")
        }
        #expect(gateway.keySetCalls <= 2, "nothing was fetched for them but the keys")
    }
}
