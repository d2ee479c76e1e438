import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

/// An authenticator app that is being set up, or is.
struct AppSetUp: Sendable {
    let begun: GatewayV1.BeginTOTPResponse
    let secret: SecretBytes

    init(_ begun: GatewayV1.BeginTOTPResponse) throws {
        self.begun = begun
        secret = SecretBytes(copying: try #require(Base32.decodeLeniently(begun.secret)))
    }

    /// The code that the app shows at a moment.
    func code(at moment: Timestamp) -> SecretBytes {
        SecretBytes(copying: TOTP.code(of: secret, at: TOTP.step(at: moment)))
    }
}

extension IdentityFixture {
    var secondFactors: SecondFactorsHandler { service.core.secondFactors }

    func listFactors(_ token: String) async throws -> GatewayV1.ListSecondFactorsResponse {
        let call = try await secondFactors.call(
            SecondFactorsDescription.listSecondFactors, nil, relayed(token))
        return try await secondFactors.listSecondFactors(.init(), call)
    }

    /// Begins to set up an app.
    func beginApp(_ token: String) async throws -> AppSetUp {
        let call = try await secondFactors.call(
            SecondFactorsDescription.beginTOTP, nil, relayed(token))
        return try AppSetUp(try await secondFactors.beginTOTP(.init(), call))
    }

    /// Confirms an app by the code that it shows now, unless another one is given. The session has
    /// the proof then, as session gives it.
    func confirm(
        _ app: AppSetUp, _ code: SecretBytes? = nil, name: String = "phone", in token: String,
        key: String? = nil
    ) async throws -> IdentityV1.ConfirmTOTPResponse {
        let answer = try await secondProofs.confirmTOTP(
            .init(
                enrollmentToken: app.begun.enrollmentToken,
                code: code ?? app.code(at: time.now()), name: name, device: Self.device),
            relayed(token, key))
        devices.proveAgain(token, amr: try #require(answer.proof).amr)
        return answer
    }

    /// Sets an app up.
    func setUpApp(
        in token: String
    ) async throws -> (app: AppSetUp, answer: IdentityV1.ConfirmTOTPResponse) {
        let app = try await beginApp(token)
        return (app, try await confirm(app, in: token))
    }

    func removeFactor(
        _ factor: String, in token: String, key: String? = nil
    ) async throws -> [GatewayV1.SecondFactor] {
        let request = GatewayV1.RemoveSecondFactorRequest(factorId: factor, device: Self.device)
        let call = try await secondFactors.call(
            SecondFactorsDescription.removeSecondFactor, request, relayed(token, key))
        return try await secondFactors.removeSecondFactor(request, call).factors
    }

    func regenerateCodes(in token: String, key: String? = nil) async throws -> [String] {
        let request = GatewayV1.RegenerateRecoveryCodesRequest(device: Self.device)
        let call = try await secondFactors.call(
            SecondFactorsDescription.regenerateRecoveryCodes, request, relayed(token, key))
        return try await secondFactors.regenerateRecoveryCodes(request, call).recoveryCodes
    }

    /// Authenticates again by a second factor.
    @discardableResult
    func prove(
        _ proof: GatewayV1.ReauthenticateRequest.Proof, in token: String
    ) async throws -> IdentityV1.ProveBySecondFactorResponse {
        try await secondProofs.proveBySecondFactor(
            .init(device: Self.device, proof: proof), relayed(token))
    }

    /// Has support remove the factors of an account.
    @discardableResult
    func resetFactors(
        of account: String, by application: String = "tool"
    ) async throws -> GatewayV1.ResetSecondFactorsResponse {
        try await admin(NoActivity()).resetSecondFactors(
            .init(accountId: account, reason: "lost phone", actor: "ann"),
            context(application: application))
    }

    /// Does the removals that are due, as the duty does.
    func finishResets() async throws {
        let resets = SecondFactorResets(
            store: store,
            reset: SecondFactorReset(settings: settings, writer: service.core.writer),
            time: time, logger: log.logger(time: time))
        while try await resets.step() {}
    }

    /// Keeps the factors by the link of the latest mail.
    func keepFactors(_ token: String, key: String? = nil) async throws {
        _ = try await secondFactors.keepSecondFactors(
            .init(token: .init(text: token)), context(key))
    }

    /// The latest mail of a template.
    func delivered(_ template: String) async throws -> NotificationV1.SendEmailRequest? {
        try await relay()
        return mail(template)
    }
}
