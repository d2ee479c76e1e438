import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport

/// Second proofs and second factors, as the gateway has them. The code `000000` is wrong, and the
/// challenge `over` is used.
extension PagesGateway {
    /// The account of all sessions.
    struct Account: Sendable {
        var factors: [GatewayV1.SecondFactor] = []
        var codesLeft: UInt32 = 0
        /// The last proof of its session is too old for a change.
        var needsProof = false
        /// Calls in a session fail with it, after some more.
        var failure: ErrorCode?
        var failsAfter = 0
        /// Where passkeys work; nil if they are switched off.
        var passkeyOptions: GatewayV1.PasskeyOptions?
        /// Whether passwords are switched on.
        var hasPasswords = true
        var passkeys: [GatewayV1.Passkey] = []
        /// Sign-in by a code to a phone; nil if it is switched off.
        var phoneOptions: GatewayV1.PhoneOptions?
        var providers: [GatewayV1.ProviderOptions] = []
        /// The archive of its data; nil for none.
        var archive: GatewayV1.DataExport? = PagesGateway.readyArchive
        /// Keys of calls that have made recovery codes.
        var keys: Set<String> = []
    }

    /// The proofs that complete a sign-in.
    static let kinds = ["passkey", "totp_code", "phone_code", "recovery_code"]
    /// What an authenticator app has to know.
    static let secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    static let uri = "otpauth://totp/Tea%20%26%20Cake:ada%40example.org?secret=\(secret)&issuer=Tea"
    static let codes = (0..<10).map { "CODE\($0)-AAAAA-BBB" }
    static let tablet = GatewayV1.SecondFactor(
        factorId: "fac_1", kind: "totp", name: "<Tablet>", addedAtMs: due.milliseconds,
        lastUsedAtMs: due.milliseconds)

    /// A brief session.
    static var session: GatewayV1.Session {
        let end = SystemTime().now() + .seconds(900)
        return GatewayV1.Session(
            accessToken: "access-1", accessExpiresAtMs: end.milliseconds,
            expiresAtMs: end.milliseconds)
    }

    /// The error of a sign-in whose first proof was right.
    static func secondProof(_ kinds: [String], challenge: String = "challenge-1") -> ServiceError {
        var error = ServiceError(.secondProofRequired)
        error.secondProof = ServiceError.SecondProof(
            challenge: challenge, kinds: kinds,
            expiresAtMs: (SystemTime().now() + .seconds(600)).milliseconds,
            hints: kinds.map { $0 == "phone_code" ? "••• 0100" : "" })
        return error
    }

    var challenges: ServiceMethods {
        ServiceMethods(
            SignInChallengesDescription.service,
            [
                .async(SignInChallengesDescription.completeSignIn) {
                    (request: GatewayV1.CompleteSignInRequest, context)
                        -> GatewayV1.CompleteSignInResponse in
                    let (kind, proof) = Self.shown(request.proof)
                    try self.receive(
                        "CompleteSignIn", request.challenge, SecretBytes("\(kind) \(proof)"),
                        context, on: request.device)
                    try Self.check(proof)
                    return GatewayV1.CompleteSignInResponse(
                        account: GatewayV1.Account(email: "ada@example.org"),
                        session: Self.session)
                },
                .async(SignInChallengesDescription.sendChallengeCode) {
                    (request: GatewayV1.SendChallengeCodeRequest, context)
                        -> GatewayV1.SendChallengeCodeResponse in
                    try self.receive(
                        "SendChallengeCode", request.challenge, SecretBytes("\(request.kind)"),
                        context, on: request.device)
                    return GatewayV1.SendChallengeCodeResponse(hint: "••• 0100")
                },
            ])
    }

    private static func shown(
        _ proof: GatewayV1.CompleteSignInRequest.Proof?
    ) -> (kind: String, proof: String) {
        switch proof {
        case .totpCode(let code): ("totp_code", text(code))
        case .phoneCode(let code): ("phone_code", text(code))
        case .emailCode(let code): ("email_code", text(code))
        case .recoveryCode(let code): ("recovery_code", text(code))
        case .password(let password): ("password", text(password))
        case .passkey(let credential): ("passkey", credential.id)
        default: ("another", "")
        }
    }

    private static func check(_ proof: String) throws(ServiceError) {
        switch proof {
        case "000000": throw ServiceError(.invalidCode)
        case "999999": throw ServiceError(.invalidChallenge)
        default: return
        }
    }

    var sessions: ServiceMethods {
        ServiceMethods(
            AccountSessionsDescription.service,
            [
                .async(AccountSessionsDescription.reauthenticate) {
                    (request: GatewayV1.ReauthenticateRequest, context)
                        -> GatewayV1.ReauthenticateResponse in
                    let code: SecretBytes
                    switch request.proof {
                    case .totpCode(let typed): code = typed
                    case .passkey(let credential): code = SecretBytes(credential.id)
                    default: throw ServiceError(.invalidArgument)
                    }
                    try self.receive("Reauthenticate", Self.bearer(context), code, context)
                    try Self.check(Self.text(code))
                    self.account.withLock { $0.needsProof = false }
                    return GatewayV1.ReauthenticateResponse(accessToken: "access-3")
                }
            ])
    }

    static func bearer(_ context: CallContext) -> String {
        context.metadata[Metadata.Key.authorization] ?? ""
    }

    var factors: ServiceMethods {
        ServiceMethods(
            SecondFactorsDescription.service,
            [
                .async(SecondFactorsDescription.listSecondFactors) {
                    (_: GatewayV1.ListSecondFactorsRequest, context)
                        -> GatewayV1.ListSecondFactorsResponse in
                    try self.require("ListSecondFactors", "", context, isChange: false)
                    return self.account.withLock {
                        GatewayV1.ListSecondFactorsResponse(
                            factors: $0.factors, recoveryCodesLeft: $0.codesLeft)
                    }
                },
                .async(SecondFactorsDescription.beginTOTP) {
                    (_: GatewayV1.BeginTOTPRequest, context) -> GatewayV1.BeginTOTPResponse in
                    try self.require("BeginTOTP", "", context)
                    return GatewayV1.BeginTOTPResponse(
                        enrollmentToken: "enrollment-1", secret: Self.secret, uri: Self.uri,
                        expiresAtMs: Self.due.milliseconds)
                },
                .async(SecondFactorsDescription.confirmTOTP) {
                    (request: GatewayV1.ConfirmTOTPRequest, context)
                        -> GatewayV1.ConfirmTOTPResponse in
                    let code = Self.text(request.code)
                    try self.require(
                        "ConfirmTOTP", "\(request.enrollmentToken) \(code) \(request.name)", context
                    )
                    try Self.check(code)
                    return GatewayV1.ConfirmTOTPResponse(
                        factor: Self.tablet, accessToken: "access-2",
                        recoveryCodes: self.add(Self.tablet, context))
                },
                .async(SecondFactorsDescription.removeSecondFactor) {
                    (request: GatewayV1.RemoveSecondFactorRequest, context)
                        -> GatewayV1.RemoveSecondFactorResponse in
                    try self.require("RemoveSecondFactor", request.factorId, context)
                    self.account.withLock { account in
                        account.factors.removeAll { $0.factorId == request.factorId }
                    }
                    return GatewayV1.RemoveSecondFactorResponse()
                },
                .async(SecondFactorsDescription.regenerateRecoveryCodes) {
                    (_: GatewayV1.RegenerateRecoveryCodesRequest, context)
                        -> GatewayV1.RegenerateRecoveryCodesResponse in
                    try self.require("RegenerateRecoveryCodes", "", context)
                    return GatewayV1.RegenerateRecoveryCodesResponse(
                        recoveryCodes: self.makeCodes(context))
                },
                .async(SecondFactorsDescription.keepSecondFactors) {
                    (request: GatewayV1.KeepSecondFactorsRequest, context)
                        -> GatewayV1.KeepSecondFactorsResponse in
                    try self.receive(
                        "KeepSecondFactors", Self.text(request.token), SecretBytes(""), context)
                    return GatewayV1.KeepSecondFactorsResponse()
                },
            ])
    }

    /// A call in a session.
    func require(
        _ method: String, _ input: String, _ context: CallContext, isChange: Bool = true
    ) throws {
        try receive(method, Self.bearer(context), SecretBytes(input), context)
        let (failure, needsProof) = account.withLock { account in
            let fails = account.failsAfter == 0
            if !fails { account.failsAfter -= 1 }
            return (fails ? account.failure : nil, account.needsProof)
        }
        if let failure { throw ServiceError(failure) }
        guard isChange, needsProof else { return }
        var error = ServiceError(.requiresRecentLogin)
        error.acceptableProofs = ["device_key", "passkey", "recovery_code", "totp_code"]
        throw error
    }

    /// Adds a factor; with the first one recovery codes are made.
    private func add(_ factor: GatewayV1.SecondFactor, _ context: CallContext) -> [String] {
        let isFirst = account.withLock { account in
            defer { account.factors.append(factor) }
            return account.factors.isEmpty
        }
        return isFirst ? makeCodes(context) : []
    }

    /// Recovery codes; none for a repeat.
    private func makeCodes(_ context: CallContext) -> [String] {
        let key = context.metadata[Metadata.Key.idempotencyKey] ?? ""
        return account.withLock { account in
            account.codesLeft = UInt32(Self.codes.count)
            return account.keys.insert(key).inserted ? Self.codes : []
        }
    }
}
