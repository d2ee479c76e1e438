import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import GatewayService

@Suite("X-08: errors of sign-ins say what else would do", .timeLimit(.minutes(1)))
struct KnownAlternativesTests {
    private static let providers = ["--google-audiences=web", "--apple-audiences=com.example.app"]
    private static let device = GatewayV1.Device(deviceId: "d9", platform: "cli")

    /// Passwords, Google, Apple, passkeys, and phones of Germany.
    private func fixture(relayed: [MethodHandler] = []) async throws -> GatewayFixture {
        let fixture = try await GatewayFixture(relayed: relayed, providers: Self.providers)
        #expect(await fixture.alternatives.ask())
        return fixture
    }

    @Test("X-02, X-08: a wrong password has the same words for each address")
    func password() async throws {
        let fixture = try await fixture()
        _ = try await fixture.signUp()
        for (number, email) in ["ada@example.org", "nobody@example.org"].enumerated() {
            // Addresses and devices have limits of their own.
            let context = fixture.context(address: "192.0.2.\(number + 1)")
            func guess() async throws -> ServiceError {
                try await refusal {
                    try await fixture.signIn(
                        email, password: "Wrong7Horse", device: "other\(number)", in: context)
                }
            }
            var error = try await guess()
            #expect(error.code == .invalidCredential)
            #expect(
                error.alternatives
                    == ["reset-password", "passkey", "google", "apple", "phone", "sign-up"])
            for _ in 0..<20 where error.code != .tooManyRequests {
                error = try await guess()
            }
            #expect(error.code == .tooManyRequests)
            #expect(
                error.alternatives == ["reset-password", "passkey", "google", "apple", "phone"])
        }
    }

    @Test("X-08: a taken address and a used link")
    func taken() async throws {
        let fixture = try await fixture()
        _ = try await fixture.signUp()
        let taken = try await refusal { try await fixture.signUp() }
        #expect(taken.code == .emailAlreadyInUse)
        #expect(
            taken.alternatives
                == ["password", "reset-password", "passkey", "google", "apple", "phone"])
        let used = try await refusal {
            try await PasswordsClient(fixture.front).resetPassword(
                .init(
                    token: String(repeating: "A", count: 43),
                    password: .init(text: "Another7Horse"), device: Self.device),
                fixture.context())
        }
        #expect(used.code == .invalidLink)
        #expect(
            used.alternatives
                == ["reset-password", "password", "passkey", "google", "apple", "phone"])
    }

    @Test("X-08: a country to which no codes are sent, and a number that waits for its next code")
    func phone() async throws {
        let fixture = try await fixture()
        func ask(_ number: String) async throws -> ServiceError {
            try await refusal {
                try await PhoneSignInClient(fixture.front).requestSignInCode(
                    .init(phoneNumber: number, device: Self.device), fixture.context())
            }
        }
        let country = try await ask("+33612345678")
        #expect(country.code == .phoneCountryNotAllowed)
        #expect(country.alternatives == ["passkey", "google", "apple", "password"])
        _ = try await fixture.requestCode()
        let limited = try await ask(GatewayFixture.number)
        #expect(limited.code == .tooManyRequests)
        #expect(limited.alternatives == ["passkey", "google", "apple", "password"])
    }

    @Test("X-08: a provider that cannot be reached, or whose dialog was cancelled")
    func provider() async throws {
        let unreachable = MethodHandler.async(IdentitiesDescription.signInWithProvider) {
            (_: GatewayV1.SignInWithProviderRequest, _) -> IdentityV1.AdmissionResponse in
            throw ServiceError(.providerUnavailable)
        }
        let fixture = try await fixture(relayed: [unreachable])
        let error = try await refusal {
            try await fixture.providers.signInWithProvider(
                .init(token: .init(provider: "google", idToken: "a.b.c"), device: Self.device),
                fixture.context())
        }
        #expect(error.code == .providerUnavailable)
        #expect(error.alternatives == ["apple", "passkey", "password", "phone"])
        let cancelled = try await fixture.providerNotices.describeProviderOutcome(
            .init(provider: "apple", outcome: .cancelled), fixture.context())
        #expect(cancelled.alternatives == ["google", "passkey", "password", "phone"])
    }

    @Test("X-08: with a second proof the account's own ways stay, and other errors have none")
    func others() async throws {
        let changed = MethodHandler.async(PhoneCodesDescription.signInWithCode) {
            (_: GatewayV1.SignInWithPhoneCodeRequest, _) -> IdentityV1.AdmissionResponse in
            var error = ServiceError(.secondProofRequired)
            error.alternatives = ["password"]
            throw error
        }
        let fixture = try await fixture(relayed: [changed])
        let second = try await refusal {
            try await PhoneSignInClient(fixture.front).signInWithPhoneCode(
                .init(
                    requestId: "pcr_1", phoneNumber: GatewayFixture.number, code: "123456",
                    device: Self.device), fixture.context())
        }
        #expect(second.code == .secondProofRequired && second.alternatives == ["password"])
        let weak = try await refusal { try await fixture.signUp(password: "short") }
        #expect(weak.code == .weakPassword && weak.alternatives.isEmpty)
    }

    /// Attack: an application says what it does not have, to learn or to hide something.
    @Test("G-36: an app's errors lack what it may not call; only the web service says so")
    func hidden() async throws {
        let fixture = try await fixture()
        func words(_ application: String, _ address: String) async throws -> [String] {
            var context = fixture.context(address: address, application: application)
            context.metadata[Metadata.Key.app] = "shop-web"
            context.metadata[Metadata.Key.appWithout] = "providers,sign-up,haiku"
            let error = try await refusal {
                try await fixture.signIn(
                    "nobody@example.org", password: "Wrong7Horse", in: context)
            }
            #expect(error.code == .invalidCredential)
            return error.alternatives
        }
        #expect(try await words("web", "192.0.2.1") == ["reset-password", "passkey", "phone"])
        #expect(
            try await words("app", "192.0.2.2")
                == ["reset-password", "passkey", "google", "apple", "phone", "sign-up"])
        var context = fixture.context(application: "web")
        context.metadata[Metadata.Key.appWithout] = "password,phone"
        let cancelled = try await fixture.providerNotices.describeProviderOutcome(
            .init(provider: "apple", outcome: .cancelled), context)
        #expect(cancelled.alternatives == ["google", "passkey"])
    }

    @Test("X-08: without an answer of identity the list is empty, and no call waits for one")
    func unknown() async throws {
        let silent = MethodHandler.async(SignInOptionsDescription.getSignInOptions) {
            (_: GatewayV1.GetSignInOptionsRequest, _) -> GatewayV1.GetSignInOptionsResponse in
            throw ServiceError(.unavailable)
        }
        let fixture = try await GatewayFixture(relayed: [silent])
        let first = try await refusal {
            try await fixture.signIn("nobody@example.org", password: "Wrong7Horse")
        }
        #expect(first.code == .invalidCredential && first.alternatives.isEmpty)
        #expect(await fixture.alternatives.ask() == false)
        #expect(
            fixture.alternatives.alternatives(
                to: .password, after: .invalidCredential, without: []
            ).isEmpty)
    }

    @Test("X-08: identity is asked once a minute, and its last answer is kept")
    func minutes() async throws {
        let time = ManualTime()
        let identity = CountedOptions()
        let alternatives = KnownAlternatives(identity, time: time)
        func words() -> [String] {
            alternatives.alternatives(to: .password, after: .tooManyRequests, without: [])
        }
        try await withThrowingTaskGroup(of: Void.self) { group async throws -> Void in
            group.addTask { await alternatives.run() }
            await time.sleepers()
            #expect(identity.calls == 1 && words() == ["google"])
            time.advance(by: .seconds(59))
            #expect(identity.calls == 1)
            identity.answer(with: nil)
            time.advance(by: .seconds(1))
            #expect(try await eventually { identity.calls == 2 })
            await time.sleepers()
            #expect(words() == ["google"], "no answer: the last one is kept")
            identity.answer(with: "apple")
            time.advance(by: .seconds(1))
            #expect(try await eventually { words() == ["apple"] })
            #expect(identity.calls == 3)
            group.cancelAll()
        }
    }
}

/// Identity, which has one provider or does not answer.
private final class CountedOptions: SignInOptionsAPI {
    private struct State {
        var calls = 0
        var provider: String? = "google"
    }

    private let state = Mutex(State())

    var calls: Int { state.withLock { $0.calls } }

    func answer(with provider: String?) { state.withLock { $0.provider = provider } }

    func getSignInOptions(
        _ request: GatewayV1.GetSignInOptionsRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetSignInOptionsResponse {
        let provider = state.withLock { state in
            state.calls += 1
            return state.provider
        }
        guard let provider else { throw ServiceError(.unavailable) }
        return .init(providers: [.init(name: provider)])
    }

    func checkPassword(
        _ request: GatewayV1.CheckPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.CheckPasswordResponse { throw ServiceError(.unknownMethod) }
}
