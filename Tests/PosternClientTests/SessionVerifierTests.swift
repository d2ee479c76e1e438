import Contracts
import Cryptography
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import PosternClient

@Suite("S-01, S-07: a verifier accepts only valid access tokens", .timeLimit(.minutes(1)))
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

    /// Runs the verifier concurrently with `body`.
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

    @Test("S-06: after a restored backup, known revocations are retained and the rest is stale")
    func restored() async throws {
        let verifier = verifier(.refuses(after: .seconds(5)))
        let (ended, other) = (try gateway.token(2), try gateway.token(3))
        try await following(verifier) {
            gateway.sendRevocation(SessionID(key: 2))
            #expect(
                try await eventually { await verifier.verify(ended) == .refused(.sessionEnded) })
            #expect(isGood(await verifier.verify(other)))
            gateway.restore()
            gateway.sendRevocation(SessionID(key: 4))
            let late = try gateway.token(4)
            #expect(try await eventually { await verifier.verify(late) == .refused(.sessionEnded) })
            #expect(isGood(await verifier.verify(other)))
            #expect(await verifier.verify(ended) == .refused(.sessionEnded))
        }
    }

    @Test("S-01: a verifier checks any number of tokens with one call for the keys")
    func good() async throws {
        let verifier = verifier()
        let token = try gateway.token()
        for _ in 0..<100 { #expect(isGood(await verifier.verify(token))) }
        for session in 3..<50 {
            #expect(isGood(await verifier.verify(try gateway.token(Int64(session)))))
        }
        #expect(gateway.keySetCalls == 1)
    }

    @Test("S-07: a cached token is limited to the maximum lifetime once the feed sends it")
    func lifeMax() async throws {
        let verifier = verifier()
        let token = try gateway.token { $0.expiresAt = time.now() + .seconds(86_400) }
        #expect(isGood(await verifier.verify(token)))
        try await following(verifier) {
            gateway.sendRevocation()
            let isFollowed = try await eventually { verifier.freshness != nil }
            #expect(isFollowed)
            #expect(isGood(await verifier.verify(token)))
            time.advance(by: .seconds(700))
            #expect(await verifier.verify(token) == .refused(.token(.expired)))
        }
    }

    @Test("S-07: a session's token is rejected once its revocation arrives; others are accepted")
    func ended() async throws {
        let verifier = verifier()
        let (token, other) = (try gateway.token(2), try gateway.token(3))
        try await following(verifier) {
            gateway.sendRevocation()
            #expect(isGood(await verifier.verify(token)))
            gateway.sendRevocation(SessionID(key: 2))
            let isRefused = try await eventually {
                await verifier.verify(token) == .refused(.sessionEnded)
            }
            #expect(isRefused)
            #expect(isGood(await verifier.verify(other)))
        }
    }

    @Test("S-06: a verifier that reconnects receives the revocations that it missed")
    func resumes() async throws {
        let verifier = verifier()
        let token = try gateway.token()
        try await following(verifier) {
            gateway.sendRevocation(SessionID(key: 9))
            let isFollowed = try await eventually { verifier.freshness != nil }
            #expect(isFollowed)
        }
        gateway.sendRevocation(SessionID(key: 2))
        try await following(verifier) {
            let isRefused = try await eventually {
                await verifier.verify(token) == .refused(.sessionEnded)
            }
            #expect(isRefused)
        }
    }

    @Test("a verifier reports how stale it is, and rejects tokens when stale if so configured")
    func silence() async throws {
        let verifier = verifier(.refuses(after: .seconds(5)))
        let token = try gateway.token()
        #expect(await verifier.verify(token) == .refused(.stale), "nothing was received yet")
        try await following(verifier) {
            gateway.sendRevocation()
            let isFresh = try await eventually { verifier.freshness == .zero }
            #expect(isFresh)
            #expect(isGood(await verifier.verify(token)))
            time.advance(by: .seconds(5))
            #expect(verifier.freshness == .seconds(5))
            #expect(isGood(await verifier.verify(token)))
            time.advance(by: .milliseconds(1))
            #expect(await verifier.verify(token) == .refused(.stale))
            gateway.sendRevocation()
            let isGoodAgain = try await eventually { isGood(await verifier.verify(token)) }
            #expect(isGoodAgain)
        }
    }

    @Test("S-01: unknown key ids cause at most one fetch in 30 s, however many tokens have one")
    func unknownKeys() async throws {
        let verifier = verifier()
        #expect(isGood(await verifier.verify(try gateway.token())))
        let strangers = try Gateway(time: time)
        for session in 1...50 {
            let forged = try strangers.token(Int64(session))
            #expect(await verifier.verify(forged) == .refused(.token(.unknownKey)))
        }
        #expect(gateway.keySetCalls == 2)
        try gateway.rotate(keepsOldKeys: true)
        let new = try gateway.token()
        #expect(await verifier.verify(new) == .refused(.token(.unknownKey)))
        time.advance(by: .seconds(30))
        #expect(isGood(await verifier.verify(new)))
        #expect(gateway.keySetCalls == 3)
    }

    @Test("S-01: tokens of a revoked key are rejected once the stream announces the change")
    func revoked() async throws {
        let verifier = verifier()
        let token = try gateway.token()
        try await following(verifier) {
            gateway.sendRevocation()
            #expect(isGood(await verifier.verify(token)))
            try gateway.rotate(keepsOldKeys: false)
            gateway.sendRevocation()
            #expect(
                try await eventually {
                    await verifier.verify(token) == .refused(.token(.unknownKey))
                })
            #expect(isGood(await verifier.verify(try gateway.token())))
        }
    }

    @Test("S-01: without a stream, tokens of a revoked key are rejected within a minute")
    func fallback() async throws {
        let verifier = verifier()
        let token = try gateway.token()
        try await following(verifier) {
            #expect(isGood(await verifier.verify(token)))
            try gateway.rotate(keepsOldKeys: false)
            await time.sleepers()
            time.advance(by: .seconds(60))
            #expect(
                try await eventually {
                    await verifier.verify(token) == .refused(.token(.unknownKey))
                })
        }
    }

    @Test("if fetching keys fails, the old keys remain valid; without keys, no token is accepted")
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

    @Test("a token with another audience, issuer or type, or without a session, is rejected")
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

    @Test("SECURITY.md, Tokens: forged tokens are rejected before and after the real one is cached")
    func forgeries() async throws {
        let verifier = verifier()
        let token = try gateway.token()
        let kid = try #require(gateway.state.withLock { $0.keys.first?.identifier })
        let attacks = try #require(try TokenAttacks(on: token, kid: kid, jwks: gateway.jwks))
        for _ in 0..<2 {
            for forgery in try attacks.forgeries() {
                #expect(!isGood(await verifier.verify(forgery.token)), "\(forgery)")
            }
            #expect(isGood(await verifier.verify(token)), "otherwise the rejections prove nothing")
        }
        #expect(gateway.keySetCalls <= 2, "only the keys were fetched")
    }
}
