import Messages
import RPC
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

/// Whether accounts have a second factor, as the test switches it.
final class SwitchedFactors: SecondFactors {
    private let state: Mutex<Bool>

    init(_ isOn: Bool = true) { state = Mutex(isOn) }

    func turn(on isOn: Bool) { state.withLock { $0 = isOn } }

    func hasSecondFactor(_ account: AccountID, in session: some SQLSession) throws -> Bool {
        state.withLock { $0 }
    }
}

extension SignInGate {
    /// Asks for a second proof of each sign-in that is judged, where the account has one.
    static let always = SignInGate(
        demands: [SecondProofDemand(reason: .enrolled, passesWithout: true) { _ in .independent }],
        factors: nil)

    /// The rules of the service, with these factors. As no kind is a factor here, nothing would do.
    static func with(_ factors: SwitchedFactors) -> SignInGate {
        SignInGate(demands: standard.demands, factors: factors)
    }
}

extension SecondProofsHandler {
    /// As in the service, but it accepts other tokens.
    init(of service: IdentityAssembly, tokens: any ProviderTokens) {
        let own = service.core.secondProofs
        self.init(
            store: own.store, writer: own.writer, time: own.time, owners: own.owners,
            passwords: own.passwords, tokens: tokens, passkeys: own.passkeys, signIn: own.signIn)
    }
}

extension IdentityFixture {
    static let otherDevice = GatewayV1.Device(deviceId: "device-other", platform: "cli")

    /// Accepts the tokens of `tokens`; otherwise as in the service.
    var secondProofs: SecondProofsHandler { SecondProofsHandler(of: service, tokens: tokens) }

    /// The challenge of a sign-in that waits for its second proof.
    func challenge<Value>(
        _ signIn: () async throws -> Value
    ) async throws -> ServiceError.SecondProof {
        let error = try await refusal(signIn)
        #expect(error.code == .secondProofRequired)
        return try #require(error.secondProof)
    }

    /// Answers a challenge.
    func complete(
        _ challenge: ServiceError.SecondProof, _ proof: GatewayV1.CompleteSignInRequest.Proof,
        on device: GatewayV1.Device = device, guest: String? = nil, key: String? = nil
    ) async throws -> IdentityV1.CompleteChallengeResponse {
        try await secondProofs.completeChallenge(
            .init(challenge: challenge.challenge, device: device, proof: proof),
            relayed(guest, key))
    }

    /// Has a code sent for a challenge.
    func sendCode(
        _ challenge: ServiceError.SecondProof, _ kind: GatewayV1.ChallengeCodeKind = .email,
        on device: GatewayV1.Device = device, key: String? = nil
    ) async throws -> IdentityV1.SendChallengeCodeResponse {
        try await secondProofs.sendChallengeCode(
            .init(challenge: challenge.challenge, kind: kind, device: device), context(key))
    }

    /// Has a code mailed for a challenge, and reads it.
    func mailedCode(_ challenge: ServiceError.SecondProof) async throws -> String {
        _ = try await sendCode(challenge)
        try await relay()
        let mail = try #require(notifications.mails.last { $0.template == "sign-in-code" })
        return try #require(mail.variables.first { $0.name == "code" }?.value)
    }

    /// Has a code sent to the phone for a challenge, and reads it.
    func textedCode(_ challenge: ServiceError.SecondProof) async throws -> String {
        _ = try await sendCode(challenge, .phone)
        try await relay()
        let text = try #require(texts.texts.last)
        return try #require(text.variables.first { $0.name == "code" }?.value)
    }

    /// Requests a reset, and reads the link's token.
    func resetToken(_ email: String = "ada@example.org") async throws -> String {
        _ = try await credentials.requestPasswordReset(
            .init(email: email, device: Self.device), context())
        try await relay()
        return try latestToken("reset-password", to: email)
    }

    /// Sets the password "Owner8Password" with a link.
    func reset(_ token: String, key: String? = nil) async throws
        -> IdentityV1.ResetPasswordResponse
    {
        try await credentials.resetPassword(
            .init(token: token, password: "Owner8Password", device: Self.device), context(key))
    }
}
