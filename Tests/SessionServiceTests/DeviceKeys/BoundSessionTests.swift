import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("S-04: sessions can be bound to a device key")
struct BoundSessionTests {
    let fixture: SessionFixture
    let device: TestDevice

    init() async throws {
        fixture = try await SessionFixture()
        device = try .p256()
    }

    @Test("S-04: a stolen token is useless without the key, and using it ends no session")
    func stolen() async throws {
        let tokens = try await fixture.open(on: device)
        let child = try await fixture.refresh(tokens.refreshToken, on: device)
        let now = fixture.time.now()
        let thief = try TestDevice.p256()
        for token in [tokens.refreshToken, child.refreshToken] {
            await expectRefused(.deviceProofRequired) { try await fixture.refresh(token) }
            await expectRefused(.invalidDeviceProof) {
                try await fixture.refresh(token, on: thief)
            }
            await expectRefused(.deviceProofStale) {
                try await fixture.refresh(
                    token, proof: device.proof(token, at: now - .seconds(301)))
            }
            await expectRefused(.deviceProofRequired) {
                try await fixture.signOut(.refreshToken(token))
            }
        }
        #expect(try await fixture.audited(.refreshRefused) == 3, "the first for each reason")
        #expect(fixture.validate(child.accessToken).valid)
        _ = try await fixture.refresh(child.refreshToken, on: device)
    }

    @Test("S-04: a lost response is repeated, however late, whatever was used meanwhile")
    func lostAnswer() async throws {
        let first = try await fixture.open(on: device)
        let lost = try await fixture.refresh(first.refreshToken, on: device)
        #expect(fixture.validate(lost.accessToken).valid)
        fixture.time.advance(by: .seconds(20 * 86_400))
        let again = try await fixture.refresh(first.refreshToken, on: device)
        #expect(again.refreshToken == lost.refreshToken)
        #expect(fixture.validate(again.accessToken).valid, "it counts from the device's request")
        let next = try await fixture.refresh(again.refreshToken, on: device)
        let restored = try await fixture.refresh(first.refreshToken, on: device)
        #expect(restored.refreshToken == next.refreshToken, "any older token gets the leaf")
        #expect(try await fixture.audited(.refreshRepeated) == 2)
        #expect(try await fixture.audited(.refreshTokenReplayed) == 0)
    }

    @Test("S-04: a recorded request, sent again, gives no access beyond its first response")
    func recorded() async throws {
        let first = try await fixture.open(on: device)
        let proof = try device.proof(first.refreshToken, at: fixture.time.now())
        let child = try await fixture.refresh(first.refreshToken, proof: proof)
        fixture.time.advance(by: .seconds(299))
        let again = try await fixture.refresh(first.refreshToken, proof: proof)
        // Token lives differ by the jitter of 5 % in either direction.
        #expect(again.accessExpiresAtMs <= child.accessExpiresAtMs + 61_000)
        fixture.time.advance(by: .seconds(2))
        await expectRefused(.deviceProofStale) {
            try await fixture.refresh(first.refreshToken, proof: proof)
        }
    }

    @Test("S-04: a device with a wrong clock signs with the server's time, sent in every response")
    func wrongClock() async throws {
        let tokens = try await fixture.open(on: device)
        #expect(tokens.answeredAtMs == fixture.time.now().milliseconds)
        let wrong = fixture.time.now() + .seconds(86_400)
        await expectRefused(.deviceProofStale) {
            try await fixture.refresh(
                tokens.refreshToken, proof: device.proof(tokens.refreshToken, at: wrong))
        }
        let right = Timestamp(milliseconds: tokens.answeredAtMs)
        _ = try await fixture.refresh(
            tokens.refreshToken, proof: device.proof(tokens.refreshToken, at: right))
    }

    @Test("G-09: any token of the session with the device's proof signs out")
    func signsOut() async throws {
        let tokens = try await fixture.open(on: device)
        let child = try await fixture.refresh(tokens.refreshToken, on: device)
        let request = GatewayV1.SignOutRequest(
            refreshToken: tokens.refreshToken,
            deviceProof: try device.proof(tokens.refreshToken, at: fixture.time.now()))
        let answer = try await fixture.service.sessions.signOut(request, fixture.context())
        #expect(answer.endedSessions == 1)
        #expect(!fixture.validate(child.accessToken).valid)
    }

    @Test("G-25: only the session's device gets the response to a repeated call")
    func repeated() async throws {
        let tokens = try await fixture.open(on: device)
        let child = try await fixture.refresh(tokens.refreshToken, on: device, key: "k")
        await expectRefused(.deviceProofRequired) {
            try await fixture.refresh(tokens.refreshToken, proof: nil, key: "k")
        }
        let again = try await fixture.refresh(tokens.refreshToken, on: device, key: "k")
        #expect(again.refreshToken == child.refreshToken)
    }

    @Test("S-04: 50 parallel refreshes get the same child, which is valid after a restart")
    func parallel() async throws {
        let tokens = try await fixture.open(on: device)
        let (service, context) = (fixture.service, fixture.context())
        let request = GatewayV1.RefreshSessionRequest(
            refreshToken: tokens.refreshToken,
            deviceProof: try device.proof(tokens.refreshToken, at: fixture.time.now()))
        let children = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await service.sessions.refreshSession(request, context).session?
                        .refreshToken
                        ?? ""
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(children.count == 1)
        #expect(try await fixture.audited(.sessionRefreshed) == 1)
        try await fixture.restart()
        _ = try await fixture.refresh(try #require(children.first), on: device)
    }
}
