import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-07, R-03: new guests are limited", .timeLimit(.minutes(1)))
struct GuestLimitTests {
    private let identities = ScriptedIdentities()
    private let fixture: GatewayFixture

    init() async throws { fixture = try await GatewayFixture(identities: identities) }

    private func signIn(
        accessToken: String? = nil, in context: CallContext? = nil
    ) async throws {
        _ = try await fixture.guests.signInAsGuest(
            .init(device: GatewayFixture.device("d1")),
            (context ?? fixture.context()).bearing(accessToken))
    }

    private func left() throws -> UInt32 {
        try fixture.inner.left("guest-sign-up-by-address", "192.0.2.7")
    }

    @Test("R-03: the thirty-first guest of an hour from one address waits")
    func limited() async throws {
        // After a timeout the guest may have been created, so the charge remains.
        identities.refuse(.deadlineExceeded)
        for _ in 0..<30 {
            #expect(try await refusal { try await signIn() }.code == .deadlineExceeded)
        }
        let limited = try await refusal { try await signIn() }
        #expect(limited.code == .tooManyRequests && limited.retryAfter == .seconds(3_600))
        #expect(identities.keys.count == 30)
        let elsewhere = fixture.context(address: "192.0.2.8")
        #expect(try await refusal { try await signIn(in: elsewhere) }.code == .deadlineExceeded)
    }

    @Test("G-25: a repeat is not charged again; a call rejected before it began is free")
    func once() async throws {
        identities.refuse(.deadlineExceeded)
        for _ in 0..<5 {
            _ = try await refusal { try await signIn(in: fixture.context("k")) }
        }
        #expect(try left() == 29)
        identities.refuse(.resourceExhausted)
        _ = try await refusal { try await signIn() }
        #expect(try left() == 29)
    }

    @Test("B2: a failure of the server is not charged, however often the call is repeated")
    func ourFailure() async throws {
        for code in [ErrorCode.unavailable, .internalError] {
            identities.refuse(code)
            for key in ["k", "k", "k", nil] {
                #expect(
                    try await refusal { try await signIn(in: fixture.context(key)) }.code == code)
                #expect(try left() == 30)
            }
        }
    }

    @Test("G-07: a signed-in user creates no guest; with an expired token the app refreshes first")
    func signedIn() async throws {
        let fixture = try await GatewayFixture()
        let token = try await fixture.signUp().session.accessToken
        func code() async throws -> ErrorCode {
            try await refusal {
                try await fixture.guests.signInAsGuest(.init(), fixture.context().bearing(token))
            }.code
        }
        #expect(try await code() == .alreadySignedIn)
        fixture.time.advance(by: .seconds(15 * 60))
        #expect(try await code() == .invalidAccessToken)
        #expect(try fixture.inner.left("guest-sign-up-by-address", "192.0.2.7") == 30)
    }
}
