import Addresses
import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

/// What an account has of second factors and passkeys.
private struct FoundFactors: Sendable {
    private let factors: [SecondFactorRow]
    private let passkeys: [PasskeyRow]
    private let codes: Int
    private let waiting: WaitingReset?

    init(_ account: AccountID, in session: some SQLSession) throws {
        factors = try session.secondFactors(of: account)
        passkeys = try session.passkeys(of: account)
        codes = try session.recoveryCodes(of: account)
        waiting = try session.secondFactorReset(of: account)
    }

    func describe(
        in answer: inout GatewayV1.AdminAccount, _ vault: AccountVault, showsNames: Bool
    ) throws {
        answer.secondFactors = try factors.map { try $0.message(vault, showsName: showsNames) }
        answer.passkeys = UInt32(clamping: passkeys.count)
        answer.passkeyLastUsedAtMs = passkeys.map(\.lastUsedAt.milliseconds).max() ?? 0
        answer.recoveryCodesLeft = UInt32(clamping: codes)
        answer.secondFactorReset = try waiting.map {
            GatewayV1.SecondFactorReset(
                reason: try vault.open($0.sealedReason, .secondFactorResetReason),
                dueAtMs: $0.dueAt.milliseconds)
        }
    }
}

extension AccountAdminHandler {
    /// How long the account waits for its activity. The tool looks an account up before each change
    /// of it, with one deadline for both: a session service that hangs must not keep an operator
    /// from suspending an account.
    private static let activityWait: Duration = .seconds(2)

    /// Finds one account for an operator (I-09), with its deletion, and its activity from the
    /// session service (I-01).
    func lookUpAccount(
        _ request: GatewayV1.LookUpAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.LookUpAccountResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let account = try await found(request.by)
        let shown = request.showPersonalData
        let (row, facts, suspension, deletion, factors) = try await store.read { session in
            guard let row = try session.account(account) else { throw ServiceError(.notFound) }
            return (
                row, try answers.facts(row, in: session), try session.suspension(account),
                try session.deletionMessage(of: account), try FoundFactors(account, in: session)
            )
        }
        // Record the access before returning personal data.
        if shown {
            let event = AuditEvent(.accountShown, account: account.key).by(caller)
            try await store.write(about: []) { try $0.audit(event) }
        }
        var answer = try message(row, facts, suspension, showsPersonal: shown)
        answer.activity = try await AccountActivityReader(
            guests.activity, time: time, logger: logger
        ).activity(of: account, within: Self.activityWait, context)
        answer.deletion = deletion.state == .none ? nil : deletion
        try factors.describe(in: &answer, reader.vault(row), showsNames: shown)
        return GatewayV1.LookUpAccountResponse(account: answer)
    }

    private func found(
        _ by: GatewayV1.LookUpAccountRequest.By?
    ) async throws -> AccountID {
        let account: AccountID? =
            switch by {
            case .accountId(let text): try AccountID.required(text)
            case .email(let text): try await owner(of: try EmailAddress.required(text))
            case .phoneNumber(let text):
                try await owner(ofNumber: Self.dialled(text))
            case .providerSubject(let somebody):
                try await owner(ofIdentity: somebody.issuer, somebody.subject)
            case nil: throw ServiceError(.invalidArgument, fields: ["by"])
            }
        guard let account else { throw ServiceError(.notFound) }
        return account
    }

    private func owner(of address: EmailAddress) async throws -> AccountID? {
        let lookUpKey = keys.lookUpKey(of: address)
        return try await store.read { try $0.owner(ofAddress: lookUpKey) }
    }

    /// By the text as it is stored, which may be a former text of a number, or by the number.
    private func owner(ofNumber text: String) async throws -> AccountID? {
        if let account = try await owner(ofIdentity: PhoneIdentity.issuer, text) { return account }
        guard let number = PhoneNumber(text) else { return nil }
        return try await store.read { try $0.phoneIdentity(number, keys).account }
    }

    private func owner(
        ofIdentity issuer: String, _ subject: String
    ) async throws -> AccountID? {
        let lookUpKey = keys.lookUpKey(
            of: ProvedIdentity(
                method: .provider(""), issuer: issuer, subject: subject, email: nil,
                displayName: ""))
        return try await store.read { try $0.identity(lookUpKey: lookUpKey)?.account }
    }

    /// A phone number without the separators that people write between its digits.
    private static func dialled(_ text: String) -> String {
        String(text.filter { !" -()./".contains($0) })
    }
}
