import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("R-03: failures at a provider are counted", .timeLimit(.minutes(1)))
struct ProviderLimitTests {
    private let identities = ScriptedIdentities()
    private let fixture: GatewayFixture

    init() async throws { fixture = try await GatewayFixture(identities: identities) }

    private func signIn(
        device: String = "d1", accessToken: String? = nil, in context: CallContext? = nil
    ) async throws {
        _ = try await fixture.providers.signInWithProvider(
            .init(
                token: .init(provider: "google", idToken: "t", nonce: "n"),
                device: GatewayFixture.device(device)),
            (context ?? fixture.context()).bearing(accessToken))
    }

    private func left(_ limit: String, _ subject: String) throws -> UInt32 {
        try fixture.inner.left(limit, subject)
    }

    @Test(
        "R-03: identity's error decides whether the charge stands",
        arguments: [
            (.invalidProviderToken, true), (.invalidNonce, true), (.providerUnavailable, false),
            (.operationNotAllowed, false), (.accountDisabled, false), (.alreadySignedIn, false),
            (.emailNotVerified, false), (.emailAlreadyInUse, false),
            (.idempotencyKeyReused, false), (.invalidAccessToken, false), (.unavailable, false),
            (.resourceExhausted, false), (.invalidArgument, false), (.internalError, false),
            (.deadlineExceeded, true), (.cancelled, true),
        ] as [(ErrorCode, Bool)])
    func charges(code: ErrorCode, stays: Bool) async throws {
        identities.refuse(code)
        #expect(try await refusal { try await signIn() }.code == code)
        let taken: UInt32 = stays ? 1 : 0
        #expect(try left("failed-provider-by-device", "192.0.2.7|d1") == 5 - taken)
        #expect(try left("failed-provider-by-address", "192.0.2.7") == 50 - taken)
    }

    @Test("R-03: the sixth wrong token is not verified; passwords have their own limits")
    func sixth() async throws {
        _ = try await fixture.signUp()
        identities.refuse(.invalidProviderToken)
        for _ in 0..<5 {
            #expect(try await refusal { try await signIn() }.code == .invalidProviderToken)
        }
        let limited = try await refusal { try await signIn() }
        #expect(limited.code == .tooManyRequests && limited.retryAfter == .seconds(900))
        #expect(identities.callerTokens.count == 5)
        _ = try await fixture.signIn()
        fixture.time.advance(by: .seconds(900))
        #expect(try await refusal { try await signIn() }.code == .invalidProviderToken)
    }

    @Test("R-03: of 50 parallel wrong tokens only five are verified")
    func parallel() async throws {
        identities.refuse(.invalidProviderToken)
        let codes = await withTaskGroup(of: ErrorCode?.self) { group in
            for _ in 0..<50 {
                group.addTask { try? await refusal { try await signIn() }.code }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.filter { $0 == .invalidProviderToken }.count == 5)
        #expect(codes.filter { $0 == .tooManyRequests }.count == 45)
    }

    @Test("SECURITY.md, Limits: a user locked out of the password signs in with a provider")
    func otherWay() async throws {
        let ada = try await fixture.signUp()
        for _ in 0..<5 {
            _ = try await refusal { try await fixture.signIn(password: "Wrong8Horses") }
        }
        #expect(try await refusal { try await fixture.signIn() }.code == .tooManyRequests)
        identities.admit(
            .init(
                account: .init(accountId: ada.account.accountId, email: ada.account.email),
                proof: fixture.inner.proof(of: ada.account.accountId, by: ["fed"])))
        try await signIn()
        #expect(try left("failed-provider-by-device", "192.0.2.7|d1") == 5, "refunded")
    }

    @Test("R-07: without the limiter a provider's token is still verified")
    func absent() async throws {
        let fixture = try await GatewayFixture(limits: FailingLimits(), identities: identities)
        identities.refuse(.invalidProviderToken)
        let error = try await refusal {
            try await fixture.providers.signInWithProvider(.init(), fixture.context())
        }
        #expect(error.code == .invalidProviderToken)
    }

    @Test("G-13, R-03: re-authentication counts by account too, besides the limits of sign-in")
    func proving() async throws {
        let ada = try await fixture.signUp()
        identities.refuse(.invalidProviderToken)
        func prove(from address: String) async throws -> ErrorCode {
            try await refusal {
                try await fixture.accountSessions.reauthenticate(
                    .init(
                        device: GatewayFixture.device("d1"),
                        proof: .providerToken(.init())),
                    fixture.context(address: address).bearing(ada.session.accessToken))
            }.code
        }
        for number in 1...5 {
            #expect(try await prove(from: "198.51.100.\(number)") == .invalidProviderToken)
        }
        #expect(try await prove(from: "198.51.100.6") == .tooManyRequests)
        #expect(try left("failed-provider-by-address", "198.51.100.1") == 49)
        #expect(identities.callerTokens == Array(repeating: ada.session.accessToken, count: 5))
        let linking = try await refusal {
            try await fixture.methods.linkProvider(
                .init(), fixture.context(address: "192.0.2.99").bearing(ada.session.accessToken))
        }
        #expect(linking.code == .tooManyRequests, "one limit for both")
    }

    @Test("G-04: the fields of a device have maximum lengths, checked before identity is called")
    func device() async throws {
        let device = String(repeating: "x", count: 129)
        let error = try await refusal { try await signIn(device: device) }
        #expect(error == .invalidArgument("device.device_id", "Use at most 128 bytes."))
        #expect(identities.callerTokens.isEmpty)
        #expect(try left("failed-provider-by-address", "192.0.2.7") == 50)
    }

    @Test("G-25: the key sent to identity is derived, and the same for the same call")
    func keys() async throws {
        identities.refuse(.providerUnavailable)
        for key in ["k", "k", "l"] {
            _ = try await refusal { try await signIn(in: fixture.context(key)) }
        }
        let keys = identities.keys.compactMap(\.self)
        #expect(keys.count == 3 && keys[0] == keys[1] && keys[0] != keys[2] && keys[0] != "k")
    }
}
