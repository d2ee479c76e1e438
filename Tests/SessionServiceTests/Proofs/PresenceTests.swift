import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

extension TestDevice {
    /// The proof that an app makes when its owner has just confirmed the prompt.
    func presence(
        _ token: String, at moment: Timestamp, inHardware: Bool = true
    ) throws -> GatewayV1.PresenceProof {
        GatewayV1.PresenceProof(
            signedAtMs: moment.milliseconds, hardwareKey: inHardware,
            signature: try sign(
                PresenceProofRule.signed(token, at: moment, inHardware: inHardware)))
    }
}

@Suite("G-13, S-04: a device key behind a prompt is a proof of the owner")
struct PresenceTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    private func reauthenticate(
        _ token: String, _ presence: GatewayV1.PresenceProof
    ) async throws -> GatewayV1.ReauthenticateResponse {
        try await fixture.service.devices.reauthenticate(
            SessionV1.ReauthenticateRequest(presence: presence), fixture.context(bearing: token))
    }

    @Test("G-13: keys of either kind, in hardware or software, give the methods of RFC 8176")
    func kinds() async throws {
        for device in try TestDevice.each() {
            for (inHardware, method) in [(true, "hwk"), (false, "swk")] {
                let tokens = try await fixture.open(on: device)
                fixture.time.advance(by: .seconds(400))
                let now = fixture.time.now()
                let answer = try await reauthenticate(
                    tokens.accessToken,
                    try device.presence(tokens.accessToken, at: now, inHardware: inHardware))
                #expect(answer.authenticatedAtMs == now.milliseconds)
                let validity = fixture.validate(answer.accessToken)
                #expect(validity.amr == [method, "user"])
                #expect(validity.sessionId == tokens.sessionId)
                let child = try await fixture.refresh(tokens.refreshToken, on: device)
                #expect(fixture.validate(child.accessToken).amr == [method, "user"])
            }
        }
    }

    @Test(
        "G-13: a proof counts from its signature, so a repeat gains nothing; never from later")
    func moment() async throws {
        let device = try TestDevice.p256()
        let tokens = try await fixture.open(on: device)
        fixture.time.advance(by: .seconds(100))
        let signedAt = fixture.time.now()
        let presence = try device.presence(tokens.accessToken, at: signedAt)
        _ = try await reauthenticate(tokens.accessToken, presence)
        fixture.time.advance(by: .seconds(59))
        let again = try await reauthenticate(tokens.accessToken, presence)
        #expect(again.authenticatedAtMs == signedAt.milliseconds)
        let now = fixture.time.now()
        let ahead = try await reauthenticate(
            tokens.accessToken, try device.presence(tokens.accessToken, at: now + .seconds(60)))
        #expect(ahead.authenticatedAtMs == now.milliseconds)
    }

    @Test("G-13: a repeated or again rejected proof needs no writer and makes no record")
    func unwritten() async throws {
        let device = try TestDevice.p256()
        let tokens = try await fixture.open(on: device)
        let (token, signedAt) = (tokens.accessToken, fixture.time.now())
        let presence = try device.presence(token, at: signedAt)
        let stale = try device.presence(token, at: signedAt - .seconds(61))
        _ = try await reauthenticate(token, presence)
        await expectRefused(.deviceProofStale) { try await reauthenticate(token, stale) }
        let wasHeld = try await HeldWriter().during(fixture.store) {
            for _ in 0..<5 {
                let again = try await reauthenticate(token, presence)
                #expect(again.authenticatedAtMs == signedAt.milliseconds)
                #expect(fixture.validate(again.accessToken).valid)
                await expectRefused(.deviceProofStale) { try await reauthenticate(token, stale) }
            }
        }
        #expect(wasHeld)
        #expect(try await fixture.audited(.sessionReauthenticated) == 1)
        fixture.time.advance(by: .seconds(600))
        await fixture.service.background.maintenance.writeRejectedTokens()
        let kind = AuditKind.reauthenticationRefused.rawValue
        #expect(
            try await fixture.number(
                "SELECT max(attempt) FROM audit WHERE kind = ?", [.text(kind)]) == 6)
    }

    @Test("G-13: another key or token, a proof without a prompt, or a stale proof is rejected")
    func refused() async throws {
        let device = try TestDevice.ed25519()
        let tokens = try await fixture.open(on: device)
        let token = tokens.accessToken
        let now = fixture.time.now()
        let unattended = try device.proof(token, at: now)
        var flipped = try device.presence(token, at: now, inHardware: false)
        flipped.hardwareKey = true
        var moved = try device.presence(token, at: now)
        moved.signedAtMs += 1
        let wrong = [
            try TestDevice.ed25519(seed: 8).presence(token, at: now),
            try device.presence(tokens.refreshToken, at: now), flipped, moved,
            .init(signedAtMs: now.milliseconds, hardwareKey: true, signature: unattended.signature),
            .init(signedAtMs: now.milliseconds, hardwareKey: true, signature: []),
        ]
        for presence in wrong {
            await expectRefused(.invalidDeviceProof) { try await reauthenticate(token, presence) }
        }
        for off in [Int64(-60_001), 60_001] {
            await expectRefused(.deviceProofStale) {
                try await reauthenticate(
                    token, device.presence(token, at: now + .milliseconds(off)))
            }
        }
        await expectRefused(.deviceProofStale) {
            try await reauthenticate(token, .init(signedAtMs: .min, signature: []))
        }
        #expect(try await fixture.audited(.reauthenticationRefused) == 2, "one for each reason")
        #expect(try await fixture.audited(.sessionReauthenticated) == 0)
        #expect(fixture.validate(token).amr == ["pwd"])
    }

    @Test("G-13: a session without a key, or an ended one, cannot be proved by a device")
    func unbound() async throws {
        let device = try TestDevice.p256()
        let unbound = try await fixture.open()
        let bound = try await fixture.open(on: device)
        let now = fixture.time.now()
        await expectRefused(.invalidDeviceProof) {
            try await reauthenticate(
                unbound.accessToken, device.presence(unbound.accessToken, at: now))
        }
        _ = try await fixture.signOut(.accessToken(bound.accessToken))
        await expectRefused(.sessionEnded) {
            try await reauthenticate(
                bound.accessToken, device.presence(bound.accessToken, at: now))
        }
    }

    @Test("G-13: two proofs in one call are an invalid argument")
    func both() async throws {
        let device = try TestDevice.p256()
        let tokens = try await fixture.open(on: device)
        let proof = fixture.proof(try fixture.account())
        let presence = try device.presence(tokens.accessToken, at: fixture.time.now())
        await expectRefused(.invalidArgument) {
            try await fixture.service.devices.reauthenticate(
                .init(proof: proof, presence: presence),
                fixture.context(bearing: tokens.accessToken))
        }
    }
}
